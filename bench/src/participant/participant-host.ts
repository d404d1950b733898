import { setTimeout as sleep } from 'node:timers/promises';
import { makeTask, makeTasks, taskIdOf } from '../bench-task.js';
import { RunLog, type RunReport } from '../run-log.js';
import { openSubject } from '../subjects/open-subject.js';
import type { ConsumeOptions, SubjectSession } from '../subjects/subject.js';
import type {
  BulkLoad,
  CancelLoad,
  ConsumeRequest,
  DueTimes,
  OpenRequest,
  PacedLoad,
  ParticipantApi,
  ProcessUsage,
  SingleLoad,
  TaskRange,
} from './participant-api.js';
import { CpuProfile } from './cpu-profile.js';
import { runCallers } from './run-callers.js';

/** Carries out, in its own process, what a measurement asks for. What is scheduled is made before the time starts. */
export class ParticipantHost implements ParticipantApi {
  private opened: SubjectSession | null = null;
  private log: RunLog | null = null;
  private profile: CpuProfile | null = null;

  async open({ subject, redisUrl, types, consume, database, profileFolder }: OpenRequest): Promise<void> {
    this.opened = await openSubject(subject, {
      redisUrl,
      types,
      database,
      consume: consume === null ? null : this.consumeOptions(consume),
    });
    if (profileFolder !== undefined) this.profile = await CpuProfile.start(profileFolder);
  }

  async schedule(load: SingleLoad): Promise<number> {
    const tasks = tasksOf(load);
    return runCallers(tasks, load.callers, (task) => this.session.schedule(task));
  }

  async scheduleWithOrder(load: SingleLoad): Promise<number> {
    const { scheduleWithOrder } = this.session;
    if (scheduleWithOrder === undefined) throw new Error('the subject has no database');
    return runCallers(tasksOf(load), load.callers, scheduleWithOrder);
  }

  async scheduleMany({ perCall, ...load }: BulkLoad): Promise<number> {
    let elapsedMs = 0;
    for (let done = 0; done < load.count; done += perCall) {
      // Made in between and not at first: a million tasks are more than a process should hold.
      const tasks = tasksOf(load, done, Math.min(perCall, load.count - done));
      const start = performance.now();
      await this.session.scheduleMany(tasks);
      elapsedMs += performance.now() - start;
    }
    return elapsedMs;
  }

  async schedulePaced({ first, count, perSecond, delayMs }: PacedLoad): Promise<number> {
    const start = performance.now();
    const calls: Promise<void>[] = [];
    while (calls.length < count) {
      const elapsedMs = performance.now() - start;
      const target = Math.min(count, Math.ceil((elapsedMs / 1000) * perSecond));
      while (calls.length < target) {
        calls.push(this.session.schedule(makeTask(first + calls.length, Date.now() + delayMs)));
      }
      await sleep(1);
    }
    await Promise.all(calls);
    return performance.now() - start;
  }

  async cancel({ first, count, callers }: CancelLoad): Promise<number> {
    const ids = Array.from({ length: count }, (_, offset) => taskIdOf(first + offset));
    return runCallers(ids, callers, (id) => this.session.cancel(id));
  }

  async reschedule(load: SingleLoad): Promise<number> {
    const tasks = tasksOf(load);
    return runCallers(tasks, load.callers, ({ id, dueAtMs }) => this.session.reschedule(id, dueAtMs));
  }

  async countWaiting(): Promise<number> {
    return this.session.countWaiting();
  }

  progress(): Promise<number> {
    return Promise.resolve(this.runLog.count);
  }

  report(): Promise<RunReport> {
    return Promise.resolve(this.runLog.report());
  }

  usage(): Promise<ProcessUsage> {
    const { user, system } = process.cpuUsage();
    return Promise.resolve({ cpuUs: user + system, memoryBytes: process.memoryUsage.rss() });
  }

  async close(): Promise<void> {
    await this.profile?.finish(this.log === null ? 'producer' : 'consumer');
    await this.session.close();
  }

  private consumeOptions({ concurrency, tasks, measuredFrom = 0, hang = false }: ConsumeRequest): ConsumeOptions {
    const log = new RunLog(tasks, measuredFrom);
    this.log = log;
    return {
      concurrency,
      async run(payload) {
        log.add(payload);
        if (hang) await new Promise<never>(() => {});
      },
    };
  }

  private get session(): SubjectSession {
    if (this.opened === null) throw new Error('the queue is not open');
    return this.opened;
  }

  private get runLog(): RunLog {
    if (this.log === null) throw new Error('this process does not consume');
    return this.log;
  }
}

function tasksOf(load: TaskRange & DueTimes, offset = 0, count = load.count): ReturnType<typeof makeTasks> {
  const { first, dueAtMs, spreadMs = 0 } = load;
  const stepMs = spreadMs / Math.max(1, load.count);
  return makeTasks(first + offset, count, (index) => dueAtMs + Math.floor((index - first) * stepMs));
}
