import { parsedText } from './document.js';

/**
 * Splits a path into a JSON value, such as `items.0.name`, into its steps: names and list indexes. `a[0]` means `a.0`,
 * `a[*]` means `a.*`, `\.` is a dot within a name, and a leading `$` is left out.
 */
export function parseJsonPath(source: string): readonly string[] {
  if (source === '' || source === '$') return [];
  const dotted = source.replace(/^\$\.?/, '').replace(/\[(-?\d+|\*)\]/g, '.$1');
  const steps: string[] = [];
  let step = '';
  for (let index = 0; index < dotted.length; index += 1) {
    const character = dotted.charAt(index);
    if (character === '\\' && dotted.charAt(index + 1) === '.') {
      step += '.';
      index += 1;
    } else if (character === '.') {
      steps.push(step);
      step = '';
    } else {
      step += character;
    }
  }
  steps.push(step);
  return steps[0] === '' && steps.length > 1 ? steps.slice(1) : steps;
}

/**
 * The value at a place, or `undefined`; only own members count. In a list `-1` is the last element, and steps go on inside a
 * text that is JSON.
 */
export function readJsonPath(value: unknown, steps: readonly string[]): unknown {
  let here = value;
  for (const step of steps) {
    here = stepInto(here, step);
    if (here === undefined) return undefined;
  }
  return here;
}

/** Whether a place may be several: one of its steps is a `*`. */
export function isWide(steps: readonly string[]): boolean {
  return steps.includes('*');
}

/**
 * The values at a place in which `*` stands for every element of a list, and for every member of an object that has none of
 * that name; values that are not there are left out.
 */
export function readJsonPlaces(value: unknown, steps: readonly string[], from = 0): unknown[] {
  const at = steps.indexOf('*', from);
  const here = readJsonPath(value, steps.slice(from, at < 0 ? undefined : at));
  if (here === undefined) return [];
  if (at < 0) return [here];
  const around = inside(here);
  if (typeof around !== 'object' || around === null) return [];
  const named = !Array.isArray(around) && Object.hasOwn(around, '*');
  const inner = named ? [(around as Readonly<Record<string, unknown>>)['*']] : Object.values(around);
  if (at === steps.length - 1) return inner;
  const found: unknown[] = [];
  for (const each of inner) for (const place of readJsonPlaces(each, steps, at + 1)) found.push(place);
  return found;
}

function stepInto(value: unknown, step: string): unknown {
  const around = typeof value === 'string' ? inside(value) : value;
  if (typeof around !== 'object' || around === null) return undefined;
  if (Array.isArray(around)) {
    if (step.startsWith('-')) return /^-[1-9]\d{0,8}$/.test(step) ? around.at(Number(step)) : undefined;
    if (step === 'length') return undefined;
  }
  return Object.hasOwn(around, step) ? (around as Readonly<Record<string, unknown>>)[step] : undefined;
}

/** What steps go on in: of a text what it holds as JSON. */
function inside(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return /^\s*[[{]/.test(value) ? parsedText(value).json[0] : undefined;
}

/** Texts of lists and objects, where they are long: many mocks may look at the same place of one message. */
const texts = new WeakMap<object, string>();
const LONG = 1024;

/**
 * How a JSON value compares with a pattern: a text as it is, everything else as its JSON text. A list or an object is
 * not to be changed afterwards. One that is nested too deep to be written has no text.
 */
export function jsonText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const known = texts.get(value);
  if (known !== undefined) return known;
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
  if (text.length > LONG) texts.set(value, text);
  return text;
}
