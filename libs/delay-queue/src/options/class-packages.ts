import { ConfigurationError } from '../core/errors.js';

/** What class-validator finds wrong with one property. */
export interface ClassValidationError {
  readonly property?: string;
  /** Rule to message. */
  readonly constraints?: Readonly<Record<string, string>>;
  readonly children?: readonly ClassValidationError[];
}

/** The parts of class-transformer and class-validator that are used here. */
export interface ClassPackages {
  toInstance(target: new () => object, plain: object): object;
  validate(instance: object): Promise<readonly ClassValidationError[]>;
  /** Whether any property of the class, or of one that it extends, carries a rule. */
  hasRules(target: new () => object): boolean;
}

/**
 * Loads class-validator and class-transformer, which only those who give a class must have installed.
 *
 * @param field the option that needs them, for the error.
 * @throws ConfigurationError when one of them cannot be loaded.
 */
export async function loadClassPackages(field: string): Promise<ClassPackages> {
  try {
    const [{ plainToInstance }, { validate, getMetadataStorage }] = await Promise.all([
      import('class-transformer'),
      import('class-validator'),
    ]);
    return {
      toInstance: (target, plain) => plainToInstance(target, plain),
      validate: (instance) => validate(instance, { validationError: { target: false, value: false } }),
      hasRules: (target) => getMetadataStorage().getTargetValidationMetadatas(target, '', true, false).length > 0,
    };
  } catch (cause) {
    const problem = 'is a class, which needs two packages: npm install class-validator class-transformer';
    throw new ConfigurationError(field, problem, { cause });
  }
}
