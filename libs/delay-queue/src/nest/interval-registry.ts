import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';

/** What the queue uses of the `SchedulerRegistry` of `@nestjs/schedule`. */
export interface IntervalRegistry {
  doesExist(type: 'interval', name: string): boolean;
  addInterval(name: string, interval: NodeJS.Timeout): void;
  deleteInterval(name: string): void;
}

/**
 * Finds the application's `SchedulerRegistry`, if it has one.
 *
 * It is looked up by its name: `@nestjs/schedule` is an optional peer, which must not be imported where it is missing, and
 * of which an application may have another copy than this library would import.
 */
@Injectable()
export class IntervalRegistryFinder {
  constructor(private readonly discovery: DiscoveryService) {}

  find(): IntervalRegistry | undefined {
    const wrapper = this.discovery
      .getProviders()
      .find(({ token, instance }) => isNamedRegistry(token) && isIntervalRegistry(instance));
    return wrapper?.instance as IntervalRegistry | undefined;
  }
}

function isNamedRegistry(token: unknown): boolean {
  return typeof token === 'function' && token.name === 'SchedulerRegistry';
}

function isIntervalRegistry(instance: unknown): instance is IntervalRegistry {
  if (typeof instance !== 'object' || instance === null) return false;
  const candidate = instance as Partial<Record<keyof IntervalRegistry, unknown>>;
  return [candidate.doesExist, candidate.addInterval, candidate.deleteInterval].every(
    (method) => typeof method === 'function',
  );
}
