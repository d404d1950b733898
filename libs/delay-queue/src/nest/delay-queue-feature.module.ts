import { type DynamicModule, Module } from '@nestjs/common';
import type { TypesOptions } from '../options/queue-options.js';
import { FeatureTypes } from './feature-types.js';

/** What a feature module says about its own task types. */
export interface DelayQueueFeatureOptions {
  /** Settings by task type, as in `forRoot({ types })`. */
  readonly types: TypesOptions;
}

/** Carries the settings of one `DelayQueueModule.forFeature`; imports nothing, so it may stand in any module. */
@Module({})
export class DelayQueueFeatureModule {
  static with({ types }: DelayQueueFeatureOptions): DynamicModule {
    // A value, because it must be there before any provider of the application is made.
    return {
      module: DelayQueueFeatureModule,
      providers: [{ provide: FeatureTypes, useValue: new FeatureTypes(types) }],
    };
  }
}
