import { REDACTED } from './secrets.js';
import { volatileRule } from './volatile.js';

const MAX_DIFFERENCES = 20;
const MAX_SHOWN = 80;
const DEEPEST = 100;

/** Gathers where two answers differ, a sentence each, up to twenty. */
export class Differences {
  readonly found: string[] = [];

  /** Two values are not the same. @param place - such as `status` or `body /name` */
  add(place: string, mocked: unknown, actual: unknown): void {
    if (this.found.length < MAX_DIFFERENCES)
      this.found.push(`${place}: the mock has ${show(mocked)}, the upstream ${show(actual)}`);
  }

  /**
   * Compares two values of JSON member by member. What is redacted in that of the mock is not compared, nor are two values that
   * the same rule calls volatile.
   *
   * @param place - what the values are of; places within them are paths behind it
   */
  compare(place: string, mocked: unknown, actual: unknown): void {
    this.#compare(mocked, actual, place, '', '', 0);
  }

  #compare(mocked: unknown, actual: unknown, place: string, path: string, name: string, depth: number): void {
    if (mocked === REDACTED || depth > DEEPEST) return;
    if (isObject(mocked) && isObject(actual) && Array.isArray(mocked) === Array.isArray(actual)) {
      for (const step of new Set([...Object.keys(mocked), ...Object.keys(actual)]))
        this.#compare(member(mocked, step), member(actual, step), place, `${path}/${step}`, step, depth + 1);
      return;
    }
    if (mocked === actual || isSameKind(name, mocked, actual)) return;
    this.add(`${place} ${path === '' ? '/' : path}`, mocked, actual);
  }
}

/** Whether two values are both what the same rule calls another one each time, or that of the mock is redacted. */
export function isSameKind(name: string, mocked: unknown, actual: unknown): boolean {
  if (mocked === REDACTED) return true;
  if (typeof mocked === 'number' && typeof actual === 'number')
    return isSameKind(name, String(mocked), String(actual));
  if (typeof mocked !== 'string' || typeof actual !== 'string') return false;
  const rule = volatileRule(name, mocked);
  return rule !== undefined && rule === volatileRule(name, actual);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function member(value: Readonly<Record<string, unknown>>, step: string): unknown {
  return Object.hasOwn(value, step) ? value[step] : undefined;
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
