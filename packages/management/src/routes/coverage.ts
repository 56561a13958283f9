import { Type } from '@backlot/core/plugin';
import { CLEARED, ClearedSchema, answers, type ManagementRoute } from './management-route.js';

const touched = (of: string) =>
  Type.Object({
    total: Type.Integer({ description: `How many ${of} the contract has.` }),
    touched: Type.Integer({ description: 'How many of them there was at least one message of.' }),
  });

/** What was touched of the contract of one protocol. */
export const CoverageSchema = Type.Object({
  protocol: Type.String(),
  file: Type.String({ description: 'The file of the contract, or its url.' }),
  mode: Type.Union([Type.Literal('warn'), Type.Literal('enforce')]),
  operations: touched('operations'),
  answers: touched('answers, such as statuses,'),
  violations: Type.Object({
    requests: Type.Integer({ description: 'Messages that broke the contract.' }),
    answers: Type.Integer({ description: 'Answers that did.' }),
  }),
  unknown: Type.Integer({ description: 'Messages for which the contract has no operation.' }),
  list: Type.Array(
    Type.Object({
      name: Type.String({ description: 'The operation, such as `GET /users/{id}`.' }),
      requests: Type.Integer({ description: 'Messages that were received for it.' }),
      answers: Type.Record(Type.String(), Type.Integer(), { description: 'How often each was given.' }),
    }),
    { description: 'All operations, in the order of the contract.' },
  ),
});

/** Which operations and answers of contracts were touched. */
export function coverageRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/coverage',
      name: 'getCoverage',
      tag: 'Contracts',
      summary: 'Which operations and answers of contracts were touched, by protocol.',
      description:
        'Counts of everything since the start, or since they were cleared here; a reset leaves them, and the messages of spaces are among them.',
      responses: {
        200: answers('One entry for each protocol that has a contract.', Type.Array(CoverageSchema)),
      },
      handle: (_request, host) => ({
        body: host.kinds.flatMap(({ contract }) => (contract === undefined ? [] : [contract.coverage()])),
      }),
    },
    {
      method: 'DELETE',
      path: '/api/coverage',
      name: 'clearCoverage',
      tag: 'Contracts',
      summary: 'Begins to count anew what is touched of contracts.',
      responses: { 200: answers('They are all 0.', ClearedSchema) },
      handle(_request, host) {
        for (const { contract } of host.kinds) contract?.clear();
        return CLEARED;
      },
    },
  ];
}
