import { Type } from '@sinclair/typebox';
import { publishAs } from '../contract/published-schemas.js';
import { compiledOnce } from '../validation/shared-schemas.js';
import type { PatternObject } from '../contract/fields.generated.js';

export type { PatternObject };

/** A pattern as a mock holds it: a text with `*` and `re:`, or an object. */
export type PatternSource = string | PatternObject;

/** What a place must hold: a pattern, or a value whose texts are patterns. */
export type PlaceSource = PatternSource | NestedSource | number | boolean | null | readonly PlaceSource[];

/** Members that an object must have, each a pattern or a value. */
export interface NestedSource {
  readonly [name: string]: PlaceSource;
}

// Nested patterns are open here and checked by compilePattern: a recursive schema needs an $id, which clashes when
// one mock's schema holds several patterns.
const NestedSchema = Type.Unsafe<PatternSource>(Type.Union([Type.String(), Type.Object({})]));

const nested = (description: string) =>
  Type.Optional(Type.Unsafe<PatternSource>({ ...NestedSchema, description }));
const patterns = (description: string) =>
  Type.Optional(Type.Array(NestedSchema, { minItems: 1, description }));
const text = (description: string) => Type.Optional(Type.String({ description }));
const number = (description: string) => Type.Optional(Type.Number({ description }));
const date = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Number()], { description }));

/** What `json` holds. */
const JsonPatternSchema = Type.Object(
  {
    equals: Type.Optional(Type.Unknown({ description: 'The whole value.' })),
    partial: Type.Optional(
      Type.Unknown({
        description:
          'A part of the value: objects may have more members, and lists more elements before, between and behind.',
      }),
    ),
    ignore_order: Type.Optional(
      Type.Boolean({ default: false, description: 'The elements of lists may stand in any order.' }),
    ),
  },
  { additionalProperties: false, description: 'The text is JSON, and equal to a value or a part of it.' },
);

/** What `json_path` and `xpath` hold. */
const query = (language: string, description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.String({ description: `${language}; it must find something.` }),
        Type.Object(
          {
            path: Type.String({ description: `${language}.` }),
            is: Type.Optional(
              Type.Unsafe<PatternSource>({
                ...NestedSchema,
                description: 'A pattern that one of the values matches that are found; absent is any value.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
      ],
      { description },
    ),
  );

/** The schema of a pattern field. It has no `$id` and may stand in one schema many times. */
export const PatternSchema = publishAs(
  'Pattern',
  Type.Unsafe<PatternSource>(
    compiledOnce(
      Type.Union(
        [
          Type.String({
            description:
              'Exact text; `*` is any run of characters, `\\*` a star; `re:` starts a regular expression.',
          }),
          Type.Object(
            {
              equals: text('Exactly this text; a star is a star here.'),
              contains: text('This text anywhere.'),
              prefix: text('Starts with this text.'),
              suffix: text('Ends with this text.'),
              regex: text('A regular expression (RE2), unanchored.'),
              any_of: patterns('At least one of these patterns matches.'),
              all_of: patterns('All of these patterns match.'),
              not: nested('This pattern does not match.'),
              present: Type.Optional(
                Type.Literal(true, { description: 'There is a value, whatever it is.' }),
              ),
              absent: Type.Optional(Type.Literal(true, { description: 'There is no value.' })),
              gt: number('A number greater than this; also a text that is one.'),
              gte: number('A number greater than this or equal.'),
              lt: number('A number less than this.'),
              lte: number('A number less than this or equal.'),
              before: date(
                'A date before this one: RFC 3339, an HTTP date, seconds or milliseconds since 1970, `now`, `now-5m`.',
              ),
              after: date('A date after this one.'),
              within: text('A date that is at most this duration before or after now, such as `5m`.'),
              length: Type.Optional(
                Type.Union([Type.Number(), NestedSchema], {
                  description:
                    'The number of elements of a list, or of characters of a text: a number, or a pattern such as `{gte: 1}`.',
                }),
              ),
              same_as: text(
                'What this template makes of the same message, such as `{{request.headers.x-user}}`.',
              ),
              json: Type.Optional(JsonPatternSchema),
              each: nested('A list of JSON whose elements all match this pattern.'),
              some: nested('A list of JSON of which an element matches this pattern.'),
              json_schema: Type.Optional(
                Type.Unknown({
                  description: 'JSON that this JSON Schema describes (draft 2020-12 without `$schema`).',
                }),
              ),
              json_path: query('A JSONPath (RFC 9535)', 'JSON in which a JSONPath finds something.'),
              xpath: query('An XPath 1.0 expression', 'XML in which an XPath selects something.'),
            },
            {
              additionalProperties: false,
              minProperties: 1,
              description: 'All that is given must hold; `not`, `any_of` and others hold patterns.',
            },
          ),
        ],
        { description: 'A pattern; empty or missing matches anything.' },
      ),
    ),
  ),
);

/** The schema of a pattern field, with a description of its own in place of the general one. */
export function patternField(description: string): typeof PatternSchema {
  return Type.Unsafe<PatternSource>({ ...PatternSchema, description });
}

/** What must stand at a place of a value of JSON: a pattern, or a value as nested as in the JSON itself. */
export const PlaceSchema = publishAs(
  'Place',
  Type.Unsafe<PlaceSource>({
    anyOf: [
      { type: 'string' },
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'null' },
    ],
    description:
      'A pattern, or a value: texts in it are patterns, and objects and lists may hold more than it does.',
  }),
);

/** The schema of patterns and values by place in a value of JSON. */
export function placesField(description: string) {
  return Type.Record(Type.String(), PlaceSchema, { description });
}
