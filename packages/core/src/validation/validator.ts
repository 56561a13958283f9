import type { Ajv, ValidateFunction } from 'ajv';
import type { TSchema } from '../contract/schema.js';
import type { Problem } from '../errors.js';
import { describeErrors } from './messages.js';
import {
  compileShared,
  errorsOf,
  makeAjv,
  partsOf,
  withFieldsApart,
  withoutShared,
} from './shared-schemas.js';

let plainAjv: Ajv | undefined;
let fillingAjv: Ajv | undefined;

/** Validators by schema: several hosts in one process share what was compiled. */
const validators = new WeakMap<TSchema, Validator>();

/** Checks values against one schema; the schema is compiled when it is first needed. */
export interface Validator {
  /**
   * Compiles a part of the schema for {@link check} now, which takes as long as many checks.
   *
   * @returns whether that was still to be done; `false` once all parts are ready
   */
  prepare(): boolean;
  /** Every problem of a value, none when it is valid. `base` is the JSON pointer of the value. */
  check(value: unknown, base?: string): Problem[];
  /** Like `check`, and fills in the schema's defaults in place. */
  fill(value: unknown, base?: string): Problem[];
}

/** The validator of a schema; the same one for the same schema. */
export function createValidator(schema: TSchema): Validator {
  let validator = validators.get(schema);
  if (validator === undefined) validators.set(schema, (validator = makeValidator(schema)));
  return validator;
}

function makeValidator(schema: TSchema): Validator {
  let plain: ValidateFunction | undefined;
  let filling: ValidateFunction | undefined;
  // Each field of an object is compiled on its own: a large schema as a whole would hold up everybody.
  const parts = partsOf(schema);
  let ready = 0;
  const compile = (): ValidateFunction =>
    (plain ??= (plainAjv ??= makeAjv(false)).compile(withoutShared(schema, parts)));
  return {
    prepare() {
      if (plain === undefined) {
        compile();
        return true;
      }
      for (let part = parts[ready]; part !== undefined; part = parts[ready]) {
        ready += 1;
        if (compileShared(part)) return true;
      }
      return false;
    },
    check: (value, base = '') => run(compile(), value, base),
    fill(value, base = '') {
      filling ??= (fillingAjv ??= makeAjv(true)).compile(withFieldsApart(schema));
      return run(filling, value, base);
    },
  };
}

function run(validate: ValidateFunction, value: unknown, base: string): Problem[] {
  if (validate(value)) return [];
  return describeErrors((validate.errors ?? []).flatMap(errorsOf), base);
}
