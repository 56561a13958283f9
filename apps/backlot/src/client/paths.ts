/** A path of the management API; each value is encoded. */
export function apiPath(strings: TemplateStringsArray, ...values: readonly (string | undefined)[]): string {
  return strings.reduce((path, part, index) => path + encodeURIComponent(values[index - 1] ?? '') + part);
}

/** A query text with its question mark; values that are absent are left out. */
export function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
