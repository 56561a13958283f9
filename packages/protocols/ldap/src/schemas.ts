import { closedObject, Type, type ValueOf, patternField } from '@backlot/core/plugin';
import { SCOPES } from './scopes.js';

const ValueSchema = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  closedObject(
    { base64: Type.String({ description: 'The bytes of the value, in base64.' }) },
    { description: 'A value that is not text, in base64.' },
  ),
]);

const AttributesSchema = Type.Record(Type.String(), Type.Union([ValueSchema, Type.Array(ValueSchema)]));

/** Values of attributes by their names. */
export type GivenValues = ValueOf<typeof AttributesSchema>;

const ResultCodeSchema = Type.Union([
  Type.String({ minLength: 1 }),
  Type.Integer({ minimum: 0, maximum: 4096 }),
]);

const UserSchema = closedObject({
  username: Type.String({
    minLength: 1,
    description:
      'A DN, or the value that a DN begins with (`ada` for uid=ada,ou=people,...), or a plain name.',
  }),
  password: Type.String({ description: 'The password.' }),
});

/** An entry of the directory as it is given. */
export const TreeEntrySchema = closedObject({
  dn: Type.String({ minLength: 1, description: 'The name of the entry.' }),
  attributes: Type.Optional(
    Type.Unsafe<ValueOf<typeof AttributesSchema>>({
      ...AttributesSchema,
      description: 'Its attributes; the values of its own name are added where they are missing.',
    }),
  ),
});

/** What `protocols.ldap` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  base_dn: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The naming context: entries are at or below it, and it is there without an entry too. Without it entries may have any name.',
    }),
  ),
  users: Type.Optional(
    Type.Array(UserSchema, {
      description:
        'Who may bind, beside the entries that have a `userPassword`; without it and without such entries any bind passes. An anonymous bind always passes.',
    }),
  ),
  entries: Type.Optional(
    Type.Array(TreeEntrySchema, {
      description: 'Entries that are there from the start, in any order; their values are no templates.',
    }),
  ),
});

const MockEntrySchema = closedObject({
  dn: Type.String({ description: 'The name of the entry, empty for the root DSE; a template.' }),
  attributes: Type.Optional(
    Type.Unsafe<ValueOf<typeof AttributesSchema>>({
      ...AttributesSchema,
      description: 'Values by attribute; texts are templates.',
    }),
  ),
});

/** What mocks can be for. */
export const MOCKED_OPERATIONS = [
  'search',
  'bind',
  'compare',
  'add',
  'modify',
  'delete',
  'modifydn',
] as const;

/** A mock's own fields. */
export const MockSchema = closedObject({
  operation: Type.Optional(
    Type.Union(
      MOCKED_OPERATIONS.map((operation) => Type.Literal(operation)),
      { description: 'What the mock is for; `search` when absent.' },
    ),
  ),
  base_dn: Type.Optional(
    patternField(
      'A DN, or a pattern for one: the base of the search, or the name that another operation is for, is at or below it. Absent is any.',
    ),
  ),
  exact_base: Type.Optional(
    Type.Boolean({
      description:
        'Whether `base_dn` is a name that is meant alone, and nothing below it. It is then taken as it stands: `""` is the root.',
    }),
  ),
  search_scope: Type.Optional(
    Type.Union(
      SCOPES.map((scope) => Type.Literal(scope)),
      {
        description:
          'The scope of the search: `base` the base alone, `one` what is directly below it, `sub` both and all below. Absent is any.',
      },
    ),
  ),
  requested: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      maxItems: 1000,
      description:
        'The attributes that the search asks for, in any order and case; an empty list is `*`. Attributes of the mock are then all answered, as they stand. Absent is any.',
    }),
  ),
  bind_dn: Type.Optional(
    Type.String({
      description: 'Who has bound, as a DN or a plain name; empty for nobody. Absent is anybody.',
    }),
  ),
  body: Type.Optional(
    patternField(
      'What an add, a modify, a modifydn or a compare holds, as LDIF as the log shows it; of a bind `simple`, or SASL and its mechanism.',
    ),
  ),
  filter: Type.Optional(
    Type.String({
      description:
        'The filter of the search, such as `(uid=ada)`: equal as a filter, whatever the case and the order. Absent or `*` is any.',
    }),
  ),
  dn: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The name of the entry that is answered; a template. The base of the search when absent.',
    }),
  ),
  attributes: Type.Optional(
    Type.Unsafe<ValueOf<typeof AttributesSchema>>({
      ...AttributesSchema,
      description:
        'The attributes of that entry: a value or a list of values; texts are templates, `{base64: ...}` is a value that is no text.',
    }),
  ),
  entries: Type.Optional(
    Type.Array(MockEntrySchema, { description: 'Further entries that are answered, in order.' }),
  ),
  references: Type.Optional(
    Type.Array(
      Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })]),
      {
        maxItems: 1000,
        description:
          'Addresses of other servers that go on with the search, such as `ldap://far.example.org/ou=far,dc=example??sub`: a text, or a list of several for the same part. Templates.',
      },
    ),
  ),
  result_code: Type.Optional(
    Type.Unsafe<ValueOf<typeof ResultCodeSchema>>({
      ...ResultCodeSchema,
      description:
        'How the operation ends, as a number or a name such as noSuchObject; success when absent, and compareTrue for a compare. With another code no entries of the directory are added to the answer of a search.',
    }),
  ),
  matched_dn: Type.Optional(
    Type.String({ description: 'The lowest name that was found, as noSuchObject has it. A template.' }),
  ),
  message: Type.Optional(
    Type.String({ description: 'The diagnostic message with which the operation ends. A template.' }),
  ),
  referral: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 100,
      description:
        'Addresses of other servers, such as `ldap://ldap.example.org/dc=example,dc=org`, with which the operation ends: the code is 10 (referral). Templates.',
    }),
  ),
});

/** A fault's own fields. */
export const FaultSchema = closedObject({
  result_code: Type.Optional(
    Type.Unsafe<ValueOf<typeof ResultCodeSchema>>({
      ...ResultCodeSchema,
      description: 'The result code, as a number or a name such as busy.',
    }),
  ),
  referral: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 100,
      description:
        'Addresses of servers to go to in place of this one, such as `ldap://other.example.com/`: the code is 10 (referral).',
    }),
  ),
  message: Type.Optional(Type.String({ description: 'The diagnostic message.' })),
});
