import type { PayloadCheck } from '../task/payload-check.js';
import { classCheck } from './class-check.js';
import { loadClassPackages } from './class-packages.js';
import { isStandardSchema, type PayloadClass, type PayloadSchema } from './payload-schema.js';
import { standardSchemaCheck } from './standard-schema-check.js';

/** Turns schemas into checks. Those of classes must be loaded first, since the packages they need are optional. */
export class PayloadChecks {
  private readonly loaded = new Map<PayloadClass, PayloadCheck>();

  /**
   * Makes ready what a schema needs.
   *
   * @param field the option that names the schema, for the error.
   * @throws ConfigurationError when a package is missing, or a class has no rules.
   */
  async load(schema: PayloadSchema, field: string): Promise<void> {
    if (isStandardSchema(schema) || this.loaded.has(schema)) return;
    this.loaded.set(schema, classCheck(schema, await loadClassPackages(field), field));
  }

  /** The check of a schema. */
  of(schema: PayloadSchema): PayloadCheck {
    if (isStandardSchema(schema)) return standardSchemaCheck(schema);
    const check = this.loaded.get(schema);
    if (check === undefined) throw new Error(`The schema ${schema.name} has not been loaded.`);
    return check;
  }
}
