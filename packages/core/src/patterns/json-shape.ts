import { invalid } from '../errors.js';
import type { Message } from '../contract/message.js';
import type { CompileBudget } from '../validation/compile-budget.js';
import { isObject } from '../validation/pointer.js';
import { forgetCaptures, markCaptures } from './captures.js';
import { mismatchOf, showSource, type Check, type Mismatch } from './check.js';

/** How a value of JSON is to be, compared with one that is wanted. */
export interface ShapeRules {
  /** Whether more may be there than is wanted: members of objects, and elements of lists before, between and behind. */
  readonly partial: boolean;
  /** Whether the elements of lists may stand in any order. */
  readonly anyOrder: boolean;
  /**
   * Makes the check for a wanted value that stands for more than itself, such as a pattern; `undefined` when it does not.
   */
  readonly pattern?: (value: unknown) => Check | undefined;
}

/** Comparisons of one value, so that lists in any order do not take the product of their lengths. */
export interface Work {
  left: number;
  /** Those that were made. */
  taken: number;
}

/** How a value differs; `undefined` when it has the shape. */
export type Shape = (value: unknown, work: Work, message: Message | undefined) => Mismatch | undefined;

const MAX_DEPTH = 32;
/** Comparisons that every message may take, and those that each element of its lists adds. */
const FREE_WORK = 25_000;
const WORK_PER_ELEMENT = 20;

/**
 * Compiles what is wanted of a value of JSON.
 *
 * @throws invalid when it is nested deeper than 32 levels, or the patterns of the mock want more than 10,000 values
 */
export function compileShape(wanted: unknown, rules: ShapeRules, budget: CompileBudget): Shape {
  return compileAt(wanted, rules, budget, 0);
}

/** What one value may take. */
export function newWork(): Work {
  return { left: FREE_WORK, taken: 0 };
}

function compileAt(wanted: unknown, rules: ShapeRules, budget: CompileBudget, depth: number): Shape {
  if (depth > MAX_DEPTH) throw invalid(`a value in a pattern is nested deeper than ${MAX_DEPTH} levels`);
  budget.addValues(1);
  const inner = (value: unknown): Shape => compileAt(value, rules, budget, depth + 1);
  if (isList(wanted)) return listShape(wanted, rules, inner);
  const pattern = rules.pattern?.(wanted);
  if (pattern === undefined && isObject(wanted)) return objectShape(wanted, rules, inner);
  const check = pattern ?? sameValue(wanted);
  return (value, work, message) => {
    work.left -= 1;
    work.taken += 1;
    return mismatchOf(check, value, message);
  };
}

/** Exactly this text, number, truth value or `null`. */
export function sameValue(wanted: unknown): Check {
  const words = showSource(wanted);
  return {
    present: (text) => text === wanted,
    compare: (value) => (value === wanted ? undefined : { steps: [], got: value, want: words }),
    absent: false,
    words,
  };
}

function objectShape(
  wanted: Readonly<Record<string, unknown>>,
  { partial }: ShapeRules,
  inner: (value: unknown) => Shape,
): Shape {
  const members = Object.entries(wanted).map(([name, value]) => ({ name, shape: inner(value) }));
  const names = new Set(Object.keys(wanted));
  return (value, work, message) => {
    work.left -= 1;
    work.taken += 1;
    if (!isObject(value)) return { steps: [], got: value, want: 'an object' };
    for (const { name, shape } of members) {
      const mismatch = shape(Object.hasOwn(value, name) ? value[name] : undefined, work, message);
      if (mismatch !== undefined) return inside(mismatch, name);
    }
    if (partial) return undefined;
    for (const name in value) {
      if (!names.has(name)) return inside({ steps: [], got: value[name], want: 'nothing there' }, name);
    }
    return undefined;
  };
}

function listShape(wanted: readonly unknown[], rules: ShapeRules, inner: (value: unknown) => Shape): Shape {
  const shapes = wanted.map(inner);
  const match = rules.anyOrder
    ? rules.partial || rules.pattern !== undefined
      ? (value: readonly unknown[], work: Work, message: Message | undefined) =>
          pairUp(shapes, wanted, value, work, message)
      : sameBag(wanted)
    : rules.partial
      ? (value: readonly unknown[], work: Work, message: Message | undefined) =>
          inOrder(shapes, wanted, value, work, message)
      : (value: readonly unknown[], work: Work, message: Message | undefined) =>
          oneByOne(shapes, value, work, message);
  return (value, work, message) => {
    work.left += Array.isArray(value) ? WORK_PER_ELEMENT * value.length - 1 : -1;
    work.taken += 1;
    if (!isList(value)) return { steps: [], got: value, want: 'a list' };
    if (rules.partial ? value.length < wanted.length : value.length !== wanted.length) {
      return {
        steps: [],
        got: value,
        note: ` with ${value.length} elements`,
        want: `${rules.partial ? 'at least ' : ''}${wanted.length}`,
      };
    }
    return match(value, work, message);
  };
}

