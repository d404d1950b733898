import { afterAll, beforeAll, beforeEach, describe } from '@jest/globals';
import { describeArm } from './arm.js';
import { describeClaiming } from './claiming.js';
import { describeEpochAndIdentity } from './epoch-and-identity.js';
import { describeFencing } from './fencing.js';
import { describeIdempotency } from './idempotency.js';
import { describeLostData } from './lost-data.js';
import { describeMutationEffects } from './mutation-effects.js';
import { describeMutationTable } from './mutation-table.js';
import { describeReading } from './reading.js';
import { describeSettleTable } from './settle-table.js';
import { describeSignals } from './signals.js';
import { type CreateHarness, START_US, type StoreHarness, type StoreTraits } from './store-harness.js';
import { TestLane } from './test-lane.js';

/** The suite that every task store passes: what it answers, what it keeps and whom it tells. */
export function describeTaskStore(name: string, createHarness: CreateHarness, traits: StoreTraits): void {
  describe(`${name}`, () => {
    let harness: StoreHarness;
    let lane: TestLane;
    let testNumber = 0;

    beforeAll(async () => {
      harness = await createHarness();
    });

    // Each test has a partition of its own: nothing of another test is in it.
    beforeEach(async () => {
      await harness.setNowUs(START_US);
      lane = new TestLane(harness, { type: `test-${testNumber++}`, partition: 0 });
      await lane.store.init(lane.ref);
    });

    afterAll(async () => {
      await harness.dispose();
    });

    const useLane = (): TestLane => lane;
    describeMutationTable(useLane);
    describeMutationEffects(useLane);
    describeSettleTable(useLane);
    describeClaiming(useLane);
    describeFencing(useLane);
    describeArm(useLane);
    describeSignals(useLane);
    describeReading(useLane);
    describeIdempotency(useLane);
    describeEpochAndIdentity(useLane, createHarness);
    if (traits.dataCanGetLost) describeLostData(useLane);
  });
}
