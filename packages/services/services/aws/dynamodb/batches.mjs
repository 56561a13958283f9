import { createHash } from 'node:crypto';
import { AwsError } from '../../../aws/errors.mjs';
import { project } from './conditions.mjs';
import { validation } from './errors.mjs';
import { parserOf, planWrite, readOne } from './items.mjs';
import { checkedKey, checkedRow, findItem, idOf, putItem, removeItem, tableOf } from './tables.mjs';
import { isObject } from './values.mjs';

const MAX_WRITES = 25;
const MAX_READS = 100;
const MAX_TRANSACTION = 100;

function requestsOf({ RequestItems: given }, isList) {
  if (given === undefined || Object.keys(given).length === 0)
    throw validation(
      `1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1`,
    );
  const entries = Object.entries(given);
  for (const [name, value] of entries)
    if (Array.isArray(value) !== isList || (isList && !value.every(isObject)))
      throw validation(
        `RequestItems of the table ${name} must be ${isList ? 'a list of requests' : 'an object with Keys'}`,
      );
  return entries;
}

function checkCount(count, limit, name) {
  if (count === 0 || count > limit)
    throw validation(
      `1 validation error detected: Value at '${name}' failed to satisfy constraint: Member must have length less than or equal to ${limit} and greater than or equal to 1, got ${count}`,
    );
}

function checkDistinct(ids, message) {
  if (new Set(ids).size < ids.length) throw validation(message);
}

/** @param isShort - whether only the first of each table is carried out, and the others are given back */
function batchWrite(input, call, isShort) {
  const requests = requestsOf(input, true);
  checkCount(
    requests.reduce((sum, [, list]) => sum + list.length, 0),
    MAX_WRITES,
    'requestItems',
  );
  const left = {};
  const writes = requests.flatMap(([name, list]) => {
    const table = tableOf(call, name);
    const made = list.map(({ PutRequest: put, DeleteRequest: remove }) => {
      if (put !== undefined) return { table, item: checkedRow(table, put.Item) };
      if (remove !== undefined) return { table, key: checkedKey(table, remove.Key) };
      throw validation('Supplied WriteRequest has no PutRequest and no DeleteRequest');
    });
    checkDistinct(
      made.map(({ item, key }) => idOf(table, item ?? key)),
      'Provided list of item keys contains duplicates',
    );
    if (isShort && list.length > 1) left[name] = list.slice(1);
    return isShort ? made.slice(0, 1) : made;
  });
  for (const { table, item, key } of writes) {
    if (item === undefined) removeItem(call, table, key);
    else putItem(call, table, item);
  }
  return { UnprocessedItems: left };
}

function batchGet(input, call, isShort) {
  const requests = requestsOf(input, false);
  checkCount(
    requests.reduce((sum, [, { Keys }]) => sum + (Keys ?? []).length, 0),
    MAX_READS,
    'requestItems',
  );
  const Responses = {};
  const left = {};
  for (const [name, wanted] of requests) {
    const table = tableOf(call, name);
    const parser = parserOf(wanted);
    const paths =
      wanted.ProjectionExpression === undefined ? undefined : parser.projection(wanted.ProjectionExpression);
    parser.checkUsed();
    const keys = (wanted.Keys ?? []).map((key) => checkedKey(table, key));
    checkDistinct(
      keys.map((key) => idOf(table, key)),
      'Provided list of item keys contains duplicates',
    );
    if (isShort && keys.length > 1) left[name] = { ...wanted, Keys: keys.slice(1) };
    Responses[name] = (isShort ? keys.slice(0, 1) : keys).flatMap((key) => {
      const item = findItem(call, table, key);
      return item === undefined ? [] : [project(item, paths)];
    });
  }
  return { Responses, UnprocessedKeys: left };
}

function canceled(reasons) {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new AwsError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { fields: { CancellationReasons: reasons } },
  );
}

const KINDS = { Put: 'put', Update: 'update', Delete: 'delete', ConditionCheck: 'check' };
const TOKEN_TIME = 600_000;

function transactWrite(input, call) {
  const { TransactItems: items = [], ClientRequestToken: token } = input;
  checkCount(items.length, MAX_TRANSACTION, 'transactItems');
  const hash = createHash('sha256').update(JSON.stringify(items)).digest('hex');
  const first = token === undefined ? undefined : call.find('transactions', token);
  if (first !== undefined && first.at + TOKEN_TIME > call.now) {
    if (first.hash === hash) return {};
    throw new AwsError(
      'IdempotentParameterMismatchException',
      'The request uses the same client token as a previous, but non-identical request.',
    );
  }
  const plans = items.map((one) => {
    const [name, ...others] = Object.keys(one).filter((key) => one[key] !== undefined);
    if (others.length > 0 || KINDS[name] === undefined)
      throw validation('TransactItems can only contain one of Check, Put, Update or Delete');
    return planWrite(KINDS[name], one[name], call);
  });
  checkDistinct(
    plans.map(({ table, key }) => idOf(table, key)),
    'Transaction request cannot include multiple operations on one item',
  );
  const nexts = [];
  const reasons = plans.map((plan) => {
    try {
      plan.check();
      nexts.push(plan.next());
      return { Code: 'None' };
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const Code =
        error.code === 'ConditionalCheckFailedException' ? 'ConditionalCheckFailed' : 'ValidationError';
      return { Code, Message: error.message, ...error.fields };
    }
  });
  if (reasons.some(({ Code }) => Code !== 'None')) throw canceled(reasons);
  for (const [index, plan] of plans.entries()) plan.apply(nexts[index]);
  if (token !== undefined) call.put('transactions', { id: token, hash, at: call.now });
  return {};
}

function transactGet({ TransactItems: items = [] }, call) {
  checkCount(items.length, MAX_TRANSACTION, 'transactItems');
  return {
    Responses: items.map(({ Get: get = {} }) => {
      const { shown } = readOne(get, call);
      return shown === undefined ? {} : { Item: shown };
    }),
  };
}

export const batchOperations = {
  BatchWriteItem: (input, call) => batchWrite(input, call, call.isShort === true),
  BatchGetItem: (input, call) => batchGet(input, call, call.isShort === true),
  TransactWriteItems: transactWrite,
  TransactGetItems: transactGet,
};
