import { AsyncLocalStorage } from 'node:async_hooks';

/** What jest keeps with a running test or hook, so that an error which nobody catches is told of the right one. */
const FIELDS = new Set(['test', 'hook', 'describeBlock']);

/**
 * Keeps what jest knows of the running test in a plain variable. Jest keeps it in an `AsyncLocalStorage`, for tests
 * that run at the same time; while one is in use, Node follows every promise of the process with hooks, which is a
 * tenth and more of the work of a suite. Here tests run one after the other, so that one variable says the same. Every
 * other `AsyncLocalStorage` works as always.
 */
export function keepTestContextPlain() {
  const { run } = AsyncLocalStorage.prototype;
  /** @type {(this: AsyncLocalStorage<unknown>, store: unknown, callback: (...args: unknown[]) => unknown, ...args: unknown[]) => unknown} */
  AsyncLocalStorage.prototype.run = function (store, callback, ...args) {
    if (!isTestContext(store)) return run.call(this, store, callback, ...args);
    makePlain(this);
    return this.run(store, callback, ...args);
  };
}

/**
 * @param {unknown} store
 * @returns {boolean} whether it is what jest keeps
 */
function isTestContext(store) {
  if (typeof store !== 'object' || store === null) return false;
  const names = Object.keys(store);
  return names.length > 0 && names.every((name) => FIELDS.has(name));
}

/** @param {AsyncLocalStorage<unknown>} storage */
function makePlain(storage) {
  /** @type {unknown} */
  let current;
  /** @type {(store: unknown, callback: (...args: unknown[]) => unknown, ...args: unknown[]) => unknown} */
  const run = (store, callback, ...args) => {
    const before = current;
    current = store;
    const restore = () => {
      current = before;
    };
    const returned = callback(...args);
    // Jest gives async functions alone. This handler is the first of the promise: it is done before jest goes on.
    if (isThenable(returned)) returned.then(restore, restore);
    else restore();
    return returned;
  };
  Object.assign(storage, { run, getStore: () => current });
}

/**
 * A promise of another realm is no `Promise` of ours.
 *
 * @param {unknown} value
 * @returns {value is PromiseLike<unknown>}
 */
function isThenable(value) {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
