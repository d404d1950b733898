import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

/** Time between two samples, in microseconds: short enough for a load of a second. */
const SAMPLING_US = 200;

/** A CPU profile of this process, from its start to its end; unlike one of `--cpu-prof` it can leave out the boot. */
export class CpuProfile {
  private constructor(
    private readonly session: Session,
    private readonly folder: string,
  ) {}

  static async start(folder: string): Promise<CpuProfile> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_US });
    await session.post('Profiler.start');
    return new CpuProfile(session, folder);
  }

  /** Writes the profile to the folder. */
  async finish(name: string): Promise<void> {
    const { profile } = await this.session.post('Profiler.stop');
    this.session.disconnect();
    await mkdir(this.folder, { recursive: true });
    await writeFile(join(this.folder, `${name}-${process.pid}.cpuprofile`), JSON.stringify(profile));
  }
}
