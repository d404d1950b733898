import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { ConfigurationError } from '../core/errors.js';
import type { OptionsPlace } from '../options/type-options-book.js';
import { FeatureTypes } from './feature-types.js';
import { QueueInstances } from './queue-instances.js';
import { QUEUE_NAME } from './tokens.js';

/** Nest does not export the type of what its discovery returns. */
type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** Settings of types and the feature module that they stand in. */
export interface FoundFeatureTypes {
  readonly types: FeatureTypes['types'];
  readonly place: OptionsPlace;
}

/**
 * Finds what `DelayQueueModule.forFeature` was given, anywhere in the application.
 *
 * Found, and not injected: so it is there before the first provider is made that could schedule something, and in whatever
 * order the modules are made.
 */
@Injectable()
export class FeatureTypesFinder {
  constructor(
    @Inject(QUEUE_NAME) private readonly queue: string,
    private readonly discovery: DiscoveryService,
    private readonly modules: ModulesContainer,
    private readonly queues: QueueInstances,
  ) {}

  /**
   * The settings for the types of this queue.
   *
   * @throws ConfigurationError when a feature module names a queue that is not there.
   */
  find(): readonly FoundFeatureTypes[] {
    return this.discovery.getProviders().flatMap((wrapper) => {
      const features: unknown = wrapper.instance;
      if (!(features instanceof FeatureTypes)) return [];
      const place = this.placeOf(wrapper);
      this.assertQueueExists(features.queue, place);
      return features.queue === this.queue ? [{ types: features.types, place }] : [];
    });
  }

  private assertQueueExists(queue: string, { name: place }: OptionsPlace): void {
    const { names } = this.queues;
    if (names.includes(queue)) return;
    throw new ConfigurationError('queue', `${place} names the queue '${queue}', but there is only ${names.join(', ')}`);
  }

  /** The modules that import the feature module are those whose author wrote the options. */
  private placeOf({ host }: ProviderWrapper): OptionsPlace {
    const importers = [...this.modules.values()].filter(({ imports }) => host !== undefined && imports.has(host));
    const names = importers.map(({ name }) => name).join(', ');
    return { path: `forFeature(${names}).types`, name: `forFeature of ${names === '' ? 'an unknown module' : names}` };
  }
}
