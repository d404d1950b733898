import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  type CanActivate,
  Controller,
  Injectable,
  type ModuleMetadata,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, APP_PIPE, DiscoveryModule, ExternalContextCreator } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { EMPTY, of } from 'rxjs';
import { ConfigurationError } from '../core/errors.js';
import type { DelayedTask } from '../task/delayed-task.js';
import type { TaskHandler } from '../runtime/task-handler.js';
import { HandlerEnhancerReader } from './enhancers/handler-enhancers.js';
import { TaskContext } from './enhancers/task-context.decorator.js';
import { TaskPayload } from './enhancers/task-payload.decorator.js';
import { HandlerExplorer } from './handler-explorer.js';
import { HandlerFactory } from './handler-factory.js';
import { HandlerMetadataAccessor } from './handler-metadata-accessor.js';
import { OnDelayedTask } from './on-delayed-task.decorator.js';
import { QUEUE_LOGGER, QUEUE_NAME } from './tokens.js';

const create = jest.spyOn(ExternalContextCreator.prototype, 'create');
afterEach(() => {
  create.mockClear();
});

@Injectable()
class Guard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

async function handlersOf(metadata: ModuleMetadata): Promise<readonly TaskHandler[]> {
  const logger = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const module = await Test.createTestingModule({
    ...metadata,
    imports: [DiscoveryModule],
    providers: [
      HandlerMetadataAccessor,
      HandlerExplorer,
      HandlerEnhancerReader,
      HandlerFactory,
      { provide: QUEUE_LOGGER, useValue: logger },
      { provide: QUEUE_NAME, useValue: 'default' },
      ...(metadata.providers ?? []),
    ],
  }).compile();
  const factory = module.get(HandlerFactory);
  return module
    .get(HandlerExplorer)
    .explore()
    .map((handler) => factory.create(handler));
}

async function handlerOf(metadata: ModuleMetadata): Promise<TaskHandler> {
  const [handler] = await handlersOf(metadata);
  if (handler === undefined) throw new Error('no handler');
  return handler;
}

async function expectRefused(metadata: ModuleMetadata, message: string): Promise<void> {
  const error: unknown = await handlersOf(metadata).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as ConfigurationError).message).toContain(message);
}

const task = { id: 'x', payload: { orderId: '1' }, headers: {} } as unknown as DelayedTask<string>;

