/** Appends a name to a JSON pointer (RFC 6901). */
export function pointTo(base: string, name: string | number): string {
  return `${base}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The names in a JSON pointer. */
export function pointerParts(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A copy of a JSON value in which the place that the pointer names holds another value; what is missing on the way is made. */
export function setAt(value: unknown, pointer: string, replacement: unknown): unknown {
  return setParts(value, pointerParts(pointer), replacement);
}

function setParts(value: unknown, parts: readonly string[], replacement: unknown): unknown {
  const [name, ...rest] = parts;
  if (name === undefined) return replacement;
  const copy: Record<string, unknown> = isObject(value) ? { ...value } : {};
  const inner = Object.hasOwn(copy, name) ? copy[name] : undefined;
  defineOwn(copy, name, setParts(inner, rest, replacement));
  return copy;
}

/** The value at a pointer; own properties only. */
export function getAt(value: unknown, pointer: string): unknown {
  let current = value;
  for (const name of pointerParts(pointer)) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** Sets an own property whatever its name, `__proto__` included. */
export function defineOwn(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
