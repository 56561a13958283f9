import type { Pattern } from '../patterns/pattern.js';
import type { Template, ValueTemplate } from '../templates/template.js';

/** What is done with rows. */
export const ACTIONS = ['create', 'get', 'update', 'replace', 'upsert', 'delete', 'take', 'list'] as const;
export type Action = (typeof ACTIONS)[number];

/** A condition of `where`: what the value at a place must be. */
export type Condition = { readonly place: string; readonly steps: readonly string[] } & (
  | { readonly pattern: Pattern; readonly value?: undefined }
  | { readonly pattern?: undefined; readonly value: ValueTemplate }
);

/** The fields of a row: a template for each, or one for the whole. */
export type RowTemplate =
  | { readonly fields: ReadonlyMap<string, ValueTemplate>; readonly whole?: undefined }
  | { readonly fields?: undefined; readonly whole: ValueTemplate };

/** What a mock does with a collection, compiled. */
export interface Operation {
  readonly collection: string;
  /** The name under which templates see what it has found, beside `row` and `rows`. */
  readonly as: string | undefined;
  readonly action: Action;
  /** Absent where `where` or `value` says which row is meant. */
  readonly key: Template | undefined;
  readonly value: RowTemplate | undefined;
  readonly where: readonly Condition[];
  readonly sort: readonly Template[];
  readonly limit: Template | undefined;
  readonly offset: Template | undefined;
  readonly after: Template | undefined;
  /** Milliseconds; absent when a row that is taken is removed. */
  readonly hide: number | undefined;
}

/** By which key an answer is given again, compiled. */
export interface Once {
  readonly key: Template;
  readonly same: Template | undefined;
}

/** What a mock has to do with data that mocks share; absent for most mocks. */
export interface MockData {
  /** What it does with collections, in this order, all of it or nothing; none for most. */
  readonly operations: readonly Operation[];
  readonly once: Once | undefined;
}

/** Whether an operation changes rows, and does not only read them. */
export function changesRows({ action }: Operation): boolean {
  return action !== 'get' && action !== 'list';
}

/** What templates see of what operations have found or done, by name. */
export interface Found extends Readonly<Record<string, unknown>> {
  readonly row: unknown;
  readonly rows: readonly unknown[] | undefined;
  readonly total: number | undefined;
  readonly has_more: boolean | undefined;
  /** The key of the last of the rows. */
  readonly last: unknown;
}

/** Nothing: the names mean something, and stand for nothing. */
export const NOTHING_FOUND: Found = Object.freeze({
  row: undefined,
  rows: undefined,
  total: undefined,
  has_more: undefined,
  last: undefined,
});

/** What an operation has found, over what those before it have: each name is that of the last that says something to it. */
export function foundAfter(before: Found, { as, action, limit }: Operation, own: Found): Found {
  if (before === NOTHING_FOUND && as === undefined) return own;
  const { rows, total, has_more, last } = own.rows === undefined ? before : own;
  const all = { ...before, row: own.row ?? before.row, rows, total, has_more, last };
  if (as === undefined) return all;
  const isList = action === 'list' || (action === 'take' && limit !== undefined);
  return { ...all, [as]: isList ? own.rows : own.row };
}
