// Compiled with the rest, so that the compiler has to find the entry points beside the main one.
export type { SqlLedger } from 'nestjs-delay-queue/ledger';
export type { DelayQueueTesting } from 'nestjs-delay-queue/testing';
