import { filterInSlices, mapInSlices, sortInSlices } from '../../waiting/slices.mjs';
import { rowsOf } from './api.mjs';
import { compareBy, test } from './conditions.mjs';
import { parseCondition, parseOrder, parseSelect, parseTree, valueAt } from './parse.mjs';
import { relate, related, tableOf } from './relations.mjs';
import { badQuery, invalidInput, noColumn } from './rest-errors.mjs';

const NO_FILTERS = new Set(['select', 'order', 'limit', 'offset', 'columns', 'on_conflict', 'apikey']);

/** What a request asks for of a table and of those that are embedded, by their names. */
export function parseQuery(query) {
  const root = makeNode(parseSelect(String(query.select ?? '*')));
  for (const [name, given] of Object.entries(query))
    for (const text of [given].flat()) place(root, name, String(text));
  return root;
}

function makeNode(select) {
  const embedded = new Map(
    select.filter(({ type }) => type === 'table').map((part) => [part.alias, makeNode(part.select)]),
  );
  return { select, embedded, conditions: [], order: [], limit: undefined, offset: 0 };
}

function place(root, name, text) {
  if (name === 'select' || name === 'columns' || name === 'on_conflict' || name === 'apikey') return;
  const steps = name.split('.');
  let node = root;
  while (steps.length > 1 && node.embedded.has(steps[0])) node = node.embedded.get(steps.shift());
  const rest = steps.join('.');
  if (rest === 'order') node.order = parseOrder(text);
  else if (rest === 'limit') node.limit = numberOf(text, 'limit');
  else if (rest === 'offset') node.offset = numberOf(text, 'offset');
  else if (/^(not\.)?(or|and)$/.test(rest))
    node.conditions.push(parseTree(rest.replace('not.', ''), text, rest.startsWith('not.')));
  else if (!NO_FILTERS.has(rest)) node.conditions.push(parseCondition(rest, text));
}

function numberOf(text, name) {
  if (!/^\d+$/.test(text)) throw badQuery(`${name} (${text})`);
  return Number(text);
}

/** The columns that a table is said to have; `undefined` when nothing is said. */
const columnsOf = (context, table) => tableOf(context, table)?.columns;

function checkColumns(context, table, node) {
  const columns = columnsOf(context, table);
  if (columns === undefined) return;
  const check = ({ column }) => {
    if (!columns.includes(column) && !node.embedded.has(column)) throw noColumn(table, column);
  };
  const checkCondition = (one) =>
    one.type === 'condition' ? check(one.path) : one.nodes.forEach(checkCondition);
  node.conditions.forEach(checkCondition);
  node.order.forEach(({ path }) => check(path));
  node.select.forEach((part) => part.type === 'column' && check(part.path));
}

/** The rows of a table that the conditions let through. */
export async function find(context, table, node) {
  checkColumns(context, table, node);
  return filterInSlices(rowsOf(context, table).list(), passes(node));
}

/**
 * Makes what gives a row as it is now, for who is about to change it: `undefined` for one that is gone, or that was changed
 * and passes no more.
 */
export function currentIn(context, table, node) {
  const collection = rowsOf(context, table);
  const isPassing = passes(node);
  return (row) => {
    const key = String(row[collection.key]);
    const current = collection.has(key) ? collection.get(key) : undefined;
    return current === row || (current !== undefined && isPassing(current)) ? current : undefined;
  };
}

function passes(node) {
  const conditions = node.conditions.filter((one) => !isOfEmbedded(one, node));
  return (row) => conditions.every((condition) => test(condition, row) === true);
}

/** `author=not.is.null` is for rows that have an author embedded. */
const isOfEmbedded = ({ type, path, operator }, { embedded }) =>
  type === 'condition' && operator === 'is' && embedded.has(path.column);

/**
 * Rows as they are answered: in their order, in part, and with what is embedded.
 *
 * @returns the rows, and how many there are without `limit` and `offset`
 */
export async function shape(context, table, rows, node) {
  checkShape(context, table, node);
  const { relations, isLeft } = plan(context, table, node);
  const left = isLeft === undefined ? rows : await filterInSlices(rows, isLeft);
  const all = node.order.length === 0 ? left : await sortInSlices(left, compareBy(node.order));
  const shaped = await mapInSlices(pageOf(all, node), (row) => shapeRow(context, row, node, relations));
  return { total: all.length, rows: shaped };
}

