import { patternField, Type, type ValueOf } from '@backlot/core/plugin';

/** The `auth` field of a request: which credentials it must carry. */
export const AuthSchema = Type.Object(
  {
    type: Type.Union(
      [
        Type.Literal('bearer'),
        Type.Literal('basic'),
        Type.Literal('api_key'),
        Type.Literal('digest'),
        Type.Literal('ntlm'),
      ],
      {
        description:
          'The authentication scheme. `digest` and `ntlm` challenge with 401 when nothing else matches.',
      },
    ),
    token: Type.Optional(patternField('bearer: the token, a pattern. Absent: any token.')),
    jwt: Type.Optional(
      Type.Object(
        {
          key: Type.String({ minLength: 1, description: 'The key of `keys` that has signed the token.' }),
          claims: Type.Optional(
            Type.Record(Type.String(), patternField('A pattern for the claim.'), {
              description:
                'Patterns by place in the claims, such as `sub` or `roles.0`; of a list, any element may match. What is no text ' +
                'compares as its JSON.',
            }),
          ),
          leeway: Type.Optional(
            Type.String({
              description: 'By how much the clocks may differ for `exp` and `nbf`; 0 when absent.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description: 'bearer: the token is a JSON Web Token whose signature, `exp` and `nbf` are verified.',
        },
      ),
    ),
    username: Type.Optional(
      patternField(
        'basic: the user name, a pattern. digest: the user name as plain text, required. ntlm: the user name, or ' +
          '`DOMAIN\\user`, as plain text, any case. Absent: any user.',
      ),
    ),
    password: Type.Optional(
      patternField(
        'basic: the password, a pattern. digest: the password as plain text, required. ntlm: the password as plain ' +
          'text. Absent: any password. A password that is empty or looks like a pattern is given as `{"equals": ...}`.',
      ),
    ),
    users: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'basic and ntlm, in place of `username` and `password`: a collection with the users that are let in, rows with ' +
          '`username`, `password` and, for ntlm, `domain`; those that are `disabled` are not.',
      }),
    ),
    header: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'api_key: the header that holds the key. Default: X-API-Key, unless `query` is given.',
      }),
    ),
    query: Type.Optional(
      Type.String({ minLength: 1, description: 'api_key: the query parameter that holds the key.' }),
    ),
    value: Type.Optional(patternField('api_key: the key, a pattern. Absent: any key.')),
    challenge: Type.Optional(
      Type.Boolean({
        description:
          'basic and bearer: answer 401 with WWW-Authenticate when only the authentication fails and nothing else ' +
          'matches, instead of skipping the mock. digest and ntlm always do.',
      }),
    ),
    realm: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        default: 'backlot',
        description: 'The realm named in the challenge; for ntlm the name of the target. Printable ASCII.',
      }),
    ),
    algorithm: Type.Optional(
      Type.Union(
        [
          Type.Literal('MD5'),
          Type.Literal('MD5-sess'),
          Type.Literal('SHA-256'),
          Type.Literal('SHA-256-sess'),
          Type.Literal('SHA-512-256'),
          Type.Literal('SHA-512-256-sess'),
        ],
        {
          description:
            'digest: the only algorithm offered and accepted. Absent: MD5 and SHA-256, in this order, since clients ' +
            "that read only the first offer, such as Python's urllib, often know only MD5.",
        },
      ),
    ),
    qop: Type.Optional(
      Type.Union([Type.Literal('auth'), Type.Literal('auth-int')], {
        default: 'auth',
        description: 'digest: the quality of protection; `auth-int` covers the request body too.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Credentials that the request must carry.' },
);

/** The `auth` field as a mock holds it. */
export type AuthDefinition = ValueOf<typeof AuthSchema>;
