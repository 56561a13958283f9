import type { FunctionName, RespondFunction } from '../contract/respond.js';
import { frozenCopy } from '../validation/freeze.js';

/**
 * Under which a function stands in what stands for it in a stored mock: mocks stay plain JSON that can be shown, patched and
 * compared, and nobody who only writes JSON can bring a function. Two copies of this package may be loaded in one process.
 */
const FUNCTION: unique symbol = Symbol.for('backlot.function');

/**
 * Makes what stands for a function in a mock.
 *
 * @param name - how the mock shows it; the function's own name when absent
 */
export function standForFunction(
  make: RespondFunction,
  name: FunctionName = { function: make.name === '' ? 'anonymous' : make.name },
): FunctionName {
  // Not enumerable: whoever copies it has no function.
  return Object.freeze(Object.defineProperty({ ...name }, FUNCTION, { value: make }));
}

/** The function that a value of `respond` stands for; `undefined` when somebody only wrote it down. */
export function functionOf(respond: unknown): RespondFunction | undefined {
  if (typeof respond !== 'object' || respond === null) return undefined;
  const found = (respond as { readonly [FUNCTION]?: unknown })[FUNCTION];
  return typeof found === 'function' ? (found as RespondFunction) : undefined;
}

/** What is stored of the field `respond` of a mock that was given: of a function what stands for it. */
export function storedRespond(given: unknown): unknown {
  if (typeof given === 'function') return standForFunction(given as RespondFunction);
  return functionOf(given) === undefined ? frozenCopy(given) : given;
}
