import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  Module,
} from '@nestjs/common';
import { ConfigurationError } from '../core/errors.js';
import { composeModule, type ModuleExtras } from './compose-module.js';
import { DelayQueueFeatureModule, type DelayQueueFeatureOptions } from './delay-queue-feature.module.js';
import type { DelayQueueModuleOptions } from './delay-queue-module-options.js';
import { MODULE_OPTIONS } from './tokens.js';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<DelayQueueModuleOptions>({
  optionsInjectionToken: MODULE_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createDelayQueueOptions')
  .setExtras<ModuleExtras>({ isGlobal: true, name: undefined }, composeModule)
  .build();

/** Argument of `DelayQueueModule.forRoot`. */
export type DelayQueueRootOptions = DelayQueueModuleOptions & ModuleExtras;

/** Argument of `DelayQueueModule.forRootAsync`: `imports`, `inject` and `useFactory`, or `useClass`, or `useExisting`. */
export type DelayQueueRootAsyncOptions = ConfigurableModuleAsyncOptions<
  DelayQueueModuleOptions,
  'createDelayQueueOptions'
> &
  ModuleExtras;

/** A class that makes the options, for `useClass` and `useExisting` of `forRootAsync`. */
export interface DelayQueueOptionsFactory {
  createDelayQueueOptions(): DelayQueueModuleOptions | Promise<DelayQueueModuleOptions>;
}

/**
 * A queue of the application: exports `DelayQueueProducer`, `DelayQueueAdmin`, `DelayQueueEvents`, `DelayQueueHealth` and
 * `DelayQueueRunner`, and runs the methods that carry `@OnDelayedTask`.
 *
 * Register it once for each queue; every one but the default has a `name`, and is injected with `@InjectDelayQueue(name)`.
 * Handlers start after every other provider has bootstrapped, and have ended before the first provider
 * is destroyed.
 */
@Module({})
export class DelayQueueModule extends ConfigurableModuleClass {
  /**
   * Registers the queue; the options are checked when the application boots.
   *
   * @throws ConfigurationError when the argument is not an object, or its `name` cannot be one.
   * @example
   * DelayQueueModule.forRoot({ connection: process.env.REDIS_URL, prefix: 'shop' })
   * @example
   * DelayQueueModule.forRoot({ name: 'reports', connection: process.env.REPORTS_REDIS_URL })
   */
  static override forRoot(options: DelayQueueRootOptions): DynamicModule {
    if (typeof options !== 'object' || options === null) throw new ConfigurationError('forRoot', 'needs options');
    return super.forRoot(options);
  }

  /**
   * Registers the queue with options that are made when the application boots; a `name` stands beside what makes them.
   *
   * @throws ConfigurationError when there is nothing that makes the options, or the `name` cannot be one.
   * @example
   * DelayQueueModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ connection: config.get<string>('REDIS_URL') }),
   * })
   */
  static override forRootAsync(options: DelayQueueRootAsyncOptions): DynamicModule {
    const { useFactory, useClass, useExisting } = options ?? {};
    if ([useFactory, useClass, useExisting].every((way) => way === undefined)) {
      throw new ConfigurationError('forRootAsync', 'needs one of useFactory, useClass and useExisting');
    }
    return super.forRootAsync(options);
  }

  /**
   * Sets the options of task types where they belong, in the module of a feature; a process that only schedules imports it
   * too. The queue itself is registered once, by `forRoot`.
   *
   * An option may stand in several places when it says the same in all of them.
   *
   * @throws ConfigurationError when the argument has no `types`; all else is checked when the application boots.
   * @example
   * DelayQueueModule.forFeature({ types: { order_timeout: { schema: OrderTimeoutPayload, partitions: 4 } } })
   */
  static forFeature(options: DelayQueueFeatureOptions): DynamicModule {
    const types: unknown = (options as Partial<DelayQueueFeatureOptions> | undefined)?.types;
    if (typeof types !== 'object' || types === null) throw new ConfigurationError('forFeature', 'needs `types`');
    return DelayQueueFeatureModule.with(options);
  }
}
