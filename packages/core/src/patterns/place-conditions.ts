import type { Message } from '../contract/message.js';
import type { Miss } from '../contract/matcher.js';
import type { CompileTools, Pointer } from '../contract/tools.js';
import { invalid } from '../errors.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { clip, showSource, type Check } from './check.js';
import { jsonCheck, shapesTogether } from './json-checks.js';
import { withinEffort } from './effort.js';
import { isWide, parseJsonPath, readJsonPath, readJsonPlaces } from './json-path.js';
import { compileShape } from './json-shape.js';
import { patternOf, type Pattern } from './pattern.js';
import { compileCheck, PATTERN_FIELDS } from './pattern-object.js';
import type { PatternSource, PlaceSource } from './pattern-schema.js';
import type { PatternSettings } from './pattern-settings.js';

/** What one place in a value of JSON must hold. */
export interface PlaceCondition {
  /** As it is written. */
  readonly place: string;
  readonly steps: readonly string[];
  /** The place and, for a nested value, those of its members; `*` is any element of a list. */
  readonly all: readonly (readonly string[])[];
  /** Whether everything matches. */
  readonly any: boolean;
  /** The only text that can match, for indexes; `undefined` when there may be several, or several places. */
  readonly exact: string | undefined;
  /** @param root - the whole value; `undefined` when there is none */
  test(root: unknown, message: Message): true | Miss;
}

/** Compiles patterns and values by place; see {@link CompileTools.places}. */
export function compilePlaces(
  source: Readonly<Record<string, PlaceSource>> | undefined,
  at: Pointer,
  label: string,
  attempt: CompileTools['attempt'],
  settings: PatternSettings,
): readonly PlaceCondition[] {
  return Object.entries(source ?? {}).flatMap(([place, wanted]) =>
    attempt<readonly PlaceCondition[]>(pointTo(at, place), [], () => [
      compilePlaceAt(place, parseJsonPath(place), wanted, `${label} ${place}`, settings),
    ]),
  );
}

/** Compiles what must stand at a place that is given by its steps. @throws invalid for what is neither a pattern nor a value */
export function compilePlaceAt(
  place: string,
  steps: readonly string[],
  wanted: PlaceSource,
  label: string,
  settings: PatternSettings,
): PlaceCondition {
  const check = isPatternSource(wanted) ? compileCheck(wanted, settings) : nestedCheck(wanted, settings);
  const pattern = patternOf(check, wanted === '');
  const { any, exact } = pattern;
  const all = [steps, ...membersOf(wanted, steps)];
  if (any) return { place, steps, all, any, exact: undefined, test: () => true };
  if (isWide(steps))
    return { place, steps, all, any, exact: undefined, test: testWide(steps, pattern, label) };
  // Most patterns are one text, and most values are texts.
  const only = pattern.isExact ? exact : undefined;
  return {
    place,
    steps,
    all,
    any,
    exact,
    test(root, message) {
      const value = root === undefined ? undefined : readJsonPath(root, steps);
      if (typeof value === 'string' && value === only) return true;
      return pattern.testValue(value, message) || (() => pattern.reasonOfValue(label, value, message));
    },
  };
}

function testWide(steps: readonly string[], pattern: Pattern, label: string): PlaceCondition['test'] {
  return (root, message) => {
    const values = root === undefined ? [] : readJsonPlaces(root, steps);
    if (values.length === 0 && pattern.testValue(undefined, message)) return true;
    // All of them together may take what the whole value may take.
    if (withinEffort(root, false, () => values.some((value) => pattern.testValue(value, message))))
      return true;
    return () => wideReason(label, values, pattern, message);
  };
}

/** Whether what a place must hold is a pattern, and not a value. @throws invalid for an object that may be meant as either */
export function isPatternSource(source: unknown): source is PatternSource {
  if (typeof source === 'string') return true;
  if (!isObject(source)) return false;
  const names = Object.keys(source);
  const known = names.filter((name) => PATTERN_FIELDS.includes(name));
  if (known.length === names.length && names.length > 0) return true;
  if (known.length === 0 && names.length > 0) return false;
  if (names.length === 0)
    throw invalid(
      '{} says nothing; for an empty object write {json: {equals: {}}}, for any {json: {partial: {}}}',
    );
  const other = names.find((name) => !PATTERN_FIELDS.includes(name)) ?? '';
  throw invalid(
    `${showSource(source)} may be a pattern, for ${JSON.stringify(known[0])}, or a value, for ${JSON.stringify(other)};` +
      ' write {json: {partial: ...}} around a value, or each of its members as a place of its own',
  );
}

/** The places of what is in a nested value. */
function membersOf(wanted: unknown, around: readonly string[]): (readonly string[])[] {
  if (Array.isArray(wanted)) {
    const steps = [...around, '*'];
    return wanted.flatMap((element: unknown) => membersOf(element, steps));
  }
  if (!isObject(wanted) || isPatternSource(wanted)) return [];
  return Object.entries(wanted).flatMap(([name, inner]) => {
    const steps = [...around, name];
    return [steps, ...membersOf(inner, steps)];
  });
}

function wideReason(label: string, values: readonly unknown[], pattern: Pattern, message: Message): string {
  if (values.length === 1) return pattern.reasonOfValue(label, values[0], message);
  if (values.length === 0) return `${label}: absent, want ${pattern.describe()}`;
  const shown = clip(values.slice(0, 20).map(showSource).join(', '));
  return `${label}: got ${shown}, want one of them to be ${pattern.describe()}`;
}

/** A value whose texts are patterns, and which may have more members and elements than are wanted. */
function nestedCheck(wanted: unknown, settings: PatternSettings): Check {
  const pattern = (value: unknown): Check | undefined =>
    isPatternSource(value) ? compileCheck(value, settings) : undefined;
  const shape = compileShape(wanted, { partial: true, anyOrder: false, pattern }, settings.budget);
  return jsonCheck(shapesTogether([shape]), showSource(wanted));
}
