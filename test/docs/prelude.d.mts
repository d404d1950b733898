/** Names that the snippets of the documents use and leave to the reader's imagination; compiled with them. */
import type * as jest from '@jest/globals';
import type { CanActivate, NestInterceptor, Type } from '@nestjs/common';
import type {
  DelayedTask,
  DelayQueueAdmin,
  DelayQueueEvents,
  DelayQueueProducer,
  IdempotencyService,
} from 'nestjs-delay-queue';

/** A request as express has it, in place of the global one. */
export interface Request {
  readonly headers: Readonly<Record<string, string>>;
}

declare global {
  // What test runners give to tests.
  const afterEach: typeof jest.afterEach;
  const beforeEach: typeof jest.beforeEach;
  const expect: typeof jest.expect;
  const it: typeof jest.it;

  const AppModule: Type;
  const OrderTimeoutHandler: Type;
  const ReportHandler: Type;
  const ReportsService: Type;
  const delayQueue: DelayQueueProducer;
  const admin: DelayQueueAdmin;
  const queueEvents: DelayQueueEvents;
  const idempotency: IdempotencyService;
  const payments: PaymentsGateway;
  const orderId: string;

  const TenantIsActiveGuard: Type<CanActivate>;
  const TimingInterceptor: Type<NestInterceptor>;

  class OrdersService {
    place(orderId: string): Promise<void>;
    statusOf(orderId: string): string;
  }

  class OrderTimeoutDto {
    readonly orderId: string;
  }

  /** Names the tenant of a task. */
  function tenantOf(task: DelayedTask<string>): string;

  /** A transaction of Prisma, and its client. */
  interface PrismaTransaction {
    $queryRawUnsafe(sql: string, ...parameters: unknown[]): PromiseLike<unknown>;
    $executeRawUnsafe(sql: string, ...parameters: unknown[]): PromiseLike<number>;
    readonly order: { create(args: { readonly data: object }): Promise<unknown> };
  }
  const prisma: PrismaTransaction & {
    $transaction<T>(work: (tx: PrismaTransaction) => Promise<T>): Promise<T>;
  };

  class PaymentsGateway {
    /** Charges an order, and answers the number of the receipt. */
    charge(orderId: string): Promise<string>;
  }
}

declare module 'nestjs-delay-queue' {
  interface DelayedTasks {
    charge: { orderId: string };
    send_mail: { to: string; language: string };
  }
}
