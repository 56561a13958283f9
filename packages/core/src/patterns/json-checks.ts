import { invalid } from '../errors.js';
import type { Message } from '../contract/message.js';
import { isObject } from '../validation/pointer.js';
import { forgetCaptures, markCaptures } from './captures.js';
import { COST, mismatchOf, passes, showSource, type Check, type Mismatch } from './check.js';
import { spendEffort } from './effort.js';
import { parsedText } from './document.js';
import { compileShape, newWork, type Shape } from './json-shape.js';
import type { PatternSettings } from './pattern-settings.js';

/** How the JSON of a list or an object begins. */
const LIST_OR_OBJECT = /^\s*[[{]/;

/** Comparisons of a value that take one step. */
const COMPARED_AT_ONCE = 2;

type Compare = (value: unknown, message: Message | undefined) => Mismatch | undefined;

/**
 * A check of a value of JSON. A text as it came is parsed for it. A value that is a text itself is looked at as it is, and
 * as what it holds when that is a list or an object of JSON.
 */
export function jsonCheck(compare: Compare, words: string, cost: number = COST.parse): Check {
  const compareText = (text: string, message: Message | undefined): Mismatch | undefined => {
    const parsed = parsedText(text).json;
    return parsed.length === 0
      ? { steps: [], got: text, note: ', which is not JSON', want: words }
      : compare(parsed[0], message);
  };
  return {
    present: (text, message) => compareText(text, message) === undefined,
    why: compareText,
    compare: (value, message) => {
      const mismatch = compare(value, message);
      if (mismatch === undefined || typeof value !== 'string' || !LIST_OR_OBJECT.test(value)) return mismatch;
      const parsed = parsedText(value).json;
      return parsed.length === 0 ? mismatch : compare(parsed[0], message);
    },
    absent: false,
    cost,
    words,
  };
}

/** `json: {equals, partial, ignore_order}`. */
export function jsonFieldCheck(source: unknown, { budget }: PatternSettings): Check {
  if (!isObject(source)) throw unfit('json', source, 'an object with equals or partial');
  const { equals, partial, ignore_order: anyOrder = false, ...others } = source;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw invalid(
      `pattern field "json" has an unknown field ${JSON.stringify(other)}; known are equals, partial, ignore_order` +
        '; what the JSON is to hold stands below equals or partial',
    );
  }
  if (typeof anyOrder !== 'boolean') throw unfit('ignore_order', anyOrder, 'true or false');
  const shapes: Shape[] = [];
  const words: string[] = [];
  if (equals !== undefined) {
    shapes.push(compileShape(equals, { partial: false, anyOrder }, budget));
    words.push(`JSON equal to ${showSource(equals)}`);
  }
  if (partial !== undefined) {
    shapes.push(compileShape(partial, { partial: true, anyOrder }, budget));
    words.push(`JSON with ${showSource(partial)}`);
  }
  if (shapes.length === 0) throw invalid('pattern field "json" needs equals or partial');
  return jsonCheck(shapesTogether(shapes), words.join(' and '));
}

/** Compares a value with shapes, within the work that one value may take. */
export function shapesTogether(shapes: readonly Shape[]): Compare {
  return (value, message) => {
    const work = newWork();
    const mark = markCaptures();
    for (const shape of shapes) {
      const mismatch = shape(value, work, message);
      spendEffort(work.taken / COMPARED_AT_ONCE);
      work.taken = 0;
      if (mismatch === undefined) continue;
      forgetCaptures(mark);
      return mismatch;
    }
    return undefined;
  };
}

/** `each`: every element of a list matches, also of an empty one. */
export function eachCheck(inner: Check): Check {
  const words = `a list in which each is ${inner.words}`;
  return jsonCheck((value, message) => {
    if (!Array.isArray(value)) return { steps: [], got: value, want: words };
    const mark = markCaptures();
    for (let index = 0; index < value.length; index += 1) {
      spendEffort(1);
      const mismatch = mismatchOf(inner, value[index], message);
      if (mismatch !== undefined) {
        forgetCaptures(mark);
        mismatch.steps.push(index);
        return mismatch;
      }
    }
    return undefined;
  }, words);
}

/** `some`: an element of a list matches. */
export function someCheck(inner: Check): Check {
  const words = `a list in which one is ${inner.words}`;
  return jsonCheck((value, message) => {
    if (!Array.isArray(value)) return { steps: [], got: value, want: words };
    for (const element of value) {
      spendEffort(1);
      if (passes(inner, element, message)) return undefined;
    }
    return { steps: [], got: value, want: words };
  }, words);
}

/**
 * `length`: of a list, or a text that is a JSON list, the number of elements; of another text the number of characters
 * (code points).
 *
 * @param inner - the check of the number
 */
export function lengthCheck(inner: Check): Check {
  const words = `a length of ${inner.words}`;
  const compare = (value: unknown, message: Message | undefined): Mismatch | undefined => {
    const length = lengthOf(value);
    if (length !== undefined && mismatchOf(inner, length, message) === undefined) return undefined;
    const note = length === undefined ? ', which has no length' : ` of length ${length}`;
    return { steps: [], got: value, note, want: words };
  };
  return {
    present: (text, message) => compare(text, message) === undefined,
    why: compare,
    compare,
    absent: false,
    cost: COST.parse,
    words,
  };
}

function lengthOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== 'string') return undefined;
  if (LIST_OR_OBJECT.test(value)) {
    const [list] = parsedText(value).json;
    if (Array.isArray(list)) return list.length;
  }
  let length = 0;
  for (const _character of value) length += 1;
  return length;
}

/** A field of the wrong form. */
export function unfit(name: string, value: unknown, wanted: string): Error {
  return invalid(`pattern field "${name}" is ${showSource(value)}; it must be ${wanted}`);
}
