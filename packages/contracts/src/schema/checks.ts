import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { compileRegex, jsonSchemaFormats, nextTurn, turns, type ImportFile } from '@backlot/core/plugin';
import { isTree, pointTo, type Tree } from '../shared/values.js';
import { addKeywords } from './keywords.js';
import { Meter, TooCostly } from './meter.js';
import type { References } from './references.js';
import { LINK, translateSchema, type Dialect, type Side } from './translate.js';

/** What a schema does not allow in a value. */
export interface SchemaFault {
  /** A JSON pointer into the value. */
  readonly path: string;
  readonly message: string;
  readonly value: unknown;
}

/** What is said of a value whose check would take longer than others can wait. */
export const UNCHECKED = 'unchecked';

/** What following a reference to a schema costs. */
const STEP = 5;
/** Schemas that are compiled ahead with one. */
const MOST_PREPARED = 2_000;

interface Target {
  readonly schema: unknown;
  readonly document: ImportFile;
  readonly side: Side;
  check: ValidateFunction | undefined;
}

/** What is compiled on the way takes longer than a turn of the event loop. */
class NotYet extends Error {}

/** Where the library says a value is. */
interface Place {
  readonly instancePath: string;
  readonly parentData: never;
  readonly parentDataProperty: string | number;
  readonly rootData: never;
  readonly dynamicAnchors: never;
}

/**
 * Checks values against the schemas of a document. A schema is compiled when a value first meets it, and what it refers to when a value
 * gets there: of a large document that refers to itself everywhere only what is used is compiled.
 */
export class SchemaChecks {
  readonly #references: References;
  readonly #dialect: Dialect;
  readonly #targets: Target[] = [];
  readonly #known: Readonly<Record<Side, Map<unknown, number>>> = { request: new Map(), answer: new Map() };
  readonly #ajv: Ajv2020;
  readonly #formats: ReadonlySet<string>;
  readonly #meter: Meter;
  /** Whether somebody goes on later when compiling takes long. */
  #isPatient = false;
  #compiledNow = 0;

  /** @param meter - one that is shared is restarted by those who share it */
  constructor(references: References, dialect: Dialect, meter = new Meter()) {
    this.#references = references;
    this.#meter = meter;
    this.#dialect = dialect;
    const formats = jsonSchemaFormats(regExp);
    this.#formats = new Set(Object.keys(formats));
    // The first error is enough, and bounds what a hostile value costs.
    this.#ajv = new Ajv2020({
      ...{
        strict: false,
        logger: false,
        allErrors: false,
        meta: false,
        validateSchema: false,
      },
      code: { regExp, optimize: false },
      formats,
    });
    addKeywords(this.#ajv, meter);
    const follow = (number: number, value: unknown, _schema: unknown, place: unknown): boolean => {
      this.#meter.spend(STEP);
      const check = this.#compiled(number);
      const isValid = check(value, place as Place);
      (follow as { errors?: unknown }).errors = isValid ? undefined : check.errors;
      return isValid;
    };
    this.#ajv.addKeyword({ keyword: LINK, schemaType: 'number', errors: true, validate: follow });
  }

  /** The first thing that a schema does not allow in a value; `undefined` when it allows it. See {@link findFurther}. */
  find(
    schema: unknown,
    document: ImportFile,
    side: Side,
    value: unknown,
  ): SchemaFault | typeof UNCHECKED | undefined {
    this.begin();
    return this.findFurther(schema, document, side, value);
  }

  /** Begins with another message: what it may cost is counted anew. */
  begin(): void {
    this.#meter.restart();
  }

  /**
   * As {@link find}, for one of several values of a message, which together may not cost more than one.
   *
   * @returns {@link UNCHECKED} where that would hold up all others for too long
   */
  findFurther(
    schema: unknown,
    document: ImportFile,
    side: Side,
    value: unknown,
  ): SchemaFault | typeof UNCHECKED | undefined {
    if (schema === undefined || schema === true) return undefined;
    const check = this.#compiled(this.#numberOf(schema, document, side));
    try {
      return check(value) ? undefined : describe(check.errors ?? [], value);
    } catch (thrown) {
      if (thrown instanceof TooCostly) return UNCHECKED;
      if (thrown instanceof RangeError)
        return { path: '', message: 'must be nested less deep', value: undefined };
      throw thrown;
    }
  }

  /**
   * Compiles a schema and what it refers to, over several turns of the event loop, for those who cannot wait when a value comes. Of
   * what refers to very much a part is left to the values.
   */
  async prepare(schema: unknown, document: ImportFile, sides: readonly Side[]): Promise<void> {
    if (schema === undefined || schema === true) return;
    for (const side of sides) {
      let next = this.#numberOf(schema, document, side);
      for (const end = next + MOST_PREPARED; next < Math.min(this.#targets.length, end); next += 1) {
        if (turns.areOver()) await nextTurn();
        this.#compiled(next);
      }
    }
  }

  /**
   * Does what asks {@link find}, and does it again after a turn of the event loop when schemas that were not met before take longer
   * to compile than a turn: what was compiled stays.
   *
   * @param work - may be called several times
   */
  inTurns<T>(work: () => T): T | Promise<T> {
    const first = this.#attempt(work);
    return first === undefined ? this.#goOn(work) : first.made;
  }

  async #goOn<T>(work: () => T): Promise<T> {
    for (;;) {
      await nextTurn();
      const made = this.#attempt(work);
      if (made !== undefined) return made.made;
    }
  }

  #attempt<T>(work: () => T): { readonly made: T } | undefined {
    this.#isPatient = true;
    this.#compiledNow = 0;
    try {
      return { made: work() };
    } catch (thrown) {
      if (thrown instanceof NotYet) return undefined;
      throw thrown;
    } finally {
      this.#isPatient = false;
    }
  }

  #compiled(number: number): ValidateFunction {
    const target = this.#targets[number] as Target;
    return (target.check ??= this.#compile(target));
  }

  #compile({ schema, document, side }: Target): ValidateFunction {
    if (this.#isPatient && this.#compiledNow > 0 && turns.areOver()) throw new NotYet();
    this.#compiledNow += 1;
    const translated = translateSchema(schema, document, {
      dialect: this.#dialect,
      side,
      hasFormat: (name) => this.#formats.has(name),
      link: (reference, from) => {
        const { value, document: where } = this.#references.follow({ value: reference, document: from });
        return this.#numberOf(value ?? true, where, side);
      },
      apart: (inner, from) => this.#numberOf(inner, from, side),
    });
    const check = this.#ajv.compile(translated);
    if (isTree(translated)) this.#ajv.removeSchema(translated);
    // What has no name is kept by the empty one.
    this.#ajv.removeSchema('');
    return check;
  }

  #numberOf(schema: unknown, document: ImportFile, side: Side): number {
    const known = this.#known[side].get(schema);
    if (known !== undefined) return known;
    const number = this.#targets.push({ schema, document, side, check: undefined }) - 1;
    this.#known[side].set(schema, number);
    return number;
  }
}

