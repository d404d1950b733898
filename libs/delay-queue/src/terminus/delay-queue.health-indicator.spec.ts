import 'reflect-metadata';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { Test, type TestingModule } from '@nestjs/testing';
import { StoreUnavailableError } from '../core/errors.js';
import { DelayQueueHealth } from '../nest/delay-queue-health.js';
import { DelayQueueModule } from '../nest/delay-queue.module.js';
import { DelayQueueHealthIndicator } from './delay-queue.health-indicator.js';

describe('DelayQueueHealthIndicator', () => {
  let app: TestingModule | undefined;

  afterEach(async () => {
    await app?.close();
  });

  it('is found by the injector beside the module, and up on a queue that works', async () => {
    app = await Test.createTestingModule({
      imports: [TerminusModule, DelayQueueModule.forRoot({ embedded: true })],
      providers: [DelayQueueHealthIndicator],
    }).compile();
    await app.init();
    expect(app.get(DelayQueueHealthIndicator).isHealthy()).toMatchObject({
      'delay-queue': { status: 'up', running: 0, stuck: [], warnings: [] },
    });
  });

  it('asks the queue that is named, also where the application has no default one', async () => {
    @Module({ imports: [TerminusModule], providers: [DelayQueueHealthIndicator] })
    class HealthModule {}
    app = await Test.createTestingModule({
      imports: [HealthModule, DelayQueueModule.forRoot({ name: 'reports', embedded: true })],
    }).compile();
    await app.init();
    const indicator = app.get(DelayQueueHealthIndicator);
    expect(indicator.isHealthy('reports', { queue: 'reports' })).toMatchObject({ reports: { status: 'up' } });
    expect(() => indicator.isHealthy('delay-queue')).toThrow('DelayQueueHealth');
  });

  it('is down with the reason, and without a stack, when no store call completes', () => {
    const error = new StoreUnavailableError('not_sent', 'There is no connection to Redis.');
    const report = { status: 'down', sinceCompletedMs: 12_000, error, running: 0, stuck: [], warnings: [] } as const;
    const health = { check: () => report } as unknown as DelayQueueHealth;
    const modules = { get: () => health } as unknown as ModuleRef;
    const indicator = new DelayQueueHealthIndicator(modules, new HealthIndicatorService());
    expect(indicator.isHealthy('queue')).toEqual({
      queue: {
        status: 'down',
        sinceCompletedMs: 12_000,
        running: 0,
        stuck: [],
        warnings: [],
        message: 'StoreUnavailableError: There is no connection to Redis.',
      },
    });
  });
});
