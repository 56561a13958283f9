import { compiledOnce, PatternSchema, placesField, Type, type ValueOf } from '@backlot/core/plugin';
import { AuthSchema } from '../auth/index.js';

const PatternMap = (description: string) =>
  Type.Optional(Type.Record(Type.String(), PatternSchema, { description }));

const requestFields = {
  method: Type.Optional(
    Type.String({
      examples: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', '*'],
      description: 'The method; absent or `*` is any. `GET` matches HEAD as well.',
    }),
  ),
  path: Type.Optional(
    Type.String({
      description:
        'A path pattern: `{name}` and `*` take one segment, a trailing `/*` all below, `re:` a regular expression.',
    }),
  ),
  path_regex: Type.Optional(
    Type.String({ description: 'A regular expression over the decoded path (RE2 syntax).' }),
  ),
  host: Type.Optional(PatternSchema),
  headers: PatternMap('Patterns by header name; names compare without case.'),
  query: PatternMap('Patterns by query parameter; of a repeated one, any value may match.'),
  no_other_query: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether a request with query parameters that `query` does not name is another one.',
    }),
  ),
  body: Type.Optional(PatternSchema),
  body_json: Type.Optional(
    placesField(
      'Patterns or values by place in a JSON body, such as `user.roles.0` or `items.*.id`; for a pattern what is no text compares as its JSON.',
    ),
  ),
  auth: Type.Optional(AuthSchema),
  cookies: PatternMap('Patterns by cookie name.'),
  form: Type.Optional(
    placesField(
      'Patterns or values by field of an urlencoded or multipart form, or by its place in the nested form, such as `items[0][price]` or `items.0.price`; of a repeated one, any value may match.',
    ),
  ),
  parts: Type.Optional(
    Type.Record(
      Type.String(),
      placesField('Patterns or values for `filename`, `type`, `headers` and `body`, or places in them.'),
      { description: 'Parts of a multipart body by name, or by number from 0.' },
    ),
  ),
};

/** One of the requests that a mock answers. */
const AlternativeSchema = compiledOnce(Type.Object(requestFields, { additionalProperties: false }));

/** Which requests a mock answers; all that is given must hold. */
export const RequestSchema = Type.Object(
  {
    ...requestFields,
    any_of: Type.Optional(
      Type.Array(AlternativeSchema, {
        minItems: 1,
        maxItems: 100,
        description: 'Requests, of which one is enough; the other fields beside it must hold too.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Which requests the mock answers; all that is given must hold.',
  },
);

/** See {@link AlternativeSchema}. */
export type RequestFields = ValueOf<typeof AlternativeSchema>;
