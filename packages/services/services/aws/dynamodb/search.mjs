import { setImmediate as nextTurn } from 'node:timers/promises';
import { holds, project } from './conditions.mjs';
import { validation } from './errors.mjs';
import { capacity, parserOf, readUnits } from './items.mjs';
import { idOf, isOver, itemOf, itemRows, tableOf } from './tables.mjs';
import { compareValues, isSame, sizeOf, typeOf } from './values.mjs';

/** A page ends behind so many bytes or items. */
const MAX_PAGE = 1024 * 1024;
const MAX_ITEMS = 5000;
const STEP = 5000;

/** The items of a table or an index that come first in an order, as many as a page may have and one more. */
async function firstOf(rows, { accept, compare, limit }) {
  const found = [];
  let seen = 0;
  const cut = () => {
    found.sort(compare);
    found.length = Math.min(found.length, limit + 1);
  };
  for (const row of rows) {
    seen += 1;
    if (seen % STEP === 0) await nextTurn();
    const item = itemOf(row);
    if (!accept(item, row)) continue;
    found.push({ id: row.id, item });
    if (found.length > 4 * (limit + 1)) cut();
  }
  cut();
  return found;
}

function sourceOf(input, call) {
  const table = tableOf(call, input.TableName);
  const { IndexName: name } = input;
  if (name === undefined) return { table, index: undefined, keys: table.keys };
  const index = table.indexes.find((one) => one.name === name);
  if (index === undefined) throw validation(`The table does not have the specified index: ${name}`);
  if (input.ConsistentRead === true && !index.local)
    throw validation('Consistent reads are not supported on global secondary indexes');
  return { table, index, keys: index.keys };
}

/** What the key condition of a query says of the partition and of the sort key. */
function keysOf(tree, keys) {
  const conditions = tree.op === 'and' ? tree.of : [tree];
  const [partition, sort] = keys;
  const found = {};
  for (const one of conditions) {
    const path = (one.left ?? one.args?.[0])?.path;
    const name = path?.length === 1 ? path[0] : undefined;
    if (name === partition && one.op === '=' && one.right.value !== undefined)
      found.partition = one.right.value;
    else if (name === sort && ['=', '<', '<=', '>', '>=', 'between', 'begins_with'].includes(one.op))
      found.sort = one;
    else if (name !== undefined && keys.includes(name)) throw validation('Query key condition not supported');
    else
      throw validation(
        `Query condition missed key schema element: ${found.partition === undefined ? partition : String(sort)}`,
      );
  }
  if (found.partition === undefined)
    throw validation(`Query condition missed key schema element: ${partition}`);
  if (conditions.length > (found.sort === undefined ? 1 : 2))
    throw validation(
      'Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key',
    );
  return found;
}