/**
 * Checks what rows are to be answered as, with what is embedded at all levels, whatever rows there are.
 *
 * @throws SupabaseError for a column, a relation or a cast that is not there
 */
export function checkShape(context, table, node) {
  const { relations } = plan(context, table, node);
  for (const part of node.select) {
    if (part.type === 'column' && part.cast !== undefined && !Object.hasOwn(CASTS, part.cast))
      throw badQuery('select parameter', `no cast to ${part.cast} is known`);
    if (part.type !== 'table') continue;
    const { target, isMany } = relations.get(part);
    if (part.isSpread && isMany)
      throw badQuery('select parameter', `'${part.table}' has many rows for one and cannot be spread`);
    checkShape(context, target, node.embedded.get(part.alias));
  }
}

/** The same for the few rows that are embedded in one. */
function shapeInner(context, table, rows, node) {
  const { relations, isLeft } = plan(context, table, node);
  const left = isLeft === undefined ? rows : rows.filter(isLeft);
  const all = node.order.length === 0 ? left : [...left].sort(compareBy(node.order));
  return pageOf(all, node).map((row) => shapeRow(context, row, node, relations));
}

const pageOf = (rows, { offset, limit }) =>
  rows.slice(offset, limit === undefined ? undefined : offset + limit);

/** How what is embedded is found, and which rows it leaves; without the latter, all. */
function plan(context, table, node) {
  checkColumns(context, table, node);
  const wanted = node.select.filter(({ type }) => type === 'table');
  const relations = new Map(wanted.map((part) => [part, relate(context, table, part.table, part.hint)]));
  const isThere = (row, part) => relatedRows(context, row, part, relations.get(part), node).length > 0;
  const isLeft = (row) =>
    wanted.every((part) => {
      const nulls = node.conditions.filter(
        (one) => isOfEmbedded(one, node) && one.path.column === part.alias,
      );
      return (
        (!part.isInner || isThere(row, part)) && nulls.every(({ isNot }) => isThere(row, part) === isNot)
      );
    });
  const needsLook =
    wanted.some(({ isInner }) => isInner) || node.conditions.some((one) => isOfEmbedded(one, node));
  return { relations, isLeft: needsLook ? isLeft : undefined };
}

/** The rows that are embedded in one, those that their own conditions let through. */
function relatedRows(context, row, part, relation, node) {
  const inner = node.embedded.get(part.alias);
  return related(context, relation, row).filter((one) =>
    inner.conditions.every((condition) => isOfEmbedded(condition, inner) || test(condition, one) === true),
  );
}

function shapeRow(context, row, node, relations) {
  const shaped = {};
  const put = (name, value) =>
    Object.defineProperty(shaped, name, { value, enumerable: true, configurable: true, writable: true });
  for (const part of node.select) {
    if (part.type === 'all') for (const [name, value] of Object.entries(row)) put(name, value);
    else if (part.type === 'column') put(part.name, cast(valueAt(row, part.path), part.cast));
    else {
      const relation = relations.get(part);
      const found = relatedRows(context, row, part, relation, node);
      const rows = shapeInner(context, relation.target, found, {
        ...node.embedded.get(part.alias),
        conditions: node.embedded
          .get(part.alias)
          .conditions.filter((one) => isOfEmbedded(one, node.embedded.get(part.alias))),
      });
      if (!part.isSpread) put(part.alias, relation.isMany ? rows : (rows[0] ?? null));
      else for (const [name, value] of Object.entries(rows[0] ?? {})) put(name, value);
    }
  }
  return shaped;
}

function cast(value, type) {
  return type === undefined || value === null ? value : CASTS[type](value);
}

const numeric = (name) => (value) => {
  const number = Number(value);
  if (Number.isNaN(number)) throw invalidInput(name, value);
  return number;
};
const integer = (value) => Math.round(numeric('bigint')(value));
const asIs = (value) => value;

/** What a value becomes as another type, by the name of the type. */
const CASTS = {
  text: (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)),
  ...{ int: integer, int4: integer, int8: integer, integer, bigint: integer },
  ...{ float8: numeric('numeric'), numeric: numeric('numeric'), json: asIs, jsonb: asIs },
};
