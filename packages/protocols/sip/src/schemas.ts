import { base64Field, jsonField, patternField, PatternSchema, textField, Type } from '@backlot/core/plugin';

/** What `protocols.sip` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    idle_timeout: Type.Optional(
      Type.String({
        default: '15m',
        description:
          'How long a TCP connection may be without traffic before it is closed, a duration such as `30s`; `0` is for ever.',
      }),
    ),
  },
  { additionalProperties: false },
);

const HeadersSchema = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
  description: 'Further headers, each with a value or a list of them; values are templates.',
});

const REASON = Type.String({
  description: 'The reason phrase; when absent, that of RFC 3261 for the status.',
});
const CONTENT_FIELDS = {
  body: textField({
    description:
      'The body; a template. application/sdp when it begins with `v=0`, else text/plain, unless a header says so.',
  }),
  json: jsonField('body'),
  body_base64: base64Field('body'),
};

const ProvisionalSchema = Type.Union([
  Type.Integer({ minimum: 100, maximum: 199 }),
  Type.Object(
    {
      status: Type.Integer({ minimum: 100, maximum: 199, description: 'The status, 100 to 199.' }),
      reason: Type.Optional(REASON),
      headers: Type.Optional(HeadersSchema),
      ...CONTENT_FIELDS,
    },
    { additionalProperties: false },
  ),
]);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    method: Type.Optional(
      Type.String({
        examples: ['INVITE', 'REGISTER', 'OPTIONS', 'MESSAGE', 'SUBSCRIBE', 'NOTIFY', 'BYE', '*'],
        description: 'The method, such as INVITE; absent or `*` is any method.',
      }),
    ),
    uri: Type.Optional(patternField('The Request-URI as a pattern, such as `sip:bob@*`; absent is any URI.')),
    uri_regex: Type.Optional(
      Type.String({ description: 'A regular expression that the Request-URI must match as well.' }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description:
          'Patterns by header name, whatever its case; compact names are written out, as in `from` for `f`.',
      }),
    ),
    body: Type.Optional(patternField('The body, read as UTF-8, as a pattern; absent is any body.')),
    response: Type.Optional(
      Type.Object(
        {
          status: Type.Optional(
            Type.Integer({
              minimum: 200,
              maximum: 699,
              default: 200,
              description: 'The status of the final answer, 200 to 699.',
            }),
          ),
          reason: Type.Optional(REASON),
          headers: Type.Optional(HeadersSchema),
          ...CONTENT_FIELDS,
        },
        { additionalProperties: false, description: 'The final answer.' },
      ),
    ),
    provisional: Type.Optional(
      Type.Array(ProvisionalSchema, {
        maxItems: 20,
        description:
          'What is answered to an INVITE before the final answer, and before the delay: statuses such as 180, or objects with ' +
          '`status`, `reason`, `headers` and `body`.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    status: Type.Optional(
      Type.Integer({ minimum: 200, maximum: 699, description: 'The status of the answer.' }),
    ),
    reason: Type.Optional(
      Type.String({ description: 'The reason phrase; when absent, that of RFC 3261 for the status.' }),
    ),
    drop: Type.Optional(
      Type.Boolean({
        description:
          'Answer nothing, also when the request comes again, so that the client runs into its time-out.',
      }),
    ),
  },
  { additionalProperties: false },
);
