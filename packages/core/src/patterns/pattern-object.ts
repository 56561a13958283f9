import { invalid } from '../errors.js';
import { isObject } from '../validation/pointer.js';
import { all, always, ANY, negated, oneOf, show, showSource, type Check } from './check.js';
import { DATE_FIELDS, dateCheck } from './date-checks.js';
import { eachCheck, jsonFieldCheck, lengthCheck, someCheck, unfit } from './json-checks.js';
import { jsonSchemaCheck } from './json-schema-check.js';
import { NUMBER_FIELDS, numberCheck, sameNumberCheck } from './number-checks.js';
import type { PatternSettings } from './pattern-settings.js';
import { jsonPathCheck, xpathCheck } from './query-checks.js';
import { sameAsCheck } from './same-as-check.js';
import { containsCheck, exactCheck, globCheck, prefixCheck, regexCheck, suffixCheck } from './text-checks.js';

const MAX_DEPTH = 32;

/** Compiles the value of a field, as deep in the pattern as it stands. */
type Make = (value: unknown, settings: PatternSettings, depth: number) => Check;

/** A field whose value is a text. */
function text(name: string, make: (wanted: string, settings: PatternSettings) => Check): Make {
  return (value, settings) => {
    if (typeof value !== 'string') throw unfit(name, value, 'a text');
    return make(value, settings);
  };
}

/** A field that can only be true. */
function flag(name: string, check: Check): Make {
  return (value) => {
    if (value !== true) throw invalid(`pattern field "${name}" can only be true; leave it out otherwise`);
    return check;
  };
}

/** A field whose value is a list of patterns. */
function list(name: string, join: (checks: readonly Check[]) => Check): Make {
  return (value, settings, depth) => {
    if (!Array.isArray(value) || value.length === 0) {
      throw invalid(`pattern field "${name}" must be a list of patterns with at least one element`);
    }
    settings.budget.addAlternatives(value.length);
    return join(value.map((source) => compileCheck(source, settings, depth + 1)));
  };
}

/** A field whose value is a pattern. */
function nested(make: (inner: Check) => Check): Make {
  return (value, settings, depth) => make(compileCheck(value, settings, depth + 1));
}

function* never(): Generator<undefined, boolean> {
  return false;
}

/** A field that holds a query and a pattern for what it finds. */
function query(make: (value: unknown, compileInner: (source: unknown) => Check) => Check): Make {
  return (value, settings, depth) => make(value, (source) => compileCheck(source, settings, depth + 1));
}

/** What each field of a pattern object makes. */
const FIELDS: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['equals', text('equals', exactCheck)],
  ['contains', text('contains', containsCheck)],
  ['prefix', text('prefix', prefixCheck)],
  ['suffix', text('suffix', suffixCheck)],
  ['regex', text('regex', regexCheck)],
  ['any_of', list('any_of', oneOf)],
  ['all_of', list('all_of', all)],
  ['not', nested(negated)],
  [
    'present',
    flag('present', { present: () => true, inPieces: always, absent: false, every: true, words: 'present' }),
  ],
  ['absent', flag('absent', { present: () => false, inPieces: never, absent: true, words: 'absent' })],
  ...NUMBER_FIELDS.map((name): [string, Make] => [name, (value) => numberCheck(name, value)]),
  ...DATE_FIELDS.map((name): [string, Make] => [name, (value, settings) => dateCheck(name, value, settings)]),
  [
    'length',
    (value, settings, depth) =>
      lengthCheck(
        typeof value === 'number' ? sameNumberCheck(value) : compileCheck(value, settings, depth + 1),
      ),
  ],
  ['same_as', sameAsCheck],
  ['json', jsonFieldCheck],
  ['each', nested(eachCheck)],
  ['some', nested(someCheck)],
  ['json_schema', jsonSchemaCheck],
  ['json_path', query(jsonPathCheck)],
  ['xpath', query(xpathCheck)],
]);

/** The fields of pattern objects. */
export const PATTERN_FIELDS: readonly string[] = [...FIELDS.keys()];

/** Compiles a pattern of any form. @throws invalid */
export function compileCheck(source: unknown, settings: PatternSettings, depth = 0): Check {
  if (source === undefined || source === '') return ANY;
  if (typeof source === 'string') {
    return source.startsWith('re:') ? regexCheck(source.slice(3), settings) : globCheck(source, settings);
  }
  if (!isObject(source)) {
    throw invalid(
      `${showSource(source)} is not a pattern; use a text, or an object with ${PATTERN_FIELDS.join(', ')}`,
    );
  }
  if (depth >= MAX_DEPTH) throw invalid(`pattern is nested deeper than ${MAX_DEPTH} levels`);
  const fields = Object.entries(source).filter(([, value]) => value !== undefined);
  if (fields.length === 0) {
    throw invalid(`pattern is an empty object; give one of ${PATTERN_FIELDS.join(', ')}`);
  }
  const makers = fields.map(([name, value]) => {
    const make = FIELDS.get(name);
    if (make === undefined) {
      throw invalid(`pattern has an unknown field ${show(name)}; known are ${PATTERN_FIELDS.join(', ')}`);
    }
    return { place: PATTERN_FIELDS.indexOf(name), make, value };
  });
  // In one order however they were written, for the words.
  makers.sort((a, b) => a.place - b.place);
  return all(makers.map(({ make, value }) => make(value, settings, depth)));
}
