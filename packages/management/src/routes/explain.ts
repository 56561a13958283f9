import type { Kind } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { NearMissSchema } from './log-entry.js';
import {
  NOT_ENABLED,
  answers,
  checkEnabled,
  fails,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';

/** Which mock would answer a message. */
export const ExplanationSchema = Type.Object({
  outcome: Type.String({
    description:
      'What would become of it: `matched`, `unmatched`, `own` for what the protocol itself answers when no mock matches, such as a mail, `challenge`, or `items`.',
  }),
  mock_id: Type.Optional(Type.String({ description: 'The mock that would answer.' })),
  mock_ids: Type.Optional(Type.Array(Type.String(), { description: 'Those that would answer together.' })),
  delays: Type.Optional(
    Type.Array(
      Type.Object({
        source: Type.Union([Type.Literal('mock'), Type.Literal('fault')]),
        mock_id: Type.Optional(
          Type.String({ description: 'The mock that has it; absent for the fault of the protocol.' }),
        ),
        min_ms: Type.Number(),
        median_ms: Type.Number(),
        max_ms: Type.Optional(Type.Number({ description: 'Absent when nothing bounds it.' })),
      }),
      {
        description:
          'What the answer would wait for, in milliseconds; a delay that is always the same has that in all three fields. Those of faults are added to the longest of the mocks.',
      },
    ),
  ),
  fault: Type.Optional(
    Type.Object(
      {
        hits: Type.Boolean({ description: 'Whether it is one that the fault is for, and its turn.' }),
        reason: Type.Optional(Type.String({ description: 'Why not.' })),
      },
      {
        description:
          'Whether the fault of the protocol would hit it now; absent without one that has `match`, `after` or `times`.',
      },
    ),
  ),
  others: Type.Array(NearMissSchema, { description: 'Why each other mock would not.' }),
});

/** Which mock of a kind would answer a message, without traffic and without counting. */
export function explainRoutes(kind: Kind): ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: `/api/explain/${kind.kind}`,
      name: `explain${pascalCase(kind.kind)}Message`,
      reach: 'agreed',
      tag: 'Explain',
      summary: `Which mock of ${kind.protocol.meta.title} would answer a message, and why each other one would not.`,
      description:
        'The message has the form of a log entry, or the fields that mocks have for the same; where the protocol has ' +
        'a natural line for it, such as `GET /users/7`, it may be that line. Unknown fields are refused.',
      body: Type.Union([
        Type.Object({}, { additionalProperties: true, description: 'A message as the log shows it.' }),
        Type.String({ minLength: 1, description: 'A message in one line, as a JSON text.' }),
      ]),
      responses: {
        200: answers('The explanation.', ExplanationSchema),
        400: fails('This is no message of the kind.'),
        503: NOT_ENABLED,
      },
      async handle({ body, signal }) {
        checkEnabled(kind);
        return { body: await kind.explainInSlices(body, signal) };
      },
    },
  ];
}
