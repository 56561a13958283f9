import { Type } from '@sinclair/typebox';
import type { PatternObject } from '../contract/fields.generated.js';

export type { PatternObject };

/** A pattern as a mock holds it: a text with `*` and `re:`, or an object. */
export type PatternSource = string | PatternObject;

// Nested patterns are open here and checked by compilePattern: a recursive schema needs an $id, which clashes when
// one mock's schema holds several patterns.
const NestedSchema = Type.Unsafe<PatternSource>(Type.Union([Type.String(), Type.Object({})]));

/** The schema of a pattern field. It has no `$id` and may stand in one schema many times. */
export const PatternSchema = Type.Unsafe<PatternSource>(
  Type.Union(
    [
      Type.String({
        description:
          'Exact text; `*` is any run of characters, `\\*` a star; `re:` starts a regular expression.',
      }),
      Type.Object(
        {
          equals: Type.Optional(Type.String({ description: 'Exactly this text; a star is a star here.' })),
          contains: Type.Optional(Type.String({ description: 'This text anywhere.' })),
          prefix: Type.Optional(Type.String({ description: 'Starts with this text.' })),
          suffix: Type.Optional(Type.String({ description: 'Ends with this text.' })),
          regex: Type.Optional(Type.String({ description: 'A regular expression (RE2), unanchored.' })),
          any_of: Type.Optional(
            Type.Array(NestedSchema, { minItems: 1, description: 'At least one of these patterns matches.' }),
          ),
          not: Type.Optional(
            Type.Unsafe<PatternSource>({ ...NestedSchema, description: 'This pattern does not match.' }),
          ),
          present: Type.Optional(Type.Literal(true, { description: 'There is a value, whatever it is.' })),
          absent: Type.Optional(Type.Literal(true, { description: 'There is no value.' })),
        },
        {
          additionalProperties: false,
          minProperties: 1,
          description: 'All that is given must hold; `not` and `any_of` hold patterns.',
        },
      ),
    ],
    { description: 'A pattern; empty or missing matches anything.' },
  ),
);

/** The schema of a pattern field, with a description of its own in place of the general one. */
export function patternField(description: string): typeof PatternSchema {
  return Type.Unsafe<PatternSource>({ ...PatternSchema, description });
}
