import { Redis } from 'ioredis';
import { freePort, RedisServer } from './redis-server.js';
import { waitFor } from './wait-for.js';

const SLOTS = 16_384;

interface ClusterNode {
  readonly server: RedisServer;
  /** Where the nodes talk to each other. */
  readonly busPort: number;
}

/** A cluster of three primaries without replicas, on ports of 127.0.0.1. */
export class RedisCluster {
  private constructor(private readonly nodes: readonly ClusterNode[]) {}

  /** Starts the servers, shares the slots out, and waits until all of them agree. */
  static async start(): Promise<RedisCluster> {
    const cluster = new RedisCluster(await Promise.all([0, 1, 2].map(() => startNode())));
    try {
      await cluster.join();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get ports(): readonly number[] {
    return this.nodes.map(({ server }) => server.port);
  }

  get urls(): readonly string[] {
    return this.nodes.map(({ server }) => server.url);
  }

  /** The nodes, for tests that kill one of them. */
  get servers(): readonly RedisServer[] {
    return this.nodes.map(({ server }) => server);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ server }) => server.stop()));
  }

  private async join(): Promise<void> {
    const clients = this.urls.map((url) => new Redis(url));
    try {
      await Promise.all(clients.map((client, index) => addSlots(client, index, clients.length)));
      for (const { server, busPort } of this.nodes.slice(1)) {
        await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', server.port, busPort);
      }
      await Promise.all(
        clients.map((client) => waitFor(() => isComplete(client), { what: 'the cluster to form', deadlineMs: 20_000 })),
      );
    } finally {
      for (const client of clients) client.disconnect();
    }
  }
}

/** By itself the bus takes the port plus 10,000, which may lie above the last port there is. */
async function startNode(): Promise<ClusterNode> {
  const busPort = await freePort();
  const extraArgs = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
  return { server: await RedisServer.start({ extraArgs }), busPort };
}

async function addSlots(node: Redis, index: number, count: number): Promise<void> {
  const from = Math.floor((SLOTS * index) / count);
  const to = Math.floor((SLOTS * (index + 1)) / count) - 1;
  await node.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
}

async function isComplete(node: Redis): Promise<boolean> {
  const info = String(await node.call('CLUSTER', 'INFO'));
  return /cluster_state:ok/.test(info) && /cluster_known_nodes:3/.test(info);
}
