import { parseJson } from '../patterns/parse-json.js';
import type { Template, TemplateScope } from '../templates/template.js';
import { isObject } from '../validation/pointer.js';
import { show } from '../validation/messages.js';
import type { Draft, DraftCollection } from './draft.js';
import { filterOf, firstRows, type Filter, type LookBudget } from './find-rows.js';
import { MAX_LISTED, type Page } from './list-rows.js';
import { NOTHING_FOUND, type Found, type Operation } from './operation.js';
import { keyText, type Row } from './row.js';
import { compareBy, type Compare } from './sort.js';

/** What one message asks of a collection. */
interface Plan {
  readonly collection: DraftCollection;
  /** The rows that are meant; none for a list, and for a new row. */
  readonly rows: readonly Row[];
  /** The key of a new row; absent when the row has one, or one is made up. */
  readonly key: string | undefined;
}

/** Why a mock does not match. */
export class Refusal extends Error {}

/** Where an operation is done, and what for. */
export interface OperationContext {
  readonly draft: Draft;
  readonly scope: TemplateScope;
  readonly budget: LookBudget;
}

/** Checks that an operation that is no list can be done. @throws Refusal, or BacklotError, when it cannot */
export function checkOperation(operation: Operation, context: OperationContext): void {
  const { key, collection, rows } = planOf(operation, context);
  const { action, value } = operation;
  if (value?.whole !== undefined) objectOf(valueOf(operation, context.scope));
  const isNew = action === 'create' || (action === 'upsert' && rows.length === 0);
  if (isNew) checkRoom(collection);
  if (action === 'create' && key !== undefined && collection.rows.get(key) !== undefined)
    throw new Refusal(`there is a row "${key}" already`);
}

function checkRoom({ rows, admit }: DraftCollection): void {
  const lack = rows.lackFor(0, undefined);
  if (lack !== undefined) throw new Refusal(lack);
  admit();
}

/** Does an operation that is no list in the draft. @throws Refusal, or BacklotError, when it cannot be done */
export function doOperation(operation: Operation, context: OperationContext): Found {
  const { collection, rows, key } = planOf(operation, context);
  const { scope } = context;
  const [row] = rows;
  const { action } = operation;
  if (action === 'take') {
    for (const taken of rows) take(collection, taken, operation.hide, scope.now());
    return { ...NOTHING_FOUND, row: row?.value, rows: rows.map(({ value }) => value) };
  }
  if (row === undefined)
    return only(collection.writer.add(newValueOf(operation, collection.key, key, scope), key, scope));
  switch (action) {
    case 'upsert':
    case 'update':
      return only(collection.writer.merge(row, valueOf(operation, scope)));
    case 'replace':
      return only(collection.writer.put(row, valueOf(operation, scope)));
    case 'delete':
      collection.rows.remove(row);
      return only(row);
    default:
      return only(row);
  }
}

/** What a list gives. @throws Refusal when a number is none, or there is no row that it is to begin behind */
export function pageOf(operation: Operation, { draft, scope }: OperationContext): Page {
  const filter: Filter = filterOf(operation.where, scope, true);
  const after = operation.after === undefined ? '' : render(operation.after, scope);
  const row = after === '' ? undefined : draft.of(operation.collection).rows.get(after);
  if (after !== '' && row === undefined) throw new Refusal(`after: no row "${after}"`);
  return {
    filter,
    compare: compareOf(operation, scope),
    after: row,
    offset: numberOf(operation.offset, 'offset', 0, scope),
    limit: Math.min(numberOf(operation.limit, 'limit', MAX_LISTED, scope), MAX_LISTED),
  };
}

function only({ value }: Row): Found {
  return { ...NOTHING_FOUND, row: value };
}

function take(collection: DraftCollection, row: Row, hide: number | undefined, now: number): void {
  if (hide === undefined) collection.rows.remove(row);
  else collection.rows.put({ ...row, hiddenUntil: now + hide });
}

