import type { Check, Kind } from '@backlot/core';
import {
  CheckSchema,
  EXPECTATION_FIELDS,
  SpanMatchSchema,
  Type,
  expectedMessageSchemaOf,
} from '@backlot/core/plugin';
import { answers, fails, type ManagementRoute } from './management-route.js';

const Near = {
  id: Type.String({ description: 'The id of its log entry.' }),
  method: Type.String(),
  path: Type.String(),
};

/** What became of a check. */
export const VerdictSchema = Type.Object({
  verified: Type.Boolean({ description: 'Whether all of it holds.' }),
  looked_at: Type.Integer({ description: 'How many messages were looked at.' }),
  expectations: Type.Array(
    Type.Object({
      verified: Type.Boolean(),
      protocol: Type.String(),
      name: Type.Optional(Type.String()),
      count: Type.Integer({ description: 'How many messages fit.' }),
      ids: Type.Array(Type.String(), { description: 'The ids of their log entries: the first 100.' }),
      problem: Type.Optional(Type.String({ description: 'What is wrong.' })),
      nearest: Type.Optional(
        Type.Array(Type.Object({ ...Near, reason: Type.String({ description: 'What differs.' }) }), {
          description: 'Where too few fit: the messages of the protocol that come nearest, at most 3.',
        }),
      ),
    }),
    { description: 'One for each of `expect`, in the same order.' },
  ),
  unexpected: Type.Optional(
    Type.Array(Type.Object(Near), {
      description: 'Messages of `nothing_else` that nobody expected: the first 10.',
    }),
  ),
  unexpected_count: Type.Optional(Type.Integer({ description: 'How many those are.' })),
});

/** Whether what was expected over all protocols has come. */
export function verifyRoutes(kinds: readonly Kind[]): ManagementRoute[] {
  // The declaration of a kind that nobody uses is not there: the description loads all of them first.
  const loaded = kinds.filter(({ protocol }) => protocol.load === undefined);
  const messages = Object.fromEntries(
    loaded.map(({ kind, protocol }) => [kind, Type.Optional(expectedMessageSchemaOf(protocol))]),
  );
  const { expect } = CheckSchema.properties;
  const items = Type.Object({ ...EXPECTATION_FIELDS, ...messages, span: Type.Optional(SpanMatchSchema) });
  return [
    {
      method: 'POST',
      path: '/api/verify',
      name: 'verify',
      gather: { as: 'check' },
      tag: 'Logs',
      summary:
        'Says whether the messages were received that are expected, over all protocols, and waits for them.',
      description:
        'Each expectation has one field that is called as a protocol is, with the fields by which a mock of it says what it matches, or `span` for spans of applications. The answer is 200 whether it holds or not: `verified` says it.',
      body: Type.Object(
        { ...CheckSchema.properties, expect: Type.Array(items, { description: expect.description ?? '' }) },
        { additionalProperties: false },
      ),
      hostChecksBody: true,
      examples: kinds
        .slice(0, 1)
        .map(({ kind }) => ({ expect: [{ [kind]: { mock: 'order' }, times: 1 }], within: '5s' })),
      responses: {
        200: answers('Whether it holds, and what is wrong.', VerdictSchema),
        400: fails('The check is not valid; details name every problem.'),
        409: fails('A reset came first.'),
      },
      async handle({ body, signal }, host) {
        return { body: await host.verify(body as Check, signal) };
      },
    },
  ];
}
