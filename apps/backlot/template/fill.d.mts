/** See `fill.mjs`. */
export function fillTemplate(
  templates: readonly string[],
  target: string,
  names: { readonly kind: string; readonly version: string },
): string[];
