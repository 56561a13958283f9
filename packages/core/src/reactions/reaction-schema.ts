import { Type } from '@sinclair/typebox';
import { patternField } from '../patterns/pattern-schema.js';

const closed = { additionalProperties: false } as const;
/** So many reactions a host has at most. */
export const MOST_REACTIONS = 1_000;
const MOST_ACTIONS = 100;

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

/** What can set a reaction off beside messages of kinds. */
export const TRIGGER_FIELDS = {
  state: Type.Optional(
    Type.Object(
      {
        key: patternField('The key, as a pattern.'),
        value: Type.Optional(patternField('Its new value, as a pattern; a key that is deleted has none.')),
      },
      { ...closed, description: 'A key of the state is set or deleted.' },
    ),
  ),
  fault: Text('The protocol whose fault is set, changed or cleared.'),
  connection: Type.Optional(
    Type.Object(
      {
        protocol: Type.String({ minLength: 1, description: 'The protocol.' }),
        event: Type.Optional(
          Type.Union([Type.Literal('opened'), Type.Literal('closed')], {
            description: 'Which of the two; both when absent.',
          }),
        ),
      },
      { ...closed, description: 'A connection of a client is opened or closed.' },
    ),
  ),
  webhook: Type.Optional(
    Type.Object(
      {
        mock: Text('The id of the mock or of the reaction that has sent it.'),
        url: Type.Optional(patternField('Where it was sent, as a pattern.')),
        status: Type.Optional(
          patternField('The status that was answered, as a pattern; `failed` without an answer.'),
        ),
      },
      { ...closed, description: 'An attempt to send a webhook has ended.' },
    ),
  ),
  every: Text('Again and again after so long, as in `5s`; at least `10ms`.'),
  at: Text('At a time, as RFC 3339 has it: `2030-01-31T12:00:00Z`. One that has passed sets nothing off.'),
  cron: Text('At the times of a cron expression of five fields, in UTC: `*/15 * * * *`.'),
};

/** What a reaction can do beside what kinds send. */
export const ACTION_FIELDS = {
  state: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
      description: 'Sets keys of the state; keys and values are templates, null deletes.',
    }),
  ),
  scenario: Type.Optional(
    Type.Object(
      {
        activate: Text('The id of a scenario to switch on.'),
        deactivate: Text('The id of one to switch off.'),
      },
      { ...closed, minProperties: 1, description: 'Switches scenarios.' },
    ),
  ),
  fault: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]), {
      description: 'Sets the faults of protocols; null clears.',
    }),
  ),
  incident: Type.Optional(
    Type.Object(
      {
        start: Text('The name of an incident that begins, anew when it runs.'),
        fields: Type.Optional(
          Type.Object(
            {},
            {
              additionalProperties: true,
              description: 'What is said of it: `for`, how long it lasts, and the fields of the incident.',
            },
          ),
        ),
        stop: Text('The name of one that ends.'),
      },
      { ...closed, minProperties: 1, description: 'Begins and ends incidents.' },
    ),
  ),
};

/** How long an action waits. */
export const AFTER_FIELD = Text('How long it waits, as in `200ms`, by the virtual clock; at most 1h.');

/** A reaction, apart from what kinds have for their messages. */
export const ReactionSchema = Type.Object(
  {
    id: Text('Its name; made up when absent.'),
    description: Type.Optional(Type.String({ description: 'What it is for.' })),
    on: Type.Object(TRIGGER_FIELDS, {
      additionalProperties: true,
      minProperties: 1,
      maxProperties: 1,
      description:
        'What sets it off, by one field: the name of a protocol, with the fields by which a mock of it says what it matches and `mock`, `unmatched`, `status`, `fault`; or one of the others.',
    }),
    do: Type.Array(Type.Object({ after: AFTER_FIELD, ...ACTION_FIELDS }, { additionalProperties: true }), {
      minItems: 1,
      maxItems: MOST_ACTIONS,
      description:
        'What it does, in order, each by one field: the name of a protocol, with what it sends; or one of the others. Texts are templates, and `request` is what has set it off.',
    }),
    times: Type.Optional(
      Type.Integer({ minimum: 1, description: 'After so many times it does nothing more.' }),
    ),
    enabled: Type.Optional(Type.Boolean({ default: true, description: 'False: it does nothing.' })),
  },
  closed,
);

/** Fields of views that may come back. */
export const VIEW_FIELDS = {
  runs: Type.Integer({ description: 'How often it was set off since the start or the last reset.' }),
  last_error: Type.Optional(Type.String({ description: 'What went wrong last.' })),
};
