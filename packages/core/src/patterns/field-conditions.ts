import type { Miss } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { CompileTools, Pointer } from '../contract/tools.js';
import { pointTo } from '../validation/pointer.js';
import { testAny, type PatternSource } from './pattern.js';

/** What the fields of a message, such as its headers, must be. */
export type FieldConditions = (
  fields: Readonly<Record<string, string | readonly string[]>> | undefined,
  message: Message,
) => true | Miss;

/**
 * Compiles patterns for headers, whose names are compared without case; of one that came more than once any value may match.
 *
 * @param label - what reasons call a field
 * @returns `undefined` when everything matches
 */
export function compileHeaders(
  source: Readonly<Record<string, PatternSource>> | undefined,
  tools: Pick<CompileTools, 'pattern'>,
  at: Pointer,
  label = 'header',
): FieldConditions | undefined {
  const conditions = Object.entries(source ?? {})
    .map(([name, wanted]) => ({
      name,
      key: name.toLowerCase(),
      pattern: tools.pattern(wanted, pointTo(at, name)),
    }))
    .filter(({ pattern }) => !pattern.any);
  if (conditions.length === 0) return undefined;
  return (fields, message) => {
    for (const { name, key, pattern } of conditions) {
      const values = fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (testAny(pattern, values, message)) continue;
      const shown = typeof values === 'object' ? values.join(', ') : values;
      return () => pattern.reason(`${label} ${name}`, shown, message);
    }
    return true;
  };
}
