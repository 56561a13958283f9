import { types } from 'node:util';

/** Anything that was thrown, as an Error; one of another realm stays itself. */
export function toError(thrown: unknown): Error {
  return types.isNativeError(thrown) ? thrown : new Error(String(thrown));
}

/** Whether a callback gave a promise, of whatever make. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Calls a callback; what it throws, or its promise is rejected with, goes to `onError`. */
export function runIsolated(fn: () => unknown, onError: (error: unknown) => void): void {
  try {
    const result = fn();
    if (isPromise(result)) result.then(undefined, onError);
  } catch (error) {
    onError(error);
  }
}
