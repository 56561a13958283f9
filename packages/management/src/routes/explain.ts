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
  outcome: Type.String({ description: 'What would become of it, such as `matched` or `unmatched`.' }),
  mock_id: Type.Optional(Type.String({ description: 'The mock that would answer.' })),
  mock_ids: Type.Optional(Type.Array(Type.String(), { description: 'Those that would answer together.' })),
  others: Type.Array(NearMissSchema, { description: 'Why each other mock would not.' }),
});

/** Which mock of a kind would answer a message, without traffic and without counting. */
export function explainRoutes(kind: Kind): ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: `/api/explain/${kind.kind}`,
      name: `explain${pascalCase(kind.kind)}Message`,
      tag: 'Explain',
      summary: `Which mock of ${kind.protocol.meta.title} would answer a message, and why each other one would not.`,
      description: 'The message has the form of a log entry.',
      body: Type.Object({}, { additionalProperties: true, description: 'A message as the log shows it.' }),
      responses: {
        200: answers('The explanation.', ExplanationSchema),
        400: fails('This is no message of the kind.'),
        503: NOT_ENABLED,
      },
      handle({ body }) {
        checkEnabled(kind);
        return { body: kind.explain(body) };
      },
    },
  ];
}
