/** Schemas that tables name, with a link to a page of their own, and those that hold themselves. */
const NAMED = /^(?:Pattern|Place|Recursive.*)$/;

/**
 * A document, or a part of one, with what its references are to in their places: the tables describe it there.
 *
 * @template Part
 * @param {Part} part
 * @param {Readonly<Record<string, any>>} document where the references lead
 * @param {(name: string) => boolean} [keeps] which references to schemas stay
 * @returns {Part}
 */
export function inline(part, document, keeps = (name) => NAMED.test(name)) {
  if (Array.isArray(part)) return /** @type {any} */ (part.map((each) => inline(each, document, keeps)));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref: reference, ...beside } = /** @type {Record<string, any>} */ (part);
  if (typeof reference === 'string') {
    const steps = reference.split('/').slice(1);
    const isSchema = steps.at(-2) === '$defs' || steps.at(-2) === 'schemas';
    if (isSchema && keeps(steps.at(-1) ?? '')) return part;
    const found = steps.reduce((value, step) => value?.[step], /** @type {any} */ (document));
    if (found === undefined) throw new Error(`the document has no ${reference}`);
    return { ...inline(found, document, keeps), ...beside };
  }
  return /** @type {any} */ (
    Object.fromEntries(Object.entries(part).map(([key, value]) => [key, inline(value, document, keeps)]))
  );
}
