import { Ajv, type ValidateFunction } from 'ajv';
import type { TSchema } from '../contract/schema.js';
import type { Problem } from '../errors.js';
import { describeErrors } from './messages.js';

let plainAjv: Ajv | undefined;
let fillingAjv: Ajv | undefined;

/** Validators by schema: several hosts in one process share what was compiled. */
const validators = new WeakMap<TSchema, Validator>();

/** Checks values against one schema; the schema is compiled when it is first needed. */
export interface Validator {
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
  return {
    check(value, base = '') {
      plain ??= (plainAjv ??= makeAjv(false)).compile(schema);
      return run(plain, value, base);
    },
    fill(value, base = '') {
      filling ??= (fillingAjv ??= makeAjv(true)).compile(schema);
      return run(filling, value, base);
    },
  };
}

function makeAjv(useDefaults: boolean): Ajv {
  return new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    useDefaults,
    addUsedSchema: false,
    logger: false,
    // Schemas are ours and tested; checking them and optimizing the code would cost more than half of the start.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
}

function run(validate: ValidateFunction, value: unknown, base: string): Problem[] {
  if (validate(value)) return [];
  return describeErrors(validate.errors ?? [], base);
}
