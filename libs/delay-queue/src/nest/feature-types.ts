import type { TypesOptions } from '../options/queue-options.js';

/** The settings of task types that a feature module brings along; found by `FeatureTypesFinder`. */
export class FeatureTypes {
  constructor(
    readonly types: TypesOptions,
    /** Name of the queue that they belong to. */
    readonly queue: string,
  ) {}
}
