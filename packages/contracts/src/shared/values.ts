/** An object of a file: anything may stand in its fields. */
export type Tree = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one when it is none. */
export function treeOf(value: unknown): Tree {
  return isTree(value) ? value : {};
}

/** The objects of a list; none when it is no list. */
export function treesOf(value: unknown): readonly Tree[] {
  return listOf(value).filter(isTree);
}

/** The elements of a list; none when it is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** A text, and a number or boolean as a text; `undefined` for anything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A member of an object that is its own. */
export function memberOf(value: unknown, name: string): unknown {
  return isTree(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The fields of an object that have a value. */
export function withoutAbsent(fields: Tree): Tree {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A whole number within bounds; `undefined` for anything else. */
export function integerOf(value: unknown, min: number, max: number): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
    ? number
    : undefined;
}

/** Milliseconds as a duration of a mock, an hour at most; `undefined` when there is nothing to wait for. */
export function delayOf(milliseconds: unknown): string | undefined {
  const number = Number(milliseconds);
  return number > 0 ? `${Math.min(Math.round(number), 3_600_000)}ms` : undefined;
}

/** A JSON pointer a step further. */
export function pointTo(place: string, step: string | number): string {
  return `${place}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
