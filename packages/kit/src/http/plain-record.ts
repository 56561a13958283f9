/**
 * An object whose names are plain data: `__proto__` and `constructor` too. Other than `Object.create(null)` it keeps
 * the engine's quick form, which counts where one is made per request.
 */
export function plainRecord<T>(): Record<string, T> {
  return new Plain() as Record<string, T>;
}

const Plain = function () {
  // Only its prototype matters.
} as unknown as new () => object;
Plain.prototype = Object.freeze(Object.create(null) as object);
