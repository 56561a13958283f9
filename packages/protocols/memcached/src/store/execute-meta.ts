import type { MemcachedMessage } from '../message.js';
import { DONE, EXISTS, MISSING, NOT_STORED, stored, type Result } from '../result.js';
import type { MetaFlags } from '../wire/meta-flags.js';
import { addTo, compare, lengthen } from './execute.js';
import { expiryOf } from './expiry.js';
import { Item } from './item.js';
import type { Store } from './store.js';

const SECOND = 1000;

/** Does what a meta command says. */
export function executeMeta(store: Store, message: MemcachedMessage, flags: MetaFlags): Result {
  store.counters.cmd_meta += 1;
  switch (message.method) {
    case 'mg':
      return metaGet(store, message, flags);
    case 'ms':
      return metaSet(store, message, flags);
    case 'md':
      return metaDelete(store, message, flags);
    case 'ma':
      return metaCount(store, message, flags);
    default: {
      const item = store.find(message.key);
      return item === undefined ? MISSING : { code: 'done', item };
    }
  }
}

function metaGet(store: Store, { key }: MemcachedMessage, flags: MetaFlags): Result {
  const { counters, clock } = store;
  const now = clock.now();
  counters.cmd_get += 1;
  let item = store.find(key);
  let hasWon = false;
  counters[item === undefined ? 'get_misses' : 'get_hits'] += 1;
  if (item === undefined) {
    if (flags.vivify === undefined) return MISSING;
    const made = store.put(key, '', 0, expiryOf(flags.vivify, now));
    if (!(made instanceof Item)) return stored(made);
    item = made;
    hasWon = true;
  }
  const before = { wasFetched: item.isFetched, lastAccess: item.lastAccess };
  if (flags.exptime !== undefined) {
    counters.cmd_touch += 1;
    counters.touch_hits += 1;
    item.expiresAt = expiryOf(flags.exptime, now);
  }
  const isDue =
    flags.recache !== undefined && item.expiresAt !== 0 && item.expiresAt - now < flags.recache * SECOND;
  if ((isDue || item.isStale) && !item.hasWinner) hasWon = true;
  const marks = `${item.hasWinner ? ' Z' : ''}${item.isStale ? ' X' : ''}${hasWon ? ' W' : ''}`;
  if (hasWon) item.hasWinner = true;
  if (!flags.has('u')) store.use(item);
  return { code: 'done', item, marks, before };
}

function metaSet(store: Store, message: MemcachedMessage, flags: MetaFlags): Result {
  const { key, value = '' } = message;
  store.counters.cmd_set += 1;
  const old = store.find(key);
  const { mode } = flags;
  if (mode === 'E' && old !== undefined) {
    store.use(old);
    return NOT_STORED;
  }
  if ((mode === 'R' || mode === 'A' || mode === 'P') && old === undefined) return NOT_STORED;
  let isStale = false;
  if (flags.cas !== undefined) {
    const refusal = compare(store, old, flags.cas);
    isStale = refusal === EXISTS && flags.has('I') && old !== undefined && flags.cas < old.cas;
    if (refusal !== undefined && !isStale) return refusal;
  }
  if (mode === 'A' || mode === 'P') {
    return lengthen(store, { method: mode === 'A' ? 'append' : 'prepend', key, value }, old);
  }
  const result = stored(
    store.put(key, value, flags.clientFlags, expiryOf(flags.exptime ?? 0, store.clock.now())),
  );
  if (isStale && result.item !== undefined) result.item.isStale = true;
  return result;
}

function metaDelete(store: Store, { key }: MemcachedMessage, flags: MetaFlags): Result {
  const item = store.find(key);
  if (item === undefined) {
    store.counters.delete_misses += 1;
    return MISSING;
  }
  if (flags.cas !== undefined && flags.cas !== item.cas) return EXISTS;
  if (!flags.has('I')) {
    store.counters.delete_hits += 1;
    store.remove(item);
    return DONE;
  }
  if (flags.exptime !== undefined) item.expiresAt = expiryOf(flags.exptime, store.clock.now());
  item.isStale = true;
  item.hasWinner = false;
  item.cas = store.nextCas();
  return DONE;
}

function metaCount(store: Store, { key }: MemcachedMessage, flags: MetaFlags): Result {
  const { counters } = store;
  const isUp = flags.mode !== 'D' && flags.mode !== '-';
  const item = store.find(key);
  if (item === undefined) {
    counters[isUp ? 'incr_misses' : 'decr_misses'] += 1;
    if (flags.vivify === undefined) return MISSING;
    return stored(store.put(key, flags.initial.toString(), 0, expiryOf(flags.vivify, store.clock.now())));
  }
  if (flags.cas !== undefined && flags.cas !== item.cas) return EXISTS;
  const result = addTo(store, item, isUp ? flags.delta : -flags.delta);
  if (result.item === undefined) return result;
  if (flags.exptime !== undefined) result.item.expiresAt = expiryOf(flags.exptime, store.clock.now());
  counters[isUp ? 'incr_hits' : 'decr_hits'] += 1;
  return result;
}