function limitOf({ Limit: limit }) {
  if (limit === undefined) return MAX_ITEMS;
  if (!Number.isInteger(limit) || limit < 1)
    throw validation(
      `1 validation error detected: Value '${String(limit)}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
    );
  return Math.min(limit, MAX_ITEMS);
}

/** The expressions of a search that say which items and what of them are given. */
function viewOf(input, parser, { table, index }) {
  const { Select: select, FilterExpression: filter, ProjectionExpression: projection } = input;
  const condition = filter === undefined ? undefined : parser.condition(filter, 'FilterExpression');
  const paths = projection === undefined ? undefined : parser.projection(projection);
  if (select === 'ALL_ATTRIBUTES' && index !== undefined && !index.local && index.projection !== 'ALL')
    throw validation(
      `One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.name} because its projection type is not ALL`,
    );
  if (projection !== undefined && select !== undefined && select !== 'SPECIFIC_ATTRIBUTES')
    throw validation(`Cannot specify the ProjectionExpression when choosing to get ${select}`);
  const projected =
    index === undefined || index.projection === 'ALL'
      ? undefined
      : [
          ...new Set([
            ...table.keys,
            ...index.keys,
            ...(index.projection === 'INCLUDE' ? index.attributes : []),
          ]),
        ];
  const visible = (item) =>
    projected === undefined
      ? item
      : project(
          item,
          projected.map((name) => [name]),
        );
  return {
    isCount: select === 'COUNT',
    accepts: (item) => condition === undefined || holds(condition, item),
    visible,
    show: (item) => project(item, paths),
  };
}

/** Cuts a page, filters it and says where the next one begins. */
function answer(input, source, view, found, limit) {
  const { table, keys } = source;
  const page = [];
  let size = 0;
  for (const one of found) {
    if (page.length === limit || size > MAX_PAGE) break;
    page.push(one);
    size += sizeOf(one.item);
  }
  const items = page.map(({ item }) => view.visible(item)).filter((item) => view.accepts(item));
  const hasMore = page.length < found.length || page.length === input.Limit;
  const last = hasMore ? page.at(-1)?.item : undefined;
  const names = [...new Set([...table.keys, ...keys])];
  return {
    ...(view.isCount ? {} : { Items: items.map((item) => view.show(item)) }),
    Count: items.length,
    ScannedCount: page.length,
    ...(last === undefined
      ? {}
      : { LastEvaluatedKey: Object.fromEntries(names.map((name) => [name, last[name]])) }),
    ...capacity(input, table, readUnits(size, input.ConsistentRead)),
  };
}

function checkStart({ ExclusiveStartKey: start }, { table, keys }) {
  if (start === undefined) return undefined;
  const names = new Set([...table.keys, ...keys]);
  const fits =
    Object.keys(start).length === names.size &&
    [...names].every((name) => start[name] !== undefined && typeOf(start[name]) === table.types[name]);
  if (!fits) throw validation('The provided starting key is invalid');
  return start;
}

export const searchOperations = {
  async Query(input, call) {
    const source = sourceOf(input, call);
    const { table, keys } = source;
    if (input.KeyConditionExpression === undefined)
      throw validation(
        'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
      );
    const parser = parserOf(input);
    const wanted = keysOf(parser.condition(input.KeyConditionExpression, 'KeyConditionExpression'), keys);
    const view = viewOf(input, parser, source);
    parser.checkUsed();
    const [partition, sort] = keys;
    if (typeOf(wanted.partition) !== table.types[partition])
      throw validation(
        'One or more parameter values were invalid: Condition parameter type does not match schema type',
      );
    const way = input.ScanIndexForward === false ? -1 : 1;
    const compare = (one, other) => {
      const order = sort === undefined ? 0 : (compareValues(one.item[sort], other.item[sort]) ?? 0);
      return way * (order !== 0 ? order : one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
    };
    const start = checkStart(input, source);
    const after = start === undefined ? undefined : { id: idOf(table, start), item: start };
    const limit = limitOf(input);
    const accept = (item, { id }) =>
      isSame(item[partition], wanted.partition) &&
      (sort === undefined || item[sort] !== undefined) &&
      (wanted.sort === undefined || holds(wanted.sort, item)) &&
      !isOver(item, table, call.now) &&
      (after === undefined || compare({ id, item }, after) > 0);
    const found = await firstOf(itemRows(call, table.id), { accept, compare, limit });
    return answer(input, source, view, found, limit);
  },
  async Scan(input, call) {
    const source = sourceOf(input, call);
    const { table, keys } = source;
    const parser = parserOf(input);
    const view = viewOf(input, parser, source);
    parser.checkUsed();
    const { Segment: segment, TotalSegments: total } = input;
    if ((segment === undefined) !== (total === undefined))
      throw validation(
        `The ${segment === undefined ? 'Segment' : 'TotalSegments'} parameter is required but was not present in the request when parameter ${segment === undefined ? 'TotalSegments' : 'Segment'} is present`,
      );
    if (segment !== undefined && !(segment >= 0 && segment < total))
      throw validation(
        `The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: ${segment} is not less than TotalSegments: ${total}`,
      );
    const start = checkStart(input, source);
    const after = start === undefined ? undefined : idOf(table, start);
    const limit = limitOf(input);
    const accept = (item, { id }) =>
      (after === undefined || id > after) &&
      keys.every((name) => item[name] !== undefined) &&
      (segment === undefined || hashOf(id) % total === segment) &&
      !isOver(item, table, call.now);
    const compare = (one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
    const found = await firstOf(itemRows(call, table.id), { accept, compare, limit });
    return answer(input, source, view, found, limit);
  },
};

/** Spreads items over the segments of a scan. */
function hashOf(text) {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0;
  return hash;
}
