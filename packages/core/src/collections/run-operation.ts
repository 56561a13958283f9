import { isBacklotError, messageOf } from '../errors.js';
import { parseJson } from '../patterns/parse-json.js';
import type { Template, TemplateScope } from '../templates/template.js';
import { isObject } from '../validation/pointer.js';
import { show } from '../validation/messages.js';
import type { CollectionStore } from './collection-store.js';
import { filterOf, firstRows, type Filter } from './find-rows.js';
import { listSteps, MAX_LISTED, type Page } from './list-rows.js';
import { NOTHING_FOUND, type Found, type Operation } from './operation.js';
import { keyText, type Row } from './row.js';
import { compareBy, type Compare } from './sort.js';
import type { StoredCollection } from './stored-collection.js';

/** What one message asks of a collection. */
interface Plan {
  readonly collection: StoredCollection;
  /** The rows that are meant; none for a list, and for a new row. */
  readonly rows: readonly Row[];
  /** The key of a new row; absent when the row has one, or one is made up. */
  readonly key: string | undefined;
  readonly page: Page | undefined;
}

/** Why a mock does not match. */
class Refusal extends Error {}

/**
 * Why an operation cannot be done for a message now, such as a row that is not there; `undefined` when it can. Nothing
 * is changed.
 */
export function refusalOf(
  operation: Operation,
  scope: TemplateScope,
  collections: CollectionStore,
): string | undefined {
  try {
    const { key, collection, rows } = planOf(operation, scope, collections);
    const { action, value } = operation;
    if (value?.whole !== undefined) objectOf(valueOf(operation, scope));
    const isNew = action === 'create' || (action === 'upsert' && rows.length === 0);
    const lack = isNew ? collection.rows.lackFor(0, undefined) : undefined;
    if (lack !== undefined) throw new Refusal(lack);
    if (action === 'create' && key !== undefined && collection.has(key))
      throw new Refusal(`there is a row "${key}" already`);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Refusal) && !isBacklotError(thrown)) throw thrown;
    return `collection "${operation.collection}": ${messageOf(thrown)}`;
  }
}

/**
 * Does an operation, and gives what templates see of it. A long list is given in steps, between which others are served.
 *
 * @param isDry - only tells what would be: nothing is changed
 * @throws Error when it cannot be done, see {@link refusalOf}
 */
export function* runSteps(
  operation: Operation,
  scope: TemplateScope,
  collections: CollectionStore,
  isDry: boolean,
): Generator<undefined, Found> {
  const { collection, rows, key, page } = planOf(operation, scope, collections);
  if (page !== undefined) return yield* listSteps(collection.rows, collection.key, page);
  const [row] = rows;
  switch (operation.action) {
    case 'create':
      return addRow(collection, operation, key, scope, isDry);
    case 'upsert':
      return row === undefined
        ? addRow(collection, operation, key, scope, isDry)
        : only(collection.merge(row, valueOf(operation, scope), isDry));
    case 'update':
      return row === undefined
        ? NOTHING_FOUND
        : only(collection.merge(row, valueOf(operation, scope), isDry));
    case 'replace':
      return row === undefined ? NOTHING_FOUND : only(collection.put(row, valueOf(operation, scope), isDry));
    case 'delete':
      if (row !== undefined && !isDry) collection.rows.remove(row);
      return only(row);
    case 'take':
      if (!isDry) for (const taken of rows) take(collection, taken, operation.hide, scope.now());
      return { ...NOTHING_FOUND, row: row?.value, rows: rows.map(({ value }) => value) };
    default:
      return only(row);
  }
}

function only(row: Row | undefined): Found {
  return row === undefined ? NOTHING_FOUND : { ...NOTHING_FOUND, row: row.value };
}

function addRow(
  collection: StoredCollection,
  operation: Operation,
  key: string | undefined,
  scope: TemplateScope,
  isDry: boolean,
): Found {
  const value = valueOf(operation, scope);
  return only(isDry ? collection.sketch(value, key, scope) : collection.add(value, key, scope));
}

function take(collection: StoredCollection, row: Row, hide: number | undefined, now: number): void {
  if (hide === undefined) collection.rows.remove(row);
  else collection.rows.put({ ...row, hiddenUntil: now + hide });
}

/** @throws Refusal when there is no such row, or a number is none */
function planOf(operation: Operation, scope: TemplateScope, collections: CollectionStore): Plan {
  const collection = collections.of(operation.collection);
  const { action } = operation;
  const none = { collection, rows: [], key: undefined, page: undefined };
  if (action === 'list') return { ...none, page: pageOf(operation, collection, scope) };
  if (action === 'take') {
    const rows = pick(operation, collection, scope, numberOf(operation.limit, 'limit', 1, scope));
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
    const rows = pick(operation, collection, scope, 1);
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
  { rows }: StoredCollection,
  scope: TemplateScope,
  count: number,
): readonly Row[] {
  return firstRows(rows, filterOf(operation.where, scope, false), compareOf(operation, scope), count);
}

function compareOf({ sort }: Operation, scope: TemplateScope): Compare | undefined {
  const places = sort.map((place) => render(place, scope)).filter((place) => place !== '');
  return places.length === 0 ? undefined : compareBy(places);
}

function pageOf(operation: Operation, collection: StoredCollection, scope: TemplateScope): Page {
  const filter: Filter = filterOf(operation.where, scope, true);
  const after = operation.after === undefined ? '' : render(operation.after, scope);
  const row = after === '' ? undefined : collection.rows.get(after);
  if (after !== '' && row === undefined) throw new Refusal(`after: no row "${after}"`);
  return {
    filter,
    compare: compareOf(operation, scope),
    after: row,
    offset: numberOf(operation.offset, 'offset', 0, scope),
    limit: Math.min(numberOf(operation.limit, 'limit', MAX_LISTED, scope), MAX_LISTED),
  };
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
  { key }: StoredCollection,
  scope: TemplateScope,
): string | undefined {
  if (value === undefined) return undefined;
  if (value.fields !== undefined) return keyText(value.fields.get(key)?.render(scope));
  const whole = objectOf(readable(value.whole.render(scope)));
  return Object.hasOwn(whole, key) ? keyText(whole[key]) : undefined;
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
