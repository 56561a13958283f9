import { patternField, Type } from '@backlot/core/plugin';

/** The schemas of fields of a mock that hold less in the match of a fault: a fault answers by itself. */
export const MATCH_FIELDS = {
  on_message: Type.Array(
    Type.Object(
      {
        match: Type.Optional(
          patternField('The text of the message; without it and `match_binary` any message.'),
        ),
        match_binary: Type.Optional(
          Type.String({ description: 'The bytes of a binary message, in base64.' }),
        ),
      },
      { additionalProperties: false },
    ),
    { description: 'Messages, of which one must match; without it all of them do, and handshakes as well.' },
  ),
};

/** What makes a mock match handshakes and every message: it has something for all of them. */
const ANYTHING = { on_connect: { send: '-' }, on_message: [{}] };

/** The mock that stands for the match of a fault. */
export function wholeMock(match: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { path: '*', ...(match['on_message'] === undefined ? ANYTHING : {}), ...match };
}
