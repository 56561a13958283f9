import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AfterThis } from './collect-cleanups.js';

/**
 * How many collections in a row must release nothing: finalizers and handles that close release objects a few turns of
 * the event loop after they were called.
 */
const QUIET_ROUNDS = 8;

/** How many objects of a watched class there have been, and how many are still held. */
export interface HeldCount {
  /** How many objects there have been. */
  readonly seen: number;
  /** How many of them something still holds, after a collection. */
  readonly held: number;
}

/**
 * Watches the objects of a class, each from the first call of a method on, for tests that objects which are not used
 * any more are not held by objects that live on. The newest object or two may still be held by code that runs.
 *
 * @param method - a method of the class's prototype that is called on each of its objects
 * @returns a function that collects garbage until nothing more is released, and counts. Wait before until the server has
 * noticed that its clients have left: until then it holds what belongs to them.
 */
export function countHeld<K extends string>(
  afterThis: AfterThis,
  { prototype }: { readonly prototype: Record<K, (...args: never[]) => unknown> },
  method: K,
): () => Promise<HeldCount> {
  const known = new WeakSet();
  const seen: WeakRef<object>[] = [];
  const original = prototype[method] as (...args: unknown[]) => unknown;
  prototype[method] = function watched(this: object, ...args: unknown[]): unknown {
    if (!known.has(this)) {
      known.add(this);
      seen.push(new WeakRef(this));
    }
    return original.apply(this, args);
  };
  afterThis(() => {
    prototype[method] = original;
  });
  return async () => {
    const collect = makeCollector();
    let held = seen.length;
    for (let quiet = 0; quiet < QUIET_ROUNDS; quiet += 1) {
      // An object that was asked for by a WeakRef stays for the rest of the turn.
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      const left = seen.filter((each) => each.deref() !== undefined).length;
      if (left < held) quiet = -1;
      held = left;
    }
    return { seen: seen.length, held };
  };
}

/** The collector of this process, which V8 shows only where it is asked to. */
function makeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
