import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { invalid, messageOf } from '../errors.js';
import type { CompileBudget } from '../validation/compile-budget.js';
import { pointerParts } from '../validation/pointer.js';
import { sizeOf } from '../values/json-query-meter.js';
import { onFirstUse } from '../values/library.js';
import { TooMuchWork, WorkMeter } from '../values/work-meter.js';
import { showSource } from './check.js';
import { spendEffort } from './effort.js';
import { jsonSchemaFormats } from './json-schema-formats.js';
import { meteredSchema, STEPS } from './json-schema-meter.js';
import { compileRegex } from './regex.js';

/** What a schema says against a value. */
export interface SchemaProblem {
  /** The place in the value. */
  readonly steps: readonly (string | number)[];
  readonly got: unknown;
  readonly want: string;
}

/** Gives the first problem of a value; `undefined` when it is as its schema says. */
export type SchemaCheck = (value: unknown) => SchemaProblem | undefined;

type AjvClass = new (options: Options) => Ajv;

/** Characters times instructions of a regular expression that are searched in one step. */
const SEARCHED_AT_ONCE = 20;
/** Keywords of OpenAPI, which say nothing about whether a value is valid. */
const NOTES = ['example', 'xml', 'externalDocs', 'discriminator'];

const draft2019 = onFirstUse<{ readonly Ajv2019: AjvClass }>('ajv/dist/2019');
const draft2020 = onFirstUse<{ readonly Ajv2020: AjvClass }>('ajv/dist/2020');
const meter = new WorkMeter();

type Dialect = '07' | '2019' | '2020';
const validators = new Map<Dialect, Ajv>();

/**
 * Compiles a JSON Schema: draft 2020-12, or what its `$schema` names of drafts 6, 7 and 2019-09. Regular expressions are
 * RE2, so that none takes long, and validating one value takes a bounded number of steps.
 *
 * @throws invalid when it is no schema, refers to another document, or is too large for the budget
 */
export function compileJsonSchema(source: unknown, budget: CompileBudget): SchemaCheck {
  if (typeof source === 'boolean') return (value) => (source ? undefined : problemAt([], value, 'nothing'));
  const { schema, dialect, size } = meteredSchema(source);
  budget.addSchema(size);
  const ajv = validatorFor(dialect);
  let validate: ValidateFunction;
  currentBudget = budget;
  // The schema itself is checked against the schema of its dialect.
  meter.start(() => Number.MAX_SAFE_INTEGER);
  try {
    validate = ajv.compile(schema);
  } catch (thrown) {
    throw invalid(`JSON Schema ${showSource(source)} is not valid: ${messageOf(thrown)}`);
  } finally {
    currentBudget = undefined;
    ajv.removeSchema(schema);
    // As it has no name it is kept by the empty one, under which "#" is found.
    ajv.removeSchema('');
  }
  return (value) => check(validate, value);
}

function check(validate: ValidateFunction, value: unknown): SchemaProblem | undefined {
  meter.start(() => sizeOf(value));
  try {
    const isValid = validate(value);
    spendEffort(meter.taken);
    return isValid ? undefined : describe(validate.errors ?? [], value);
  } catch (thrown) {
    spendEffort(meter.taken);
    if (thrown instanceof TooMuchWork)
      return problemAt([], value, 'a value that its schema is checked against in fewer steps');
    if (thrown instanceof RangeError)
      return problemAt([], value, 'a value that is not nested so deep for its schema');
    throw thrown;
  } finally {
    validate.errors = null;
  }
}

/** Counts a part of a schema that is gone into; the keyword stands first in every part. */
function countSteps(weight: number): boolean {
  meter.spend(weight);
  return true;
}

/** The budget of the schema that is being compiled: the library asks for its regular expressions meanwhile. */
let currentBudget: CompileBudget | undefined;

