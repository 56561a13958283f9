/**
 * How many fields and elements one stored value may hold, all levels together: it is checked, copied and frozen at once. A
 * wide object is a hash table, whose fields cost several times as much.
 */
export const MAX_VALUES = 50_000;
const WIDE_OBJECT = 100;
const WIDE_FIELD = 4;

/**
 * Whether a JSON value holds more than `most` fields and elements, {@link MAX_VALUES} where nothing is said, each field of an object beyond its first
 * hundred counted as four; looks at no more than that.
 */
export function holdsTooMuch(value: unknown, most = MAX_VALUES): boolean {
  let left = most;
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
      let fields = 0;
      for (const name in next) {
        fields += 1;
        left -= fields > WIDE_OBJECT ? WIDE_FIELD : 1;
        if (left < 0) return true;
        add((next as Record<string, unknown>)[name]);
      }
    }
  }
  return false;
}
