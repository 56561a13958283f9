import {
  base64Field,
  jsonField,
  patternField,
  PatternSchema,
  textField,
  Type,
  type ValueOf,
} from '@backlot/core/plugin';

/** What `protocols.coap` may hold beside core's fields. */
export const ConfigSchema = Type.Object({}, { additionalProperties: false });

const CodeSchema = Type.Union([Type.String(), Type.Number()]);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    method: Type.Optional(
      Type.String({
        examples: ['GET', 'POST', 'PUT', 'DELETE', 'FETCH', 'PATCH', 'iPATCH', '*'],
        description:
          'GET, POST, PUT, DELETE, FETCH, PATCH or iPATCH, in any case; absent or `*` is any method.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        description:
          'The path as a path pattern: `{name}` captures a segment, `*` is one, a trailing `/*` is everything below; ' +
          'absent is any path.',
      }),
    ),
    path_regex: Type.Optional(
      Type.String({ description: 'A regular expression that the decoded path must match as well.' }),
    ),
    query: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description: 'Patterns by the name of a Uri-Query parameter; one without `=` has an empty value.',
      }),
    ),
    payload: Type.Optional(
      patternField('The payload, put together from its blocks, as a pattern; absent is any payload.'),
    ),
    response: Type.Optional(
      Type.Object(
        {
          code: Type.Optional(
            Type.Unsafe<ValueOf<typeof CodeSchema>>({
              ...CodeSchema,
              description:
                'The response code as `c.dd`, 2.00 to 5.31; absent: 2.05 for GET and FETCH, 2.02 for DELETE, 2.04 for ' +
                'the others.',
            }),
          ),
          payload: textField({ description: 'The payload; a template. Sent in blocks when it is large.' }),
          json: jsonField('payload'),
          payload_base64: base64Field('payload'),
          content_format: Type.Optional(
            Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.String({ minLength: 1 })], {
              description:
                'The content format by number or name, such as 60 or application/json; absent: JSON when the payload ' +
                'is JSON, application/octet-stream when it is given in base64, else text/plain, and none for an error or without a payload.',
            }),
          ),
        },
        { additionalProperties: false, description: 'What is answered.' },
      ),
    ),
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    code: Type.Optional(
      Type.Unsafe<ValueOf<typeof CodeSchema>>({
        ...CodeSchema,
        description: 'The response code of the answer, as `c.dd`.',
      }),
    ),
    drop: Type.Optional(
      Type.Boolean({
        description: 'Answer and acknowledge nothing, so that the client runs into its time-out.',
      }),
    ),
  },
  { additionalProperties: false },
);
