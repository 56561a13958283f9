/**
 * A text that two values share exactly when they are the same as JSON, whatever the order of their keys.
 *
 * @param without - fields of the value itself that do not count
 */
export function contentOf(value: unknown, without: readonly string[] = []): string {
  if (!isObject(value)) return JSON.stringify(sorted(value)) ?? '';
  return JSON.stringify(
    sorted(Object.fromEntries(Object.entries(value).filter(([name]) => !without.includes(name)))),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
