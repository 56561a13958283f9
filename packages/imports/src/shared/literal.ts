import { isTree } from '@backlot/contracts';

/** Values of one answer; what is beyond them is no answer that anybody wrote. */
const DEEPEST = 200;

/** A text as a template that gives just this text. */
export function literal(text: string): string {
  return text.includes('{{') ? text.replaceAll('{{', '{{raw "{{"}}') : text;
}

/** A JSON value whose texts are templates that give just these texts. Names are no templates. */
export function literalJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return literal(value);
  if (depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.map((item) => literalJson(item, depth + 1));
  if (!isTree(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, literalJson(member, depth + 1)]),
  );
}
