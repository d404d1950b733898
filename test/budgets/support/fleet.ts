import { Injectable, type Type } from '@nestjs/common';
import { type DelayedTask, type HandlerOptions, OnDelayedTask, type TaskType } from 'nestjs-delay-queue';
import { assembleScripts } from '../../../libs/delay-queue/src/redis/scripts/redis-scripts.js';
import type { SeenCommand } from '../../support/command-monitor.js';
import { type TestApp, TestApps } from '../../nest/support/test-apps.js';

/** What the handlers of a fleet do. */
export interface FleetPlan {
  readonly redisUrl: string;
  /** Applications, each as one process of a deployment. */
  readonly processes: number;
  /** Every application has a handler for each. */
  readonly types: readonly string[];
  readonly options?: HandlerOptions;
  readonly run?: (task: DelayedTask) => unknown;
}

/** Applications that run the same types on one server, with default options. */
export class Fleet {
  private readonly open = new TestApps();

  private constructor(private readonly members: readonly TestApp[]) {}

  static async start({ redisUrl, processes, types, options = {}, run = () => undefined }: FleetPlan): Promise<Fleet> {
    const members: TestApp[] = [];
    const fleet = new Fleet(members);
    const providers = types.map((type) => handlerOf(type, options, run));
    const queue = { connection: redisUrl };
    while (members.length < processes) members.push(await fleet.open.boot({ queue, providers }));
    return fleet;
  }

  /** The application that a test schedules with, and asks. */
  get first(): TestApp {
    const [first] = this.members;
    if (first === undefined) throw new RangeError('a fleet has one member at least');
    return first;
  }

  close(): Promise<void> {
    return this.open.closeAll();
  }
}

function handlerOf(type: string, options: HandlerOptions, run: (task: DelayedTask) => unknown): Type {
  @Injectable()
  class Handler {
    @OnDelayedTask(type as TaskType, options)
    async handle(_payload: unknown, task: DelayedTask): Promise<void> {
      await run(task);
    }
  }
  return Handler;
}

const TURN = assembleScripts().turn;

/** A statement that stands in no other script. */
const OF_TURN = "armWish == 'resign'";

/** Whether a command is a turn: what a lane settles, extends and claims with. The first ones are sent as text. */
export function isTurn({ name, argument }: SeenCommand): boolean {
  return name === 'evalsha' ? argument === TURN.sha1 : name === 'eval' && argument.includes(OF_TURN);
}
