import { invalid, messageOf } from '../errors.js';
import { compileRegex, type Regex } from '../patterns/regex.js';
import { meterQuery, sizeOf } from './json-query-meter.js';
import type { JsonP3, FilterFunction, QueryEnvironment } from './json-p3.js';
import { onFirstUse } from './library.js';
import { TooMuchWork, WorkMeter, type Found } from './work-meter.js';

/** A compiled JSONPath (RFC 9535). */
export interface JsonQuery {
  readonly source: string;
  /** Whether it names at most one place, such as `$.items[0].id` (RFC 9535, section 2.3.5.1). */
  readonly isSingular: boolean;
  /** Finds values; one that is nested too deep, or takes too long to search, holds nothing and there is a problem. */
  find(value: unknown): Found<unknown>;
}

const MAX_SOURCE_LENGTH = 2_000;
/** Steps of compiling a regular expression, which a value may bring: a tenth of a millisecond. */
const REGEX_STEPS = 1_000;
/** Characters times instructions of a regular expression that are searched in one step. */
const SEARCHED_AT_ONCE = 20;

const library = onFirstUse<JsonP3>('json-p3');
const meter = new WorkMeter();
let environment: QueryEnvironment | undefined;

/**
 * Compiles a JSONPath. Its `match()` and `search()` take regular expressions in RE2 syntax, whose time is linear.
 *
 * @throws invalid for what is no JSONPath, and beyond 2,000 characters
 */
export function compileJsonQuery(source: string): JsonQuery {
  if (source.length > MAX_SOURCE_LENGTH) {
    throw invalid(
      `JSONPath of ${source.length} characters is too long; at most ${MAX_SOURCE_LENGTH} are allowed`,
    );
  }
  const query = compile(source);
  meterQuery(query, meter, library());
  return {
    source,
    isSingular: query.singularQuery(),
    find(value) {
      meter.start(() => sizeOf(value));
      try {
        const values: unknown[] = [];
        for (const node of query.lazyQuery(value)) values.push(node.value);
        return { values, problem: undefined, work: meter.taken };
      } catch (thrown) {
        return { values: [], problem: problemOf(thrown), work: meter.taken };
      }
    },
  };
}

function compile(source: string): ReturnType<QueryEnvironment['compile']> {
  environment ??= makeEnvironment();
  try {
    return environment.compile(source);
  } catch (thrown) {
    const hint = source.startsWith('$') ? '' : '; it begins with $, as in $.items[0].id';
    const why = thrown instanceof RangeError ? 'it is nested too deep' : messageOf(thrown);
    throw invalid(`JSONPath ${JSON.stringify(shorten(source))} cannot be read: ${why}${hint}`);
  }
}

function makeEnvironment(): QueryEnvironment {
  const { JSONPathEnvironment, FunctionExpressionType: Kind } = library();
  const made = new JSONPathEnvironment();
  const add = (name: string, pattern: (source: string) => string): void => {
    const call = regexCall(pattern);
    made.functionRegister.set(name, {
      argTypes: [Kind.ValueType, Kind.ValueType],
      returnType: Kind.LogicalType,
      call,
    });
  };
  add('match', (source) => `^(?:${source})$`);
  add('search', (source) => source);
  return made;
}

/** `match()` and `search()`: false for what is no text, and for a pattern that is none (RFC 9535, sections 2.4.6 and 7). */
function regexCall(pattern: (source: string) => string): FilterFunction['call'] {
  return (text, source) => {
    if (typeof text !== 'string' || typeof source !== 'string') return false;
    const regex = regexOf(pattern(dotsOf(source)));
    if (regex === undefined) return false;
    meter.spend(1 + (Math.min(text.length, regex.window) * regex.size) / SEARCHED_AT_ONCE);
    return regex.test(text);
  };
}

/** The expressions of the newest patterns; `undefined` for a pattern that is none. */
const regexes = new Map<string, Regex | undefined>();
const MAX_REGEXES = 100;

function regexOf(source: string): Regex | undefined {
  if (regexes.has(source)) return regexes.get(source);
  meter.spend(REGEX_STEPS + source.length);
  let regex: Regex | undefined;
  try {
    regex = compileRegex(source);
  } catch {
    regex = undefined;
  }
  if (regexes.size >= MAX_REGEXES) regexes.clear();
  regexes.set(source, regex);
  return regex;
}

/** In RFC 9485 a dot matches neither a line feed nor a carriage return. */
function dotsOf(source: string): string {
  return source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (part) => (part === '.' ? '[^\\n\\r]' : part));
}

function problemOf(thrown: unknown): string {
  if (thrown instanceof TooMuchWork) return 'takes too long on a value of this size';
  if (thrown instanceof RangeError) return 'meets a value that is nested too deep';
  throw thrown;
}

function shorten(source: string): string {
  return source.length > 200 ? `${source.slice(0, 200)}...` : source;
}