describe('HandlerFactory', () => {
  it('C43 calls a handler without enhancers directly, with nothing made for it', async () => {
    const returned = Promise.resolve();
    const seen: unknown[] = [];
    @Injectable()
    class Handler {
      @OnDelayedTask('t')
      handle(...args: unknown[]): unknown {
        seen.push(this, ...args);
        return returned;
      }
    }
    const instance = new Handler();
    const handler = await handlerOf({
      providers: [
        { provide: Handler, useValue: instance },
        // It acts on decorated parameters only.
        { provide: APP_PIPE, useValue: new ValidationPipe() },
      ],
    });
    expect(handler).toMatchObject({ type: 't', name: 'Handler.handle' });
    expect(handler.run(task)).toBe(returned);
    expect(seen).toEqual([instance, task.payload, task]);
    expect(seen[1]).toBe(task.payload);
    expect(create).not.toHaveBeenCalled();
  });

  it('C43 makes what an enhanced handler needs once, at boot', async () => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t')
      @UseGuards(Guard)
      handle(@TaskPayload() payload: unknown): unknown {
        return payload;
      }
    }
    const handler = await handlerOf({ providers: [Handler] });
    // One for the parameters, one for the guards.
    expect(create).toHaveBeenCalledTimes(2);
    expect(await handler.run(task)).toBe(task.payload);
    expect(await handler.run(task)).toBe(task.payload);
    expect(create).toHaveBeenCalledTimes(2);
  });

  it('subscribes to an observable, with and without enhancers', async () => {
    class Handler {
      @OnDelayedTask('t')
      several(): unknown {
        return of(1, 2);
      }

      @OnDelayedTask('u')
      none(): unknown {
        return EMPTY;
      }
    }
    const plain = await handlersOf({ providers: [Handler] });
    const guarded = await handlersOf({ providers: [Handler, { provide: APP_GUARD, useClass: Guard }] });
    for (const handlers of [plain, guarded]) {
      expect(await Promise.all(handlers.map((handler) => handler.run(task)))).toEqual([2, undefined]);
    }
  });

  it('C43 refuses enhancers that Nest would silently leave out', async () => {
    class Handler {
      @OnDelayedTask('t')
      @UseGuards(Guard)
      handle(): void {}
    }
    @Controller()
    class GuardedController extends Handler {}
    const problem = 'handle: needs Guard, which Nest makes for providers that are given as a class only';
    await expectRefused({ controllers: [GuardedController] }, `GuardedController.${problem}`);
    await expectRefused({ providers: [{ provide: 'F', useFactory: () => new Handler() }] }, `Handler.${problem}`);
    await expectRefused({ providers: [{ provide: 'V', useValue: new Handler() }] }, `Handler.${problem}`);
  });

  it('C43 refuses handlers that an enhancer of the application cannot be made for', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest extends Guard {}
    class Handler {
      @OnDelayedTask('t')
      handle(): void {}
    }
    const appGuard = { provide: APP_GUARD, useClass: PerRequest };
    await expectRefused(
      { providers: [appGuard, { provide: 'V', useValue: new Handler() }] },
      'Handler.handle: is under PerRequest, which the application makes for each request',
    );
    expect(await handlersOf({ providers: [appGuard, Handler] })).toHaveLength(1);
  });

  it('C43 accepts instances of enhancers anywhere', async () => {
    @Controller()
    class Handler {
      @OnDelayedTask('t')
      @UseGuards(new Guard())
      handle(): string {
        return 'done';
      }
    }
    for (const metadata of [
      { controllers: [Handler] },
      { providers: [{ provide: 'V', useValue: new Handler() }] },
      { providers: [{ provide: 'C', useClass: Handler }] },
    ]) {
      const handler = await handlerOf(metadata);
      expect(await handler.run(task)).toBe('done');
    }
  });

  it.each<[string, () => object]>([
    [
      'pipes of the method',
      () => {
        class Handler {
          @OnDelayedTask('t')
          @UsePipes(new ValidationPipe())
          handle(_payload: unknown): void {}
        }
        return Handler;
      },
    ],
    [
      'pipes of the class',
      () => {
        @UsePipes(new ValidationPipe())
        class Handler {
          @OnDelayedTask('t')
          handle(_payload: unknown): void {}
        }
        return Handler;
      },
    ],
  ])('C43 refuses %s that have no parameter to act on', async (_, declare) => {
    const problem = 'Handler.handle: has pipes, which act on decorated parameters only';
    await expectRefused({ providers: [declare() as never] }, problem);
  });

  it('C43 lets pipes of the class be where a handler has no parameters', async () => {
    @UsePipes(new ValidationPipe())
    class Handler {
      @OnDelayedTask('t')
      handle(): void {}
    }
    expect(await handlersOf({ providers: [Handler] })).toHaveLength(1);
  });

  it('C43 refuses parameters that are said to be decorated, and are not, or not all of them', async () => {
    class Undecorated {
      @OnDelayedTask('t', { parameters: 'decorated' })
      handle(_payload: unknown): void {}
    }
    class Partly {
      @OnDelayedTask('t')
      handle(_payload: unknown, @TaskContext() _task: unknown): void {}
    }
    class None {
      @OnDelayedTask('t', { parameters: 'decorated' })
      handle(): void {}
    }
    await expectRefused({ providers: [Undecorated] }, "Undecorated.handle: has parameters: 'decorated'");
    await expectRefused({ providers: [Partly] }, 'Partly.handle: parameter 1 has no decorator');
    expect(await handlersOf({ providers: [None] })).toHaveLength(1);
  });

  it('C43 makes enhancers that are transient', async () => {
    let made = 0;
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient extends Guard {
      readonly number = ++made;

      override canActivate(): boolean {
        return this.number > 0;
      }
    }
    @Injectable()
    class Handler {
      @OnDelayedTask('t')
      @UseGuards(Transient)
      @UseInterceptors({ intercept: (_context, next) => next.handle() })
      @UseFilters()
      handle(): string {
        return 'done';
      }
    }
    const handler = await handlerOf({ providers: [Handler] });
    expect(await handler.run(task)).toBe('done');
  });
});
