/** A part of a document with what its references are to in their places; those to components that hold themselves stay. */
export function expand(part: unknown, document: { readonly components: object }): unknown {
  if (Array.isArray(part)) return part.map((each) => expand(each, document));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref: reference, ...rest } = part as { readonly $ref?: unknown };
  if (typeof reference !== 'string' || reference.includes('/Recursive'))
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, expand(value, document)]));
  const found = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document);
  if (found === undefined) throw new Error(`there is no ${reference}`);
  return { ...(expand(found, document) as object), ...rest };
}
