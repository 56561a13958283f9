import { COMMANDS } from '../commands.js';
import type { MemcachedMessage } from '../message.js';
import {
  DONE,
  EXISTS,
  MISSING,
  NOT_NUMERIC,
  NOT_STORED,
  NO_MEMORY,
  TOO_LARGE,
  stored,
  type Result,
} from '../result.js';
import { parseStored } from '../wire/numbers.js';
import { flatten } from '../wire/latin.js';
import { expiryOf } from './expiry.js';
import type { Item } from './item.js';
import type { Store } from './store.js';

const WRAP = 2n ** 64n;

/** Does what a command of the text or binary protocol says. */
export function execute(store: Store, message: MemcachedMessage): Result {
  switch (COMMANDS.get(message.method)?.operation) {
    case 'get':
      return get(store, message);
    case 'store':
      return put(store, message);
    case 'delete':
      return remove(store, message);
    case 'count':
      return count(store, message);
    case 'touch':
      return touch(store, message);
    default:
      store.counters.cmd_flush += 1;
      store.flush(message.exptime);
      return DONE;
  }
}

function get(store: Store, { method, key, exptime }: MemcachedMessage): Result {
  const { counters } = store;
  const touches = method === 'gat' || method === 'gats';
  const item = store.find(key);
  counters.cmd_get += 1;
  if (touches) counters.cmd_touch += 1;
  if (item === undefined) {
    counters.get_misses += 1;
    if (touches) counters.touch_misses += 1;
    return MISSING;
  }
  counters.get_hits += 1;
  if (touches) {
    counters.touch_hits += 1;
    item.expiresAt = expiryOf(exptime, store.clock.now());
  }
  store.use(item);
  return { code: 'done', item };
}

function touch(store: Store, { key, exptime }: MemcachedMessage): Result {
  const { counters } = store;
  counters.cmd_touch += 1;
  const item = store.find(key);
  if (item === undefined) {
    counters.touch_misses += 1;
    return MISSING;
  }
  counters.touch_hits += 1;
  item.expiresAt = expiryOf(exptime, store.clock.now());
  store.use(item);
  return { code: 'done', item };
}

function remove(store: Store, { key, cas }: MemcachedMessage): Result {
  const { counters } = store;
  const item = store.find(key);
  if (item === undefined) {
    counters.delete_misses += 1;
    return MISSING;
  }
  if (cas !== 0 && cas !== item.cas) return EXISTS;
  counters.delete_hits += 1;
  store.remove(item);
  return DONE;
}

function put(store: Store, message: MemcachedMessage): Result {
  const { method, key, value = '', flags, exptime } = message;
  store.counters.cmd_set += 1;
  const old = store.find(key);
  const refusal = refusePut(store, message, old);
  if (refusal !== undefined) return refusal;
  if (method === 'append' || method === 'prepend') return lengthen(store, message, old);
  return stored(store.put(key, value, flags, expiryOf(exptime, store.clock.now())));
}

/** What keeps the command from storing, if anything does. */
function refusePut(store: Store, message: MemcachedMessage, old: Item | undefined): Result | undefined {
  const { method, cas } = message;
  if (method === 'add' && old !== undefined) {
    store.use(old);
    return NOT_STORED;
  }
  if ((method === 'replace' || method === 'append' || method === 'prepend') && old === undefined) {
    return NOT_STORED;
  }
  if (method !== 'cas' && cas === 0) return undefined;
  return compare(store, old, cas);
}

/** Compares unique numbers: what keeps the command from storing, if anything does. */
export function compare(store: Store, old: Item | undefined, cas: number): Result | undefined {
  const { counters } = store;
  if (old === undefined) {
    counters.cas_misses += 1;
    return MISSING;
  }
  if (old.cas !== cas) {
    counters.cas_badval += 1;
    return EXISTS;
  }
  counters.cas_hits += 1;
  return undefined;
}

/** Adds to the data of an item, which keeps its flags and expiry. */
export function lengthen(
  store: Store,
  { method, key, value = '' }: Pick<MemcachedMessage, 'method' | 'key' | 'value'>,
  old: Item | undefined,
): Result {
  if (old === undefined) return NOT_STORED;
  const longer = method === 'append' ? old.value + value : value + old.value;
  const result = stored(store.put(key, flatten(longer), old.flags, old.expiresAt));
  return result === TOO_LARGE || result === NO_MEMORY ? NOT_STORED : result;
}

function count(store: Store, message: MemcachedMessage): Result {
  const { method, key, delta, initial, cas, exptime } = message;
  const { counters } = store;
  const isUp = method === 'incr';
  const item = store.find(key);
  if (item === undefined) {
    counters[isUp ? 'incr_misses' : 'decr_misses'] += 1;
    if (initial === undefined) return MISSING;
    return stored(store.put(key, initial.toString(), 0, expiryOf(exptime, store.clock.now())));
  }
  if (cas !== 0 && cas !== item.cas) return EXISTS;
  const result = addTo(store, item, isUp ? delta : -delta, message.pads);
  if (result.code === 'done') counters[isUp ? 'incr_hits' : 'decr_hits'] += 1;
  return result;
}

/** Counts an item up, around the end of 64 bits, or down, to 0. */
export function addTo(store: Store, item: Item, delta: bigint, pads = true): Result {
  const old = parseStored(item.value);
  if (old === undefined) return NOT_NUMERIC;
  const sum = old + delta;
  const number = (sum < 0n ? 0n : sum % WRAP).toString();
  const value = pads ? number.padEnd(item.value.length) : number;
  return stored(store.put(item.key, value, item.flags, item.expiresAt));
}
