import { Type } from '@backlot/core/plugin';

const closed = { additionalProperties: false };

export const ConfigSchema = Type.Object(
  { greeting: Type.Optional(Type.String({ description: 'Sent when a client connects.' })) },
  closed,
);

export const MockSchema = Type.Object(
  {
    match: Type.Optional(Type.String({ description: 'The line, as a pattern.' })),
    response: Type.Optional(Type.String({ description: 'The line that is sent back; a template.' })),
    stream: Type.Optional(Type.Boolean({ description: 'Whether the answer stays open.' })),
  },
  closed,
);

export const FaultSchema = Type.Object(
  { text: Type.Optional(Type.String({ description: 'What is sent in place of the answer.' })) },
  closed,
);

export const CaptureSchema = Type.Object(
  { id: Type.String({ description: 'The id.' }), text: Type.String({ description: 'The line.' }) },
  closed,
);

export const StreamSchema = Type.String({ description: 'A further line.' });
