import { choiceOf, patternField, PlaceSchema, placesField, Type } from '@backlot/core/plugin';
import { DIALECTS, OTHER_KINDS } from './dialects/fields.js';

/** Marks the mock that stands for the match of a fault. */
export const IS_OF_FAULT: unique symbol = Symbol('the match of a fault');

/** The schemas of fields of a mock that hold less in the match of a fault: a fault answers by itself. */
export const MATCH_FIELDS = {
  path: Type.String({ minLength: 1, description: 'The path, as in a mock; absent is any.' }),
  namespace: Type.String({
    description: '`dialect: socket.io`: the namespace, a pattern like that of a path; absent is any.',
  }),
  dialect: choiceOf(DIALECTS, {
    description: 'The dialect, in whose terms the messages are; absent is any, also none.',
    elsewhere: OTHER_KINDS,
  }),
  on_message: Type.Array(
    Type.Object(
      {
        match: Type.Optional(
          patternField('The text of the message; without it and `match_binary` any message.'),
        ),
        match_binary: Type.Optional(
          Type.String({ description: 'The bytes of a binary message, in base64.' }),
        ),
        event: Type.Optional(patternField('`dialect: socket.io` and `phoenix`: the event.')),
        target: Type.Optional(patternField('`dialect: signalr`: the method of the hub.')),
        args: Type.Optional(
          Type.Array(PlaceSchema, { description: '`dialect: socket.io` and `signalr`: the arguments.' }),
        ),
        payload: Type.Optional(
          placesField('`dialect: phoenix`: patterns or values by place in the payload.'),
        ),
      },
      { additionalProperties: false },
    ),
    { description: 'Messages, of which one must match; without it all of them do, and handshakes as well.' },
  ),
};

/** What makes a mock match handshakes and every message: it has something for all of them. */
const ANYTHING = { on_connect: { send: '-' }, on_message: [{}] };

/** The same in a dialect. */
const ANYTHING_SAID = { on_connect: {}, on_message: [{}] };

/** The mock that stands for the match of a fault. */
export function wholeMock(
  match: Readonly<Record<string, unknown>>,
): Readonly<Record<string | symbol, unknown>> {
  const anything = match['dialect'] === undefined ? ANYTHING : ANYTHING_SAID;
  return {
    path: '*',
    ...(match['dialect'] === 'socket.io' ? { namespace: '*' } : {}),
    ...(match['on_message'] === undefined ? anything : {}),
    ...match,
    [IS_OF_FAULT]: true,
  };
}
