import { ModuleRef, NestContainer } from '@nestjs/core';
import { ConfigurationError } from '../../core/errors.js';

/** Subclasses of `ModuleRef` may see its container; this one exists to look at those of others. */
abstract class OpenModuleRef extends ModuleRef {
  static containerOf(moduleRef: ModuleRef): unknown {
    return (moduleRef as OpenModuleRef).container;
  }
}

/**
 * The container of the application, which knows the enhancers of the whole application.
 *
 * @throws ConfigurationError when this version of Nest keeps it elsewhere: handlers without the guards that were meant for
 * them must not run.
 */
export function containerOf(moduleRef: ModuleRef): NestContainer {
  const container = OpenModuleRef.containerOf(moduleRef);
  if (container instanceof NestContainer) return container;
  throw new ConfigurationError('@nestjs/core', 'this version does not tell which guards, pipes and filters there are');
}
