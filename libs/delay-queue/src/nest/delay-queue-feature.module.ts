import { type DynamicModule, Module } from '@nestjs/common';
import type { TypesOptions } from '../options/queue-options.js';
import { FeatureTypes } from './feature-types.js';
import { readQueueName } from './queue-name.js';

/** What a feature module says about its own task types. */
export interface DelayQueueFeatureOptions {
  /** Settings by task type, as in `forRoot({ types })`. */
  readonly types: TypesOptions;
  /** Name of the queue that they belong to. @default the queue without a name */
  readonly queue?: string | undefined;
}

/** Carries the settings of one `DelayQueueModule.forFeature`; imports nothing, so it may stand in any module. */
@Module({})
export class DelayQueueFeatureModule {
  static with({ types, queue }: DelayQueueFeatureOptions): DynamicModule {
    // A value, because it must be there before any provider of the application is made.
    return {
      module: DelayQueueFeatureModule,
      providers: [{ provide: FeatureTypes, useValue: new FeatureTypes(types, readQueueName(queue)) }],
    };
  }
}
