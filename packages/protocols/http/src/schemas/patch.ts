import { DelaySchema, Type } from '@backlot/core/plugin';
import { StatusSchema } from './response.js';

/** What PATCH takes, flat or under `response`; `null` takes a field away. */
const patchFields = {
  status: Type.Optional(
    Type.Union([StatusSchema, Type.Null()], {
      description: 'The status code; `null` puts the default back.',
    }),
  ),
  headers: Type.Optional(
    Type.Union(
      [
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()])),
        Type.Null(),
      ],
      {
        description:
          'Merged into the headers; a value of `null` removes that header, `null` alone removes all.',
      },
    ),
  ),
  body: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'The body; `null` removes it.' }),
  ),
  json: Type.Optional(
    Type.Unknown({ description: 'The body as a JSON value, in place of the one that the mock has.' }),
  ),
  body_base64: Type.Optional(
    Type.String({ description: 'The bytes of the body in base64, in place of the one that the mock has.' }),
  ),
  delay: Type.Optional(
    Type.Union([DelaySchema, Type.Null()], { description: 'The delay; `null` removes it.' }),
  ),
};

/** The body of PATCH. */
export const PatchSchema = Type.Object(
  {
    ...patchFields,
    response: Type.Optional(
      Type.Object(patchFields, {
        additionalProperties: false,
        description: 'The same fields, under the name that they have in a mock.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Changes the answer until the next PUT, PATCH or reset.' },
);
