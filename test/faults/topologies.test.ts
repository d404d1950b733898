import { expect } from '@jest/globals';
import { elapse } from '../support/elapse.js';
import { waitFor } from '../support/wait-for.js';
import { ClusterSite } from './support/cluster-site.js';
import { makeEveryPublicCall } from './support/every-public-call.js';
import { scenario } from './support/scenario.js';
import { SentinelSite } from './support/sentinel-site.js';

/** Replicas receive what the primary has written some time later: what it acknowledged just before its death may be lost. */
const REPLICATION_LAG_MS = 1_000;

scenario(
  'C03 sentinels fail over to a replica under load',
  { site: () => SentinelSite.start(), type: { dedupeFor: '10m' } },
  async (s) => {
    await s.startWorkers(3);
    const stopLoad = s.load({ perSecond: 50, withinMs: 1_500, deeds: [{ kind: 'slow', ms: 50 }] });
    await elapse(2_000);
    const site = s.site as SentinelSite;
    await s.inject('failover', async () => {
      const old = await site.primary();
      const killedMs = Date.now();
      await old.kill();
      s.book.excuse(
        'not replicated',
        ({ bookedMs }) => bookedMs >= killedMs - REPLICATION_LAG_MS && bookedMs <= killedMs,
      );
      await waitFor(async () => (await site.primary()) !== old, { what: 'the failover', deadlineMs: 30_000 });
      const booked = s.book.bookings.length;
      await waitFor(() => s.book.bookings.length > booked, { what: 'the new primary to be used', deadlineMs: 20_000 });
    });
    await elapse(2_000);
    await stopLoad();
    expect(s.book.refused).toBeGreaterThan(0);
  },
);

/** Enough for every server of the cluster to keep some of them. */
const PARTITIONS = 12;

scenario(
  'C33 every public call and error path, on a cluster of three primaries',
  { site: () => ClusterSite.start(), type: { partitions: PARTITIONS, maxRetries: 1 } },
  async (s) => {
    await s.startWorkers(2);
    await makeEveryPublicCall(s);
    const keysPerServer = await s.site.onPrimaries((redis) => redis.dbsize());
    expect(keysPerServer.every((count) => count > 0)).toBe(true);
    expect(s.events('store down')).toEqual([]);
  },
);
