import { afterEach, describe, expect, it } from '@jest/globals';
import { type CanActivate, Injectable, Module, type ModuleMetadata, type Type, UseGuards } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  ConfigurationError,
  DelayQueueModule,
  type DelayQueueModuleOptions,
  type DelayQueueRootOptions,
  OnDelayedTask,
  type TaskType,
} from 'nestjs-delay-queue';
import { type TestAppParts, TestApps } from './support/test-apps.js';

const apps = new TestApps();
afterEach(() => apps.closeAll());

async function refusal(boot: Promise<unknown>): Promise<ConfigurationError> {
  const error: unknown = await boot.catch((reason: unknown) => reason);
  if (error instanceof ConfigurationError) return error;
  throw new Error('expected a ConfigurationError', { cause: error });
}

const bootRefused = (parts: TestAppParts) => refusal(apps.boot(parts));

const handlerOf = (type: string, options = {}): Type => {
  @Injectable()
  class Handler {
    @OnDelayedTask(type as TaskType, options)
    handle(): void {}
  }
  return Handler;
};

@Injectable()
class Orders {
  @OnDelayedTask('order_timeout')
  cancelUnpaid(): void {}
}

@Injectable()
class Billing {
  @OnDelayedTask('order_timeout')
  onTimeout(): void {}
}

describe('handlers that fail the boot', () => {
  it('C40 two handlers of one type: both methods and their modules are named', async () => {
    @Module({ providers: [Billing] })
    class BillingModule {}
    const { code, message } = await bootRefused({ imports: [BillingModule], providers: [Orders] });
    expect(code).toBe('configuration');
    for (const part of [
      "'order_timeout'",
      'Orders.cancelUnpaid',
      'Billing.onTimeout',
      'BillingModule',
      'RootTestModule',
    ]) {
      expect(message).toContain(part);
    }
  });

  it('C40 one class provided by two modules: both modules are named, and what to do', async () => {
    @Module({ providers: [Orders] })
    class First {}
    @Module({ providers: [Orders] })
    class Second {}
    const { field, message } = await bootRefused({ imports: [First, Second] });
    expect(field).toBe('Orders.cancelUnpaid');
    for (const part of ['First', 'Second', 'provide the class once']) expect(message).toContain(part);
  });

  it('C40 one method that names its type twice', async () => {
    @Injectable()
    class Twice {
      @OnDelayedTask('a')
      @OnDelayedTask('a')
      handle(): void {}
    }
    expect((await bootRefused({ providers: [Twice] })).message).toContain('Twice.handle');
  });

  it.each(['', 'a:b', 'a b', '{a}', 'a}', undefined])('C58 the task type %p names the method', async (type) => {
    const { field, message } = await bootRefused({ providers: [handlerOf(type as string)] });
    expect(field).toContain('Handler.handle');
    expect(message).toContain('A-Z a-z 0-9 _ . -');
  });

  it.each<[string, object, string]>([
    ['a concurrency of 0', { concurrency: 0 }, 'Handler.handle.concurrency'],
    ['C25 maxRetries of -1', { maxRetries: -1 }, 'Handler.handle.maxRetries'],
    ['C25 maxRetries of 1.5', { maxRetries: 1.5 }, 'Handler.handle.maxRetries'],
    ['C25 maxRetries of NaN', { maxRetries: Number.NaN }, 'Handler.handle.maxRetries'],
    ['a back-off without a type', { backoff: { base: '5s' } }, 'Handler.handle.backoff'],
    ['a partition count, which belongs into forRoot', { partitions: 2 }, 'Handler.handle'],
  ])('%s names the method and the option', async (_, options, field) => {
    expect((await bootRefused({ providers: [handlerOf('a', options)] })).field).toContain(field);
  });

  it('C43 a guard that Nest would leave out names the method, the guard and what to do', async () => {
    @Injectable()
    class Guard implements CanActivate {
      canActivate(): boolean {
        return true;
      }
    }
    class Guarded {
      @OnDelayedTask('a')
      @UseGuards(Guard)
      handle(): void {}
    }
    const { field, message } = await bootRefused({ providers: [{ provide: 'G', useFactory: () => new Guarded() }] });
    expect(field).toBe('Guarded.handle');
    expect(message).toContain('needs Guard');
    expect(message).toContain('or pass an instance to the decorator');
  });
});

describe('options that fail the boot', () => {
  const viaRoot = (options: DelayQueueModuleOptions): ModuleMetadata => ({
    imports: [DelayQueueModule.forRoot(options)],
  });
  const viaAsync = (options: DelayQueueModuleOptions): ModuleMetadata => ({
    imports: [DelayQueueModule.forRootAsync({ useFactory: async () => options })],
  });

  it.each([
    ['forRoot', viaRoot],
    ['forRootAsync', viaAsync],
  ])('C56 C58 are the same through %s', async (_, via) => {
    const refused = (options: DelayQueueModuleOptions) => refusal(Test.createTestingModule(via(options)).compile());
    const forgotten = await refused({ connection: process.env['NO_SUCH_VARIABLE'] });
    expect(forgotten.field).toBe('connection');
    expect(forgotten.message).toContain('embedded: true');
    expect((await refused({ embedded: true, prefix: '{shop}' })).field).toBe('prefix');
    expect((await refused({ embedded: true, types: { 'a b': {} } })).field).toBe('types.a b');
    expect((await refused({ embedded: true, connection: 'redis://localhost' })).field).toBe('embedded');
  });

  it('arguments that are missing are refused where they are missing', async () => {
    expect(() => DelayQueueModule.forRoot(undefined as unknown as DelayQueueRootOptions)).toThrow(ConfigurationError);
    expect(() => DelayQueueModule.forRootAsync({})).toThrow(ConfigurationError);
    const useFactory = () => undefined as unknown as DelayQueueModuleOptions;
    const imports = [DelayQueueModule.forRootAsync({ useFactory })];
    expect((await refusal(Test.createTestingModule({ imports }).compile())).field).toBe('options');
  });

  it('forRoot twice in one application says so', async () => {
    const imports = [DelayQueueModule.forRoot({ embedded: true }), DelayQueueModule.forRoot({ embedded: true })];
    const { field, message } = await refusal(Test.createTestingModule({ imports }).compile());
    expect(field).toBe('DelayQueueModule');
    expect(message).toContain('2 times');
  });
});