/** @throws Refusal when there is no such row, or a number is none */
function planOf(operation: Operation, context: OperationContext): Plan {
  const { scope, draft } = context;
  const collection = draft.of(operation.collection);
  const { action } = operation;
  const none = { collection, rows: [], key: undefined };
  if (action === 'take') {
    const rows = pick(operation, collection, context, numberOf(operation.limit, 'limit', 1, scope));
    if (rows.length === 0) throw new Refusal(`no row to take${described(operation)}`);
    return { ...none, rows };
  }
  const key =
    operation.key === undefined ? keyInValue(operation, collection, scope) : render(operation.key, scope);
  if (action === 'create') return { ...none, key };
  if (action === 'upsert') {
    const row = key === undefined ? undefined : collection.rows.get(key);
    return { ...none, key, rows: row === undefined ? [] : [row] };
  }
  if (operation.key === undefined) {
    const rows = pick(operation, collection, context, 1);
    if (rows.length === 0) throw new Refusal(`no row${described(operation)}`);
    return { ...none, rows };
  }
  const row = collection.rows.get(key ?? '');
  if (row === undefined) throw new Refusal(`no row "${key ?? ''}"`);
  return { ...none, rows: [row] };
}

function described({ where }: Operation): string {
  if (where.length === 0) return '';
  return ` in which ${where.map(({ place, pattern }) => `${place} is ${pattern?.describe() ?? 'as asked for'}`).join(' and ')}`;
}

function pick(
  operation: Operation,
  { rows }: DraftCollection,
  { scope, budget }: OperationContext,
  count: number,
): readonly Row[] {
  const filter = filterOf(operation.where, scope, false);
  return firstRows(rows, filter, compareOf(operation, scope), count, budget);
}

function compareOf({ sort }: Operation, scope: TemplateScope): Compare | undefined {
  const places = sort.map((place) => render(place, scope)).filter((place) => place !== '');
  return places.length === 0 ? undefined : compareBy(places);
}

function numberOf(
  template: Template | undefined,
  field: string,
  absent: number,
  scope: TemplateScope,
): number {
  const text = template === undefined ? '' : render(template, scope).trim();
  if (text === '') return absent;
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(`${field}: got ${show(text)}, want a whole number`);
  return Number(text);
}

function render(template: Template, scope: TemplateScope): string {
  return template.constant ? template.source : template.render(scope);
}

/** The key that the row itself has, where that is known without making all of it. */
function keyInValue(
  { value }: Operation,
  { key }: DraftCollection,
  scope: TemplateScope,
): string | undefined {
  if (value === undefined) return undefined;
  if (value.fields !== undefined) return keyText(value.fields.get(key)?.render(scope));
  const whole = objectOf(readable(value.whole.render(scope)));
  return Object.hasOwn(whole, key) ? keyText(whole[key]) : undefined;
}

/** The fields of a new row, without that of a key which is known: it was rendered for that, and may count. */
function newValueOf(
  operation: Operation,
  field: string,
  key: string | undefined,
  scope: TemplateScope,
): unknown {
  const { fields } = operation.value ?? {};
  if (fields === undefined || key === undefined || !fields.has(field)) return valueOf(operation, scope);
  const rest = new Map(fields);
  rest.delete(field);
  return valueOf({ ...operation, value: { fields: rest } }, scope);
}

function valueOf({ value }: Operation, scope: TemplateScope): unknown {
  if (value === undefined) return {};
  if (value.whole !== undefined) return objectOf(readable(value.whole.render(scope)));
  return Object.fromEntries(Array.from(value.fields, ([name, template]) => [name, template.render(scope)]));
}

/** A text of JSON, such as the argument of a command, is what it says. */
function readable(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\{/.test(value)) return value;
  const [parsed = value] = parseJson(value);
  return parsed;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value) && !(value instanceof Uint8Array)) return value;
  throw new Refusal(`value: got ${show(value)}, want an object`);
}
