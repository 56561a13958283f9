/** How many fields and elements one stored value may hold, all levels together: it is checked, copied and frozen at once. */
export const MOST_VALUES = 100_000;

/** Whether a JSON value holds more than {@link MOST_VALUES} fields and elements; looks at no more than that. */
export function holdsTooMuch(value: unknown): boolean {
  let left = MOST_VALUES;
  const waiting: object[] = [];
  const add = (inner: unknown): void => {
    if (typeof inner === 'object' && inner !== null) waiting.push(inner);
  };
  add(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (ArrayBuffer.isView(next)) continue;
    if (Array.isArray(next)) {
      left -= next.length;
      if (left < 0) return true;
      for (const item of next as unknown[]) add(item);
    } else {
      for (const name in next) {
        left -= 1;
        if (left < 0) return true;
        add((next as Record<string, unknown>)[name]);
      }
    }
  }
  return false;
}
