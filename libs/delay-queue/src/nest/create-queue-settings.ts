import type { QueueSettings } from '../options/queue-settings.js';
import type { FeatureTypesFinder } from './feature-types-finder.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';

/**
 * Completes the settings of the queue by those of feature modules; whoever has them has them complete.
 *
 * @throws ConfigurationError naming the option, and both places when two of them contradict each other.
 */
export async function createQueueSettings(
  { settings }: ResolvedModuleOptions,
  features: FeatureTypesFinder,
): Promise<QueueSettings> {
  for (const { types, place } of features.find()) settings.addTypes(types, place);
  await settings.loadSchemas();
  return settings;
}
