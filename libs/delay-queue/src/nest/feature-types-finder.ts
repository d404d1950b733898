import { Injectable } from '@nestjs/common';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import type { OptionsPlace } from '../options/type-options-book.js';
import { FeatureTypes } from './feature-types.js';

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
    private readonly discovery: DiscoveryService,
    private readonly modules: ModulesContainer,
  ) {}

  find(): readonly FoundFeatureTypes[] {
    return this.discovery.getProviders().flatMap((wrapper) => {
      const features: unknown = wrapper.instance;
      return features instanceof FeatureTypes ? [{ types: features.types, place: this.placeOf(wrapper) }] : [];
    });
  }

  /** The modules that import the feature module are those whose author wrote the options. */
  private placeOf({ host }: ProviderWrapper): OptionsPlace {
    const importers = [...this.modules.values()].filter(({ imports }) => host !== undefined && imports.has(host));
    const names = importers.map(({ name }) => name).join(', ');
    return { path: `forFeature(${names}).types`, name: `forFeature of ${names === '' ? 'an unknown module' : names}` };
  }
}
