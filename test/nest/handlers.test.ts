import { afterEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { type DelayedTask, OnDelayedTask, TaskOutcome } from 'nestjs-delay-queue';
import { nextEvent } from './support/next-event.js';
import { TestApps } from './support/test-apps.js';

const apps = new TestApps();
afterEach(() => apps.closeAll());

@Injectable()
class Orders {
  readonly seen: { readonly payload: unknown; readonly task: DelayedTask }[] = [];
  /** What the handler does at each delivery, by its number. */
  script: ((task: DelayedTask) => unknown)[] = [];

  @OnDelayedTask('order_timeout', { maxRetries: 2, backoff: { type: 'fixed', delay: 1, jitter: 0 } })
  async onTimeout(payload: unknown, task: DelayedTask): Promise<unknown> {
    this.seen.push({ payload, task });
    return this.script[task.deliveries - 1]?.(task);
  }
}

async function bootOrders() {
  const booted = await apps.boot({ providers: [Orders] });
  return { ...booted, orders: booted.app.get(Orders) };
}

const fail = (error: unknown) => (): never => {
  throw error;
};

const circular: Record<string, unknown> = {};
circular['self'] = circular;

describe('a handler', () => {
  it('is called on its instance, with the payload and the task', async () => {
    const { producer, events, orders } = await bootOrders();
    const completed = nextEvent(events, 'completed', 'o1');
    const { dueAt } = await producer.schedule('order_timeout', { orderId: '1' }, { delay: 5, id: 'o1' });
    await completed;
    expect(orders.seen).toHaveLength(1);
    expect(orders.seen[0]?.payload).toEqual({ orderId: '1' });
    expect(orders.seen[0]?.task).toMatchObject({
      type: 'order_timeout',
      id: 'o1',
      payload: { orderId: '1' },
      deliveries: 1,
      failures: 0,
      maxRetries: 2,
      dueAt,
    });
    expect(await producer.get('order_timeout', 'o1')).toBeNull();
  });

  it('is tried again after it threw, with the failures counted', async () => {
    const { producer, events, orders } = await bootOrders();
    orders.script = [fail(new Error('first')), fail(new Error('second'))];
    const completed = nextEvent(events, 'completed', 'o1');
    await producer.schedule('order_timeout', {}, { delay: 0, id: 'o1' });
    expect(await completed).toMatchObject({ deliveries: 3, failures: 2 });
    expect(orders.seen.map(({ task }) => task.failures)).toEqual([0, 1, 2]);
  });

  it('makes a dead letter when its retries are used up, which can be redriven', async () => {
    const { producer, admin, events, orders } = await bootOrders();
    orders.script = [1, 2, 3].map((n) => fail(new Error(`failure ${n}`)));
    const buried = nextEvent(events, 'buried', 'o1');
    await producer.schedule('order_timeout', { orderId: '1' }, { delay: 0, id: 'o1' });
    await buried;
    const [letter] = (await admin.listDead('order_timeout')).items;
    expect(letter).toMatchObject({ id: 'o1', state: 'dead', failures: 3, deliveries: 3, payload: { orderId: '1' } });
    expect(letter?.error).toContain('failure 3');
    expect(letter?.diedAt).toBeInstanceOf(Date);
    const completed = nextEvent(events, 'completed', 'o1');
    expect(await admin.redrive('order_timeout', 'o1')).toMatchObject({
      id: 'o1',
      status: 'redriven',
      state: 'waiting',
    });
    await completed;
    expect(orders.seen.at(-1)?.task).toMatchObject({ deliveries: 4, failures: 0, redrives: 1 });
  });

  it('C25 runs once with maxRetries 0', async () => {
    const { producer, events, orders } = await bootOrders();
    orders.script = [fail(new Error('no'))];
    const buried = nextEvent(events, 'buried', 'o1');
    await producer.schedule('order_timeout', {}, { delay: 0, id: 'o1', maxRetries: 0 });
    await buried;
    expect(orders.seen).toHaveLength(1);
  });

  it('can snooze and bury', async () => {
    const { producer, events, orders } = await bootOrders();
    orders.script = [() => TaskOutcome.snooze(1), () => TaskOutcome.bury('no such order')];
    const snoozed = nextEvent(events, 'snoozed', 'o1');
    const buried = nextEvent(events, 'buried', 'o1');
    await producer.schedule('order_timeout', {}, { delay: 0, id: 'o1' });
    expect(await snoozed).toMatchObject({ delayMs: 1, failures: 0 });
    expect(await buried).toMatchObject({ reason: 'no such order' });
    expect(await producer.get('order_timeout', 'o1')).toMatchObject({ state: 'dead', failures: 0, deliveries: 2 });
  });

  it.each<[string, unknown]>([
    ['a text', 'just a text'],
    ['null', null],
    ['undefined', undefined],
    ['a circular error', Object.assign(new Error('round'), { circular })],
    ['a circular object', circular],
  ])('C31 that throws %s is tried again', async (_, thrown) => {
    const { producer, events, orders } = await bootOrders();
    orders.script = [fail(thrown)];
    const retried = nextEvent(events, 'retried', 'o1');
    const completed = nextEvent(events, 'completed', 'o1');
    await producer.schedule('order_timeout', {}, { delay: 0, id: 'o1' });
    expect((await retried).error).toBe(thrown);
    expect(await completed).toMatchObject({ deliveries: 2, failures: 1 });
  });

  it('C31 that returns something circular is done', async () => {
    const { producer, events, orders } = await bootOrders();
    orders.script = [() => circular];
    const completed = nextEvent(events, 'completed', 'o1');
    await producer.schedule('order_timeout', {}, { delay: 0, id: 'o1' });
    expect(await completed).toMatchObject({ deliveries: 1 });
  });

  it('may handle several types', async () => {
    @Injectable()
    class Both {
      readonly types: string[] = [];

      @OnDelayedTask('a')
      @OnDelayedTask('b')
      handle(_payload: unknown, task: DelayedTask): void {
        this.types.push(task.type);
      }
    }
    const { app, producer, events } = await apps.boot({ providers: [Both] });
    for (const type of ['a', 'b']) {
      const completed = nextEvent(events, 'completed');
      await producer.schedule(type, null, { delay: 0 });
      await completed;
    }
    expect(app.get(Both).types).toEqual(['a', 'b']);
  });

  it('C40 runs in providers made by a value, a factory or another token, and in a subclass, once each', async () => {
    const seen: string[] = [];
    const handlerOf = (type: string) => {
      @Injectable()
      class Base {
        constructor(@Inject('NAME') private readonly name: string) {}

        @OnDelayedTask(type)
        handle(): void {
          seen.push(`${type} by ${this.name}`);
        }
      }
      return Base;
    };
    const Value = handlerOf('value');
    const Made = handlerOf('factory');
    @Injectable()
    class Derived extends handlerOf('subclass') {}
    const { producer, events } = await apps.boot({
      providers: [
        { provide: 'NAME', useValue: 'Nest' },
        { provide: 'VALUE', useValue: new Value('us') },
        { provide: 'FACTORY', inject: ['NAME'], useFactory: (name: string) => new Made(`the factory of ${name}`) },
        { provide: 'TOKEN', useClass: handlerOf('token') },
        Derived,
      ],
    });
    for (const type of ['value', 'factory', 'token', 'subclass']) {
      const completed = nextEvent(events, 'completed', type);
      await producer.schedule(type, null, { delay: 0, id: type });
      await completed;
    }
    expect(seen).toEqual(['value by us', 'factory by the factory of Nest', 'token by Nest', 'subclass by Nest']);
  });

  it('takes its options from the decorator, and those of the module before them', async () => {
    class Limits {
      readonly retries: number[] = [];

      @OnDelayedTask('a', { maxRetries: 7 })
      @OnDelayedTask('b', { maxRetries: 7 })
      handle(_payload: unknown, task: DelayedTask): void {
        this.retries.push(task.maxRetries);
      }
    }
    const queue = { embedded: true, types: { b: { maxRetries: 9 } } };
    const { app, producer, events } = await apps.boot({ queue, providers: [Limits] });
    for (const type of ['a', 'b']) {
      const completed = nextEvent(events, 'completed');
      await producer.schedule(type, null, { delay: 0 });
      await completed;
    }
    expect(app.get(Limits).retries).toEqual([7, 9]);
  });
});

describe('cancel', () => {
  it('keeps a waiting task from running, and comes too late for a running one', async () => {
    const { producer, events, orders } = await bootOrders();
    await producer.schedule('order_timeout', {}, { delay: '1h', id: 'waits' });
    expect(await producer.cancel('order_timeout', 'waits')).toEqual({ status: 'cancelled', state: 'none' });

    let release = (): void => undefined;
    orders.script = [() => new Promise<void>((resolve) => (release = resolve))];
    const started = nextEvent(events, 'started', 'runs');
    const completed = nextEvent(events, 'completed', 'runs');
    await producer.schedule('order_timeout', {}, { delay: 0, id: 'runs' });
    await started;
    expect(await producer.cancel('order_timeout', 'runs')).toEqual({ status: 'running', state: 'running' });
    release();
    await completed;
    expect(orders.seen.map(({ task }) => task.id)).toEqual(['runs']);
  });
});

describe('events$', () => {
  it('tells a task from its schedule to its end, and completes when the application has closed', async () => {
    const { app, producer, events } = await bootOrders();
    const kinds: string[] = [];
    const ended = new Promise<void>((resolve) => {
      events.events$.subscribe({ next: ({ kind }) => kinds.push(kind), complete: resolve });
    });
    const completed = nextEvent(events, 'completed', 'o1');
    await producer.schedule('order_timeout', {}, { delay: 0, id: 'o1' });
    await completed;
    await app.close();
    await ended;
    expect(kinds.filter((kind) => kind !== 'mutated')).toEqual(['started', 'completed']);
    expect(kinds).toContain('mutated');
  });
});
