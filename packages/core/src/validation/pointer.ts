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

/**
 * A copy of a JSON value in which the places that a pointer names are changed. A step `*` stands for each element of a
 * list that is there; other steps are made when they are missing.
 */
export function changeAt(value: unknown, pointer: string, change: (before: unknown) => unknown): unknown {
  return changeParts(value, pointerParts(pointer), change);
}

function changeParts(
  value: unknown,
  parts: readonly string[],
  change: (before: unknown) => unknown,
): unknown {
  const [name, ...rest] = parts;
  if (name === undefined) return change(value);
  if (rest[0] === '*') {
    const list = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    if (!isObject(value) || !Array.isArray(list)) return value;
    return { ...value, [name]: list.map((element: unknown) => changeParts(element, rest.slice(1), change)) };
  }
  const copy: Record<string, unknown> = isObject(value) ? { ...value } : {};
  const inner = Object.hasOwn(copy, name) ? copy[name] : undefined;
  defineOwn(copy, name, changeParts(inner, rest, change));
  return copy;
}

/** Sets an own property whatever its name, `__proto__` included. */
export function defineOwn(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
