import { Type, closedObject, type EmissionDeclaration } from '@backlot/core/plugin';

/** The sender of a mail that names none. */
export const DEFAULT_FROM = 'backlot@localhost';
/** Mails that nobody has sent. */
export const EMISSION: EmissionDeclaration = {
  summary: 'Takes in a mail as if a client had sent it: it is captured, and is where captured mail is shown.',
  schema: closedObject({
    to: Type.Union(
      [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })],
      {
        description: 'The receivers: one, or a list.',
      },
    ),
    from: Type.Optional(
      Type.String({
        minLength: 1,
        default: DEFAULT_FROM,
        description: 'The sender, as `Ann <ann@example.com>`.',
      }),
    ),
    subject: Type.Optional(Type.String({ description: 'The subject.' })),
    text: Type.Optional(Type.String({ description: 'The text.' })),
    raw: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The whole message with its header, in place of subject and text.',
      }),
    ),
  }),
  examples: [{ to: 'ann@example.com', subject: 'Your order', text: 'It is on its way.' }],
};