function regExp(source: string): { test(text: string): boolean; toString(): string } {
  const regex = compileRegex(source);
  return { test: (text) => regex.test(text), toString: () => `/${source}/` };
}
// The library writes this into code for who compiles ahead of time, which nobody does.
regExp.code = 'regExp';

const ARTICLES: Readonly<Record<string, string>> = {
  integer: 'an integer',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

function describe(errors: readonly ErrorObject[], whole: unknown): SchemaFault {
  const last = errors.at(-1);
  if (last === undefined) return { path: '', message: 'must be as its schema says', value: whole };
  // Of alternatives the one counts that goes along the farthest.
  const error = /^(any|one)Of$/.test(last.keyword)
    ? errors.reduce((best, one) => (depthOf(one) > depthOf(best) ? one : best), last)
    : last;
  const { instancePath: path } = error;
  const value = valueAt(whole, path);
  const params = error.params as Tree;
  switch (error.keyword) {
    case 'type': {
      const types = [params['type']].flat().map((type) => ARTICLES[String(type)] ?? `a ${String(type)}`);
      return { path, value, message: `must be ${types.join(' or ')}` };
    }
    case 'required':
      return {
        path: pointTo(path, String(params['missingProperty'])),
        value: undefined,
        message: 'must be there',
      };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const member = isTree(value) ? value[name] : undefined;
      return { path: pointTo(path, name), value: member, message: 'must not be there' };
    }
    case 'enum':
      return { path, value, message: `must be one of ${listed(params['allowedValues'])}` };
    case 'const':
      return { path, value, message: `must be ${JSON.stringify(params['allowedValue'])}` };
    case 'format':
      return { path, value, message: `must have the format ${String(params['format'])}` };
    case 'pattern':
      return { path, value, message: `must match ${String(params['pattern'])}` };
    case 'oneOf':
    case 'anyOf': {
      const several = params['passingSchemas'] !== null && params['passingSchemas'] !== undefined;
      return {
        path,
        value,
        message: several ? 'must fit one of the alternatives only' : 'must fit one of the alternatives',
      };
    }
    case 'false schema':
      return { path, value, message: 'must not be there' };
    default:
      return { path, value, message: error.message ?? 'must be as its schema says' };
  }
}

/** What stands at a JSON pointer. */
function valueAt(whole: unknown, path: string): unknown {
  let value = whole;
  for (const step of path.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Tree)[name];
  }
  return value;
}

function depthOf({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length;
}

function listed(values: unknown): string {
  const list = Array.isArray(values) ? (values as unknown[]) : [values];
  const shown = list.slice(0, 20).map((each) => JSON.stringify(each));
  return list.length > 20 ? `${shown.join(', ')} and ${list.length - 20} more` : shown.join(', ');
}
