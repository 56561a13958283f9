import { Type, type TObject } from '@sinclair/typebox';
import { matchSchemaOf } from '../contract/match-schema.js';
import type { Protocol } from '../contract/protocol.js';
import { patternField } from '../patterns/pattern-schema.js';

const closed = { additionalProperties: false } as const;
const MOST_EXPECTED = 100;

const Duration = (description: string) => Type.Optional(Type.String({ description }));

/** The fields of an expectation beside that of its kind. */
export const EXPECTATION_FIELDS = {
  times: Type.Optional(
    Type.Union(
      [
        Type.Integer({ minimum: 0 }),
        Type.Object(
          {
            min: Type.Optional(Type.Integer({ minimum: 0 })),
            max: Type.Optional(Type.Integer({ minimum: 0 })),
          },
          { ...closed, minProperties: 1 },
        ),
      ],
      {
        description:
          'How many: exactly so many, 0 for never, or between `min` and `max`. At least one when absent.',
      },
    ),
  ),
  name: Type.Optional(Type.String({ minLength: 1, description: 'What `before` and `from` call it.' })),
  before: Type.Optional(
    Type.String({ minLength: 1, description: 'The name of an expectation whose messages all come later.' }),
  ),
  apart: Type.Optional(
    Type.Object(
      {
        min: Duration('At least so long, as in `1s`.'),
        max: Duration('At most so long.'),
        from: Type.Optional(
          Type.String({
            minLength: 1,
            description:
              'The name of an expectation: the time is counted from its last message before. Without it, from one message of this expectation to its next.',
          }),
        ),
      },
      { ...closed, description: 'How far apart messages are, by the timestamps of the log.' },
    ),
  ),
};

/** The fields that say which messages of any kind are meant, beside those of its mocks. */
const ANY_KIND_FIELDS = {
  mock: Type.Optional(Type.String({ minLength: 1, description: 'The id of the mock that they matched.' })),
  unmatched: Type.Optional(
    Type.Boolean({
      description:
        'True: those for which a mock was looked for and none matched, unless data of the protocol, or the protocol by itself, has answered. False: those that one matched.',
    }),
  ),
  status: Type.Optional(patternField('The status of the answer as the log shows it, as a pattern.')),
  fault: Type.Optional(Type.Boolean({ description: 'True: those that a fault has hit. False: the others.' })),
};

/** The names of those fields. */
export const ANY_KIND_NAMES: readonly string[] = Object.keys(ANY_KIND_FIELDS);

/** What the field of a kind holds in an expectation. */
export function expectedMessageSchemaOf(protocol: Protocol): TObject {
  const known = made.get(protocol);
  if (known !== undefined) return known;
  const { matching, schema } = protocol.mocks;
  const match = matchSchemaOf(protocol);
  const [only] = matching?.fields ?? [];
  const inner =
    matching?.fields.length === 1 && only !== undefined ? propertiesOf(schema.properties[only]) : {};
  const fields = { ...ANY_KIND_FIELDS, ...inner, ...match.properties };
  const whole = Type.Object(fields, {
    ...closed,
    description: 'Which messages: the fields by which a mock says that, and those of all kinds.',
  });
  made.set(protocol, whole);
  return whole;
}

const made = new WeakMap<Protocol, TObject>();

/** The fields of a kind whose matching half is one object: people may leave that object out. */
export function propertiesOf(schema: unknown): TObject['properties'] {
  const { properties = {} } = (schema ?? {}) as Partial<TObject>;
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, Type.Optional(field)] as const),
  );
}

/** What is checked of a whole check before the fields of kinds are. */
export const CheckSchema = Type.Object(
  {
    expect: Type.Array(Type.Object(EXPECTATION_FIELDS, { additionalProperties: true }), {
      minItems: 1,
      maxItems: MOST_EXPECTED,
      description: 'What is expected: each has one field that is called as a protocol is.',
    }),
    order: Type.Optional(
      Type.Union([Type.Literal('any'), Type.Literal('strict')], {
        description:
          '`strict`: the messages come in the order of the list; others may come between them. `any` when absent.',
      }),
    ),
    within: Duration(
      'How long to wait until it holds, as in `5s`; at most 5m. It is looked at once when absent.',
    ),
    stays: Duration('How long it has to go on holding; at most 5m.'),
    nothing_else: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Protocols of which there must be no other messages than those expected.',
      }),
    ),
    after: Type.Optional(
      Type.String({
        pattern: '^\\d{1,15}$',
        description: 'The id of a log entry: only what came later is looked at.',
      }),
    ),
  },
  closed,
);
