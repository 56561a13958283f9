import { bytesOf, EtcdError, keyValue, operation, textOf } from './store.mjs';

const TARGETS = {
  Version: ['version', 'version'],
  Create: ['create_revision', 'create_revision'],
  Mod: ['mod_revision', 'mod_revision'],
  Lease: ['lease', 'lease'],
};
const SORTED_BY = {
  Version: ({ version }) => version,
  Create: ({ create_revision: at }) => at,
  Mod: ({ mod_revision: at }) => at,
};
/** A key that is not there, in a comparison. */
const NOTHING = { version: 0, create_revision: 0, mod_revision: 0, lease: '0', value: '' };
const MAX_OPERATIONS = 128;

function requireKey({ key = '' }) {
  if (key === '') throw new EtcdError('INVALID_ARGUMENT', 'key is not provided');
}

function readRange(request, store) {
  requireKey(request);
  const { limit = 0, keys_only: keysOnly = false, count_only: countOnly = false } = request;
  const found = store.find(request, Number(request.revision ?? 0));
  const within = (value, low, high) =>
    value >= Number(low ?? 0) && (Number(high ?? 0) === 0 || value <= Number(high));
  const wanted = found.filter(
    (row) =>
      within(row.mod_revision, request.min_mod_revision, request.max_mod_revision) &&
      within(row.create_revision, request.min_create_revision, request.max_create_revision),
  );
  const rows = sort(wanted, request);
  const most = Number(limit) === 0 ? rows.length : Number(limit);
  return {
    count: found.length,
    more: rows.length > most,
    kvs: countOnly ? [] : rows.slice(0, most).map((row) => keyValue(row, !keysOnly)),
  };
}

function sort(rows, { sort_order: order = 'None', sort_target: target = 'Key' }) {
  const sorted = [...rows];
  if (target === 'Value') sorted.sort((a, b) => bytesOf(a.value).compare(bytesOf(b.value)));
  else if (target !== 'Key') sorted.sort((a, b) => SORTED_BY[target](a) - SORTED_BY[target](b));
  return order === 'Descend' ? sorted.reverse() : sorted;
}

function writePut(request, store) {
  requireKey(request);
  const key = textOf(request.key);
  const before = store.get(key);
  const { ignore_value: keepsValue = false, ignore_lease: keepsLease = false } = request;
  if ((keepsValue || keepsLease) && before === undefined)
    throw new EtcdError('INVALID_ARGUMENT', 'key not found');
  const lease = keepsLease ? before.lease : String(request.lease ?? '0');
  if (lease !== '0' && !store.leases.has(lease))
    throw new EtcdError('NOT_FOUND', 'requested lease not found');
  store.put(key, keepsValue ? before.value : textOf(request.value), lease);
  return request.prev_kv === true && before !== undefined ? { prev_kv: keyValue(before) } : {};
}

function deleteRange(request, store) {
  requireKey(request);
  const rows = store.find(request);
  for (const row of rows) store.remove(row);
  return { deleted: rows.length, prev_kvs: request.prev_kv === true ? rows.map((row) => keyValue(row)) : [] };
}

function holds(comparison, store) {
  const { result = 'Equal', target = 'Version' } = comparison;
  const found = store.find(comparison);
  if (found.length === 0 && target === 'Value') return false;
  return (found.length === 0 ? [NOTHING] : found).every((row) => {
    const order =
      target === 'Value' ? compareValues(row, comparison) : compareNumbers(row, comparison, target);
    switch (result) {
      case 'Greater':
        return order > 0;
      case 'Less':
        return order < 0;
      case 'NotEqual':
        return order !== 0;
      default:
        return order === 0;
    }
  });
}

function compareValues(row, { value = '' }) {
  return bytesOf(row.value).compare(Buffer.from(value, 'base64'));
}

function compareNumbers(row, comparison, target) {
  const [field, given] = TARGETS[target];
  const [a, b] = [BigInt(row[field]), BigInt(comparison[given] ?? 0)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** All of a transaction is done, or nothing. */
function runWhole(request, store) {
  try {
    return runTransaction(request, store);
  } catch (thrown) {
    store.rollBack();
    throw thrown;
  }
}

function runTransaction(request, store) {
  const { compare = [], success = [], failure = [] } = request;
  if (Math.max(compare.length, success.length, failure.length) > MAX_OPERATIONS)
    throw new EtcdError('INVALID_ARGUMENT', 'too many operations in txn request');
  checkOnce(success);
  checkOnce(failure);
  const succeeded = compare.every((comparison) => holds(comparison, store));
  const responses = (succeeded ? success : failure).map((step) => {
    const header = store.header;
    if (step.request_range !== undefined)
      return { response_range: { header, ...readRange(step.request_range, store) } };
    if (step.request_put !== undefined)
      return { response_put: { header, ...writePut(step.request_put, store) } };
    if (step.request_delete_range !== undefined)
      return { response_delete_range: { header, ...deleteRange(step.request_delete_range, store) } };
    return { response_txn: { header, ...runTransaction(step.request_txn ?? {}, store) } };
  });
  return { succeeded, responses };
}

/** A transaction puts no key twice. */
function checkOnce(steps) {
  const keys = steps.flatMap(({ request_put: put }) => (put === undefined ? [] : [put.key]));
  if (new Set(keys).size < keys.length)
    throw new EtcdError('INVALID_ARGUMENT', 'duplicate key given in txn request');
}

export const range = operation(readRange);
export const put = operation(writePut);
export const remove = operation(deleteRange);
export const transact = operation(runWhole);
export const compact = operation(({ revision = 0 }, store) => {
  store.compact(Number(revision));
  return {};
});