/** Each element at its place. */
function oneByOne(
  shapes: readonly Shape[],
  value: readonly unknown[],
  work: Work,
  message: Message | undefined,
): Mismatch | undefined {
  for (const [index, shape] of shapes.entries()) {
    const mismatch = shape(value[index], work, message);
    if (mismatch !== undefined) return inside(mismatch, index);
  }
  return undefined;
}

/** The wanted elements one behind the other, perhaps with others between them. The first that fits is always as good. */
function inOrder(
  shapes: readonly Shape[],
  wanted: readonly unknown[],
  value: readonly unknown[],
  work: Work,
  message: Message | undefined,
): Mismatch | undefined {
  let at = 0;
  for (const [index, shape] of shapes.entries()) {
    let last: Mismatch | undefined;
    for (;;) {
      if (at >= value.length)
        return notFound(wanted[index], value, index === 0 ? '' : ' behind the others', last);
      if (work.left < 0) return tooMuch(value);
      const mark = markCaptures();
      last = shape(value[at], work, message);
      at += 1;
      if (last === undefined) break;
      forgetCaptures(mark);
    }
  }
  return undefined;
}

/** To each wanted element another one, in any order: augmenting paths, within what the work allows. */
function pairUp(
  shapes: readonly Shape[],
  wanted: readonly unknown[],
  value: readonly unknown[],
  work: Work,
  message: Message | undefined,
): Mismatch | undefined {
  const takenBy = new Int32Array(value.length).fill(-1);
  const fits = (index: number, place: number): boolean =>
    work.left >= 0 && shapes[index]?.(value[place], work, message) === undefined && work.left >= 0;
  const place = (index: number, tried: Set<number>): boolean => {
    const fitting: number[] = [];
    for (let at = 0; at < value.length && work.left >= 0; at += 1) {
      if (tried.has(at) || !fits(index, at)) continue;
      if (takenBy[at] === -1) {
        takenBy[at] = index;
        return true;
      }
      fitting.push(at);
    }
    for (const at of fitting) {
      if (tried.has(at)) continue;
      tried.add(at);
      if (place(takenBy[at] ?? 0, tried)) {
        takenBy[at] = index;
        return true;
      }
    }
    return false;
  };
  for (const [index, source] of wanted.entries()) {
    if (place(index, new Set())) continue;
    return work.left < 0 ? tooMuch(value) : notFound(source, value, '', undefined);
  }
  return undefined;
}

/** The same elements in any order, told by texts of them that are equal when the elements are. */
function sameBag(wanted: readonly unknown[]): (value: readonly unknown[]) => Mismatch | undefined {
  const texts = wanted.map((element) => bagText(element, MAX_DEPTH));
  const sorted = texts.toSorted();
  return (value) => {
    const got = value.map((element) => bagText(element, MAX_DEPTH));
    const gotSorted = got.toSorted();
    if (gotSorted.every((text, index) => text === sorted[index])) return undefined;
    const left = new Map<string, number>();
    for (const text of texts) left.set(text, (left.get(text) ?? 0) + 1);
    for (const [index, text] of got.entries()) {
      const count = left.get(text) ?? 0;
      if (count === 0) return inside({ steps: [], got: value[index], want: 'nothing more like it' }, index);
      left.set(text, count - 1);
    }
    return undefined;
  };
}

/** A text that two values share when they are equal but for the order of lists and members. */
function bagText(value: unknown, depth: number): string {
  // Deeper than anything that is wanted: equal to nothing.
  if (depth < 0) return '...';
  if (isList(value))
    return `[${value
      .map((element) => bagText(element, depth - 1))
      .toSorted()
      .join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? '';
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${bagText(value[name], depth - 1)}`);
  return `{${members.join()}}`;
}

function notFound(
  wanted: unknown,
  value: readonly unknown[],
  where: string,
  last: Mismatch | undefined,
): Mismatch {
  // Of a list with one element there is but one thing that can be wrong.
  if (last !== undefined && value.length === 1) return inside(last, 0);
  return { steps: [], got: value, want: `an element like ${showSource(wanted)}${where}` };
}

function tooMuch(value: unknown): Mismatch {
  return { steps: [], got: value, note: ', which takes too many comparisons', want: 'a shorter list' };
}

function inside(mismatch: Mismatch, step: string | number): Mismatch {
  mismatch.steps.push(step);
  return mismatch;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
