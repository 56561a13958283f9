/** Levels that are copied by calls within each other. */
const MAX_DEPTH = 200;

/**
 * A deep copy of a JSON value that nobody can change. Texts are shared with what was given, however long they are.
 *
 * @throws DataCloneError when it holds a function or a symbol
 */
export function frozenCopy<T>(value: T): T {
  return copyOf(value, MAX_DEPTH) as T;
}

function copyOf(value: unknown, depth: number): unknown {
  if (isSimple(value)) return value;
  if (depth > 0 && Array.isArray(value))
    return Object.freeze(value.map((item: unknown) => copyOf(item, depth - 1)));
  if (depth === 0 || !isPlain(value)) return deepFreeze(structuredClone(value));
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const copied = copyOf(inner, depth - 1);
    if (key === '__proto__')
      Object.defineProperty(copy, key, {
        value: copied,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else copy[key] = copied;
  }
  return Object.freeze(copy);
}

/** Whether it is of a kind that cannot be changed, and that JSON has. */
function isSimple(value: unknown): boolean {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  );
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Freezes a JSON value and everything in it. */
export function deepFreeze<T>(value: T): T {
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const inner of Object.values(next))
      if (typeof inner === 'object' && inner !== null) waiting.push(inner);
  }
  return value;
}
