import { Controller, Inject, Injectable, Module, type ModuleMetadata, Scope } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { type DiscoveredHandler, HandlerExplorer } from './handler-explorer.js';
import { HandlerMetadataAccessor } from './handler-metadata-accessor.js';
import { OnDelayedTask } from './on-delayed-task.decorator.js';
import { QUEUE_LOGGER, QUEUE_NAME } from './tokens.js';

@Injectable()
class Orders {
  readonly greeting = 'orders';

  @OnDelayedTask('order_timeout')
  onTimeout(payload: unknown): string {
    return `${this.greeting} ${String(payload)}`;
  }

  get dangerous(): never {
    throw new Error('a getter must not run');
  }

  @OnDelayedTask('order_reminder')
  remind(): void {}
}

@Injectable()
class SpecialOrders extends Orders {
  @OnDelayedTask('special_timeout')
  override onTimeout(): string {
    return 'special';
  }
}

@Controller()
class OrdersController extends Orders {}

interface Explored {
  readonly found: readonly DiscoveredHandler[];
  readonly warnings: readonly string[];
}

async function explore(metadata: ModuleMetadata): Promise<Explored> {
  const warnings: string[] = [];
  const logger = { log: () => undefined, warn: (line: string) => warnings.push(line), error: () => undefined };
  const module = await Test.createTestingModule({
    ...metadata,
    imports: [DiscoveryModule, ...(metadata.imports ?? [])],
    providers: [
      HandlerMetadataAccessor,
      HandlerExplorer,
      { provide: QUEUE_LOGGER, useValue: logger },
      { provide: QUEUE_NAME, useValue: 'default' },
      ...(metadata.providers ?? []),
    ],
  }).compile();
  return { found: module.get(HandlerExplorer).explore(), warnings };
}

function summary({ found }: Explored): readonly string[] {
  return found.map(({ name, declaration }) => `${declaration.type} by ${name}`);
}

const ORDERS = ['order_timeout by Orders.onTimeout', 'order_reminder by Orders.remind'];

describe('HandlerExplorer', () => {
  it('C40 finds the methods of class providers, with their instance', async () => {
    const explored = await explore({ providers: [Orders] });
    expect(summary(explored)).toEqual(ORDERS);
    const [handler] = explored.found;
    if (handler === undefined) throw new Error('no handler');
    expect(handler.method.call(handler.instance, '7')).toBe('orders 7');
    expect(handler.moduleName).toBe('RootTestModule');
  });

  it('C40 finds useValue and useFactory providers, and controllers', async () => {
    expect(summary(await explore({ providers: [{ provide: 'V', useValue: new Orders() }] }))).toEqual(ORDERS);
    expect(summary(await explore({ providers: [{ provide: 'F', useFactory: () => new Orders() }] }))).toEqual(ORDERS);
    expect(summary(await explore({ providers: [{ provide: 'C', useClass: Orders }] }))).toEqual(ORDERS);
    expect(summary(await explore({ controllers: [OrdersController] }))).toEqual([
      'order_timeout by OrdersController.onTimeout',
      'order_reminder by OrdersController.remind',
    ]);
  });

  it('C40 finds inherited methods, and overridden ones once', async () => {
    expect(summary(await explore({ providers: [SpecialOrders] }))).toEqual([
      'special_timeout by SpecialOrders.onTimeout',
      'order_reminder by SpecialOrders.remind',
    ]);
  });

  it('C40 counts an instance once, whatever aliases and tokens it has, and however often its module is imported', async () => {
    const shared = new Orders();
    @Module({ providers: [{ provide: Orders, useValue: shared }], exports: [Orders] })
    class OrdersModule {}
    @Module({ imports: [OrdersModule] })
    class First {}
    @Module({ imports: [OrdersModule, First] })
    class Second {}
    const explored = await explore({
      imports: [OrdersModule, First, Second],
      providers: [
        { provide: 'ALIAS', useExisting: Orders },
        { provide: 'SAME', useFactory: (orders: Orders) => orders, inject: [Orders] },
        { provide: 'VALUE', useValue: shared },
      ],
    });
    expect(summary(explored)).toEqual(ORDERS);
  });

  it('C40 keeps two instances of one class apart, so that two handlers of one type are seen', async () => {
    const explored = await explore({ providers: [Orders, { provide: 'SECOND', useClass: Orders }] });
    expect(summary(explored)).toEqual([...ORDERS, ...ORDERS]);
  });

  it('passes over providers that are not instances of classes', async () => {
    const values: unknown[] = [
      null,
      undefined,
      7,
      'text',
      Object.create(null),
      {},
      [],
      () => 1,
      Orders,
      new Map(),
      new Date(),
    ];
    const providers = values.map((useValue, index) => ({ provide: `VALUE_${index}`, useValue }));
    expect(summary(await explore({ providers }))).toEqual([]);
  });

  it('warns of an override that has lost its decorator', async () => {
    @Injectable()
    class Silent extends Orders {
      override remind(): void {}
    }
    const explored = await explore({ providers: [Silent] });
    expect(summary(explored)).toEqual(['order_timeout by Silent.onTimeout']);
    expect(explored.warnings).toEqual([
      "Silent.remind overrides a handler of 'order_reminder' and has no @OnDelayedTask of its own: it handles nothing.",
    ]);
  });

  it('C41 finds handlers of classes that are made anew, whose constructors have not run', async () => {
    let made = 0;
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      constructor() {
        made++;
      }

      @OnDelayedTask('a')
      handle(): void {}
    }
    @Injectable()
    class DependsOnRequest {
      constructor(@Inject(PerRequest) readonly dependency: PerRequest) {
        made++;
      }

      @OnDelayedTask('b')
      handle(): void {}
    }
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient {
      constructor() {
        made++;
      }

      @OnDelayedTask('c')
      handle(): void {}
    }
    const explored = await explore({ providers: [PerRequest, DependsOnRequest, Transient] });
    expect(summary(explored)).toEqual([
      'a by PerRequest.handle',
      'b by DependsOnRequest.handle',
      'c by Transient.handle',
    ]);
    expect(made).toBe(0);
  });

  it('lets request-scoped and transient providers be that handle nothing', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class RequestScoped {
      handle(): void {}
    }
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient {
      handle(): void {}
    }
    expect(summary(await explore({ providers: [RequestScoped, Transient] }))).toEqual([]);
  });
});