function regExp(source: string): { test(text: string): boolean; toString(): string } {
  const regex = compileRegex(source, { budget: currentBudget });
  return {
    test(text) {
      meter.spend(1 + (Math.min(text.length, regex.window) * regex.size) / SEARCHED_AT_ONCE);
      return regex.test(text);
    },
    // The library takes two expressions for one when they are the same as a text.
    toString: () => `/${source}/`,
  };
}
// The library writes this into code for who compiles ahead of time, which nobody does.
regExp.code = 'regExp';

function validatorFor(dialect: Dialect): Ajv {
  let ajv = validators.get(dialect);
  if (ajv === undefined) {
    const AjvClass =
      dialect === '2020' ? draft2020().Ajv2020 : dialect === '2019' ? draft2019().Ajv2019 : Ajv;
    ajv = new AjvClass({
      strict: true,
      strictTypes: false,
      strictTuples: false,
      strictRequired: false,
      allowUnionTypes: true,
      logger: false,
      // Optimized code is no faster to run, and takes twice as long to make.
      code: { regExp, optimize: false },
      formats: jsonSchemaFormats(regExp),
    });
    // The library's own compares each two elements, which takes the square of a list's length.
    ajv.removeKeyword('uniqueItems');
    ajv.addKeyword({
      keyword: 'uniqueItems',
      type: 'array',
      schemaType: 'boolean',
      errors: false,
      error: { message: 'must NOT have duplicate items' },
      validate: (wanted: boolean, list: readonly unknown[]) => !wanted || isUnique(list),
    });
    ajv.addKeyword({
      keyword: STEPS,
      schemaType: 'number',
      before: 'not',
      errors: false,
      validate: countSteps,
    });
    for (const keyword of NOTES) ajv.addKeyword(keyword);
    validators.set(dialect, ajv);
  }
  return ajv;
}

function isUnique(list: readonly unknown[]): boolean {
  const texts = new Set<string>();
  for (const element of list) {
    meter.spend(sizeOf(element));
    const text = sortedText(element);
    if (texts.has(text)) return false;
    texts.add(text);
  }
  return true;
}

/** A text that is the same for values that are equal, whatever the order of their members. */
function sortedText(value: unknown): string {
  return (
    JSON.stringify(value, (_name, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))
        : inner,
    ) ?? ''
  );
}

/** The library gives the errors of branches before that of the union around them; the last one is what counts. */
function describe(errors: readonly ErrorObject[], value: unknown): SchemaProblem {
  const error = errors.at(-1);
  if (error === undefined) return problemAt([], value, 'what its schema says');
  const steps = stepsTo(value, pointerParts(error.instancePath));
  const params = error.params as Readonly<Record<string, unknown>>;
  if (error.keyword === 'required')
    return problemAt([...steps, String(params['missingProperty'])], value, 'something there');
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties') {
    const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
    return problemAt([...steps, name], value, 'nothing there');
  }
  if (error.keyword === 'enum')
    return problemAt(steps, value, `one of ${showSource(params['allowedValues'])}`);
  if (error.keyword === 'const') return problemAt(steps, value, showSource(params['allowedValue']));
  if (error.keyword === 'pattern')
    return problemAt(steps, value, `a match of ${showSource(params['pattern'])}`);
  if (error.keyword === 'format') return problemAt(steps, value, `the format ${String(params['format'])}`);
  const words = (error.message ?? 'must be as its schema says')
    .replace(/^must (?:be|have) /, '')
    .replace(/^must NOT (?:be|have) /, 'not ')
    .replace(/^must /, 'to ');
  return problemAt(steps, value, words);
}

function stepsTo(value: unknown, names: readonly string[]): (string | number)[] {
  let here = value;
  return names.map((name) => {
    const step = Array.isArray(here) ? Number(name) : name;
    here = inside(here, step);
    return step;
  });
}

function problemAt(steps: readonly (string | number)[], value: unknown, want: string): SchemaProblem {
  return { steps, got: steps.reduce(inside, value), want };
}

function inside(value: unknown, step: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Readonly<Record<string | number, unknown>>)[step]
    : undefined;
}
