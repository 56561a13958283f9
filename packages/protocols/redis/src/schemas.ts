import { closedObject, patternField, Type } from '@backlot/core/plugin';

/** What `protocols.redis` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  mode: Type.Optional(
    Type.Union([Type.Literal('mock'), Type.Literal('stateful')], {
      default: 'stateful',
      description:
        'How a command is answered that no mock matches: in `stateful` from data, as Redis does; in `mock` with an error, except those that client libraries send on their own.',
    }),
  ),
  data: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Mode `stateful`: the keys that are there from the start, and after a reset. A text or a number is a string, a list a list, an object a hash; `{ type, value, ttl, database }` tells any type.',
    }),
  ),
  password: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The password of the user `default`; without it, and without `users`, any login passes, and so does none.',
    }),
  ),
  users: Type.Optional(
    Type.Array(
      closedObject({
        username: Type.String({
          minLength: 1,
          description: 'The name; `default` is the user that a client is that has not logged in.',
        }),
        password: Type.Optional(
          Type.String({
            description: 'The password; without it `rules` tell who logs in, such as `nopass`.',
          }),
        ),
        rules: Type.Optional(
          Type.String({
            description:
              'What the user may do, as ACL SETUSER takes it: `~app:* &app:* +@read -keys`; without it everything.',
          }),
        ),
      }),
      {
        maxItems: 1000,
        description:
          'Who may log in, and what each may do. The user `default` may do everything without a login, unless it is one of these, or `password` is set.',
      },
    ),
  ),
  max_memory: Type.Optional(
    Type.Integer({
      minimum: 1024,
      default: 256 * 1024 * 1024,
      description:
        'The most bytes of stored data; commands that need more are answered with an error of class OOM.',
    }),
  ),
  max_request_bytes: Type.Optional(
    Type.Integer({
      minimum: 1024,
      maximum: 512 * 1024 * 1024,
      default: 64 * 1024 * 1024,
      description: 'The most bytes of one request, and of one stored string.',
    }),
  ),
  cluster: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Mode `stateful`: it is the one node of a cluster, which has all slots; keys of different slots get CROSSSLOT.',
    }),
  ),
  sentinel: Type.Optional(
    closedObject(
      {
        master: Type.String({ minLength: 1, description: 'The name of the master, such as `mymaster`.' }),
      },
      { description: 'Mode `stateful`: it also answers as a sentinel whose one master it is itself.' },
    ),
  ),
  max_script_memory: Type.Optional(
    Type.Integer({
      minimum: 17 * 1024 * 1024,
      maximum: 2 * 1024 * 1024 * 1024,
      default: 64 * 1024 * 1024,
      description: 'The most bytes that Lua takes for scripts; a script that needs more fails.',
    }),
  ),
  max_script_instructions: Type.Optional(
    Type.Integer({
      minimum: 10_000,
      default: 1_000_000_000,
      description:
        'The most instructions of Lua that one script carries out; it is ended then, whatever it has written.',
    }),
  ),
});

/** The types of an answer. */
export const RESPONSE_TYPES = [
  'string',
  'bulk',
  'integer',
  'double',
  'boolean',
  'array',
  'map',
  'set',
  'error',
  'nil',
  'null',
  'nil_array',
] as const;

/** The type of an answer. */
export type ResponseType = (typeof RESPONSE_TYPES)[number];

const ResponseSchema = closedObject(
  {
    type: Type.Union(
      RESPONSE_TYPES.map((type) => Type.Literal(type)),
      {
        description:
          'The type of the answer: `string` is a simple string, `nil` and `null` are both no value, and `nil_array` is no list. A client of RESP2 gets the form it knows.',
      },
    ),
    value: Type.Optional(
      Type.Unknown({
        description:
          'The value; texts are templates. Elements of `array`, `set` and `map` are plain values, or objects of `type` and `value`; a text that is one tag, such as `{{row}}`, inserts a whole list or object.',
      }),
    ),
  },
  { description: 'The answer.' },
);

/** A mock's own fields. */
export const MockSchema = closedObject({
  command: Type.String({
    minLength: 1,
    description: 'The command, in any case, also with a subcommand (`CLIENT LIST`); `*` is any command.',
  }),
  key: Type.Optional(
    patternField(
      'A pattern for the first key (for PUBLISH and the like: the channel); absent is any, and none.',
    ),
  ),
  args: Type.Optional(
    Type.Array(patternField('A pattern.'), {
      description:
        'Patterns for the arguments behind the key, one by one; there may be more arguments than patterns.',
    }),
  ),
  access: Type.Optional(
    Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('data')], {
      description:
        'What the command does to keys: `write` is for those that may change some, `read` for those that only look, `data` for both; absent is any.',
    }),
  ),
  response: Type.Optional(ResponseSchema),
});

/** A fault's own fields. */
export const FaultSchema = closedObject({
  error: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The whole text of the error, its class in front: `LOADING the dataset is in memory`.',
    }),
  ),
});
