import { MemoryTaskStore } from '../../libs/delay-queue/src/memory/memory-task-store.js';
import { describeTaskStore } from './describe-task-store.js';
import { SteppedClock } from './stepped-clock.js';
import { ARM_HOLD_MS, START_US, type StoreHarness } from './store-harness.js';

async function createHarness(): Promise<StoreHarness> {
  const clock = new SteppedClock(START_US);
  const store = new MemoryTaskStore({ clock, armHoldMs: ARM_HOLD_MS });
  await store.open();
  return {
    store,
    secondStore: store,
    nowUs: () => clock.nowUs,
    setNowUs: async (nowUs) => {
      clock.nowUs = nowUs;
    },
    loseEverything: () => Promise.reject(new Error('memory of the process does not get lost')),
    removeEnvelope: () => Promise.reject(new Error('memory of the process cannot be damaged')),
    dispose: () => store.close(),
  };
}

describeTaskStore('MemoryTaskStore', createHarness, { dataCanGetLost: false });
