import { holds, project } from './conditions.mjs';
import { conditionFailed, validation } from './errors.mjs';
import { Parser } from './parser.mjs';
import { checkedKey, checkedRow, findItem, putItem, removeItem, tableOf } from './tables.mjs';
import { applyUpdate, namedParts } from './updates.mjs';
import { checkedValue, isObject, mapValues, sizeOf } from './values.mjs';

const LEGACY = [
  'Expected',
  'AttributeUpdates',
  'KeyConditions',
  'QueryFilter',
  'ScanFilter',
  'AttributesToGet',
  'ConditionalOperator',
];

/** The parser for a call's expressions. @throws for the parameters from before expressions */
export function parserOf(input) {
  const legacy = LEGACY.filter((name) => input[name] !== undefined);
  if (legacy.length > 0)
    throw validation(`The parameters from before expressions are not mocked: {${legacy.join(', ')}}`);
  const values = input.ExpressionAttributeValues;
  if (values !== undefined && (!isObject(values) || Object.keys(values).length === 0))
    throw validation('ExpressionAttributeValues must not be empty');
  for (const [field, mark] of [
    ['ExpressionAttributeNames', '#'],
    ['ExpressionAttributeValues', ':'],
  ])
    for (const name of Object.keys(input[field] ?? {}))
      if (!name.startsWith(mark))
        throw validation(`${field} contains invalid key: Syntax error; key: "${name}"`);
  return new Parser({
    ...input,
    ExpressionAttributeValues: mapValues(values ?? {}, (one) => checkedValue(one)),
  });
}

const RETURNS = {
  PutItem: ['NONE', 'ALL_OLD'],
  DeleteItem: ['NONE', 'ALL_OLD'],
  UpdateItem: ['NONE', 'ALL_OLD', 'UPDATED_OLD', 'ALL_NEW', 'UPDATED_NEW'],
};

function returnsOf({ ReturnValues: wanted = 'NONE' }, action) {
  if (RETURNS[action].includes(wanted)) return wanted;
  throw validation(
    wanted === 'UPDATED_OLD' || wanted === 'ALL_NEW' || wanted === 'UPDATED_NEW'
      ? 'Return values set to invalid value'
      : `1 validation error detected: Value '${String(wanted)}' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [${RETURNS[action].join(', ')}]`,
  );
}

/** What a call has used, when it wants to be told. */
export function capacity({ ReturnConsumedCapacity: wanted = 'NONE' }, table, units) {
  if (wanted === 'NONE') return {};
  return { ConsumedCapacity: { TableName: table.id, CapacityUnits: units } };
}

function writeUnits(...items) {
  return Math.max(1, ...items.map((item) => Math.ceil(sizeOf(item ?? {}) / 1024)));
}

export function readUnits(size, isConsistent) {
  const units = Math.max(1, Math.ceil(size / 4096));
  return isConsistent === true ? units : units / 2;
}

/**
 * One change of an item, which is done when all conditions hold that come with it.
 *
 * @returns the table, the item as it was, `check` that throws when the condition does not hold, and `apply`, which gives the item as it is then
 */
export function planWrite(kind, input, call) {
  const table = tableOf(call, input.TableName);
  const parser = parserOf(input);
  const condition =
    input.ConditionExpression === undefined ? undefined : parser.condition(input.ConditionExpression);
  const update = input.UpdateExpression === undefined ? undefined : parser.update(input.UpdateExpression);
  parser.checkUsed();
  const key = kind === 'put' ? checkedRow(table, input.Item) : checkedKey(table, input.Key);
  const before = findItem(call, table, key);
  return {
    ...{ table, key, before, update },
    check() {
      if (condition === undefined || holds(condition, before ?? {})) return;
      throw conditionFailed(input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? before : undefined);
    },
    /** The item as it will be. */
    next: () => {
      if (kind === 'put') return key;
      if (kind === 'delete') return undefined;
      if (kind === 'check') return before;
      const changed = update === undefined ? (before ?? key) : applyUpdate(before ?? key, update, table.keys);
      return checkedRow(table, changed);
    },
    apply(next) {
      if (kind === 'check') return;
      if (next === undefined) removeItem(call, table, key);
      else putItem(call, table, next);
    },
  };
}

function write(kind, action, input, call) {
  const wanted = returnsOf(input, action);
  const plan = planWrite(kind, input, call);
  plan.check();
  const next = plan.next();
  plan.apply(next);
  const { before, update, table } = plan;
  const shown = {
    ALL_OLD: before,
    ALL_NEW: next,
    UPDATED_OLD: update === undefined ? undefined : namedParts(before, update),
    UPDATED_NEW: update === undefined ? undefined : namedParts(next, update),
  }[wanted];
  const isEmpty = shown === undefined || Object.keys(shown).length === 0;
  return { ...(isEmpty ? {} : { Attributes: shown }), ...capacity(input, table, writeUnits(before, next)) };
}

export const itemOperations = {
  PutItem: (input, call) => write('put', 'PutItem', input, call),
  UpdateItem: (input, call) => write('update', 'UpdateItem', input, call),
  DeleteItem: (input, call) => write('delete', 'DeleteItem', input, call),
  GetItem(input, call) {
    const { table, item, shown } = readOne(input, call);
    return {
      ...(shown === undefined ? {} : { Item: shown }),
      ...capacity(input, table, readUnits(sizeOf(item ?? {}), input.ConsistentRead)),
    };
  },
};

/** One item, and what the call wants to see of it. */
export function readOne(input, call) {
  const table = tableOf(call, input.TableName);
  const parser = parserOf(input);
  const paths =
    input.ProjectionExpression === undefined ? undefined : parser.projection(input.ProjectionExpression);
  parser.checkUsed();
  const item = findItem(call, table, checkedKey(table, input.Key));
  return { table, item, shown: item === undefined ? undefined : project(item, paths) };
}
