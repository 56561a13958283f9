import { TestEnvironment } from 'jest-environment-node';
import { watchForStandstill } from './standstill.mjs';
import { keepTestContextPlain } from './test-context.mjs';

keepTestContextPlain();

/** Longer than any watch lets a test go on: the time-out of jest itself, which goes by the clock, never comes first. */
const NEVER = 2 ** 31 - 1;

/**
 * Node, where the time-out of a test or hook is how long it may stand still and not how long it may take: what works
 * goes on, also on a machine where it gets a fifth of a processor.
 */
export default class PatientEnvironment extends TestEnvironment {
  /** The functions that are watched already: a hook runs once for each test. */
  #watched = new WeakSet();

  /**
   * @param {{ name: string, test?: Patient, hook?: Patient }} event
   * @param {{ testTimeout: number }} state
   *
   * @typedef {object} Patient
   * @property {((...args: unknown[]) => unknown) | undefined} fn
   * @property {number | undefined} timeout
   * @property {Error} asyncError
   */
  handleTestEvent(event, state) {
    const each =
      event.name === 'test_fn_start' ? event.test : event.name === 'hook_start' ? event.hook : undefined;
    if (each?.fn === undefined || this.#watched.has(each.fn)) return;
    const { fn, timeout, asyncError } = each;
    const limit = timeout ?? state.testTimeout;
    each.timeout = NEVER;
    each.fn = function (...args) {
      const returned = fn.apply(this, args);
      return isPromise(returned) ? whileMoving(returned, limit, asyncError) : returned;
    };
    this.#watched.add(each.fn);
  }
}

/**
 * A promise of another realm is no `Promise` of ours.
 *
 * @param {unknown} value
 * @returns {value is PromiseLike<unknown>}
 */
function isPromise(value) {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * @param {PromiseLike<unknown>} promise
 * @param {number} limit
 * @param {Error} place whose stack says where the test stands
 */
function whileMoving(promise, limit, place) {
  return new Promise((resolve, reject) => {
    const stop = watchForStandstill(limit, (problem) => {
      const error = new Error(problem);
      error.stack = `${error.message}\n${place.stack?.split(/\r?\n/).slice(1).join('\n')}`;
      reject(error);
    });
    promise.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error) => {
        stop();
        reject(error);
      },
    );
  });
}
