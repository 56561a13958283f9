import type { DryRunOptions, Kind } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { mockSchema } from '../openapi/kind-schemas.js';
import { checkBody } from '../safety/check-value.js';
import { warningHeader } from './mock-warnings.js';
import {
  NOT_ENABLED,
  answers,
  checkEnabled,
  fails,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';

const MOST = 10_000;

const closed = { additionalProperties: false } as const;

const OPTIONS = {
  replaces: Type.Optional(
    Type.String({ minLength: 1, description: 'The id of the one whose place it takes.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST,
      default: 200,
      description: 'How many of the newest messages are looked at.',
    }),
  ),
};

/** The body apart from the mock, which the host checks. */
const GivenSchema = Type.Object({ mock: Type.Unknown(), ...OPTIONS }, closed);

/** What a mock would change. */
export const DryRunSchema = Type.Object({
  looked_at: Type.Integer({ description: 'How many messages of the log were looked at.' }),
  matches: Type.Integer({ description: 'How many of them the mock would match.' }),
  changes: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The log entry of the message.' }),
      method: Type.String(),
      path: Type.String(),
      before: Type.Union([Type.String(), Type.Null()], {
        description: 'The mock that answers now, several with commas between them; null: none.',
      }),
      after: Type.Union([Type.String(), Type.Null()], {
        description: 'The mock that would answer then; `(this)` is the new one without an id.',
      }),
    }),
    { description: 'The messages that another mock than now would answer, the oldest first.' },
  ),
});

/** What a mock would change, before it is created. */
export function dryRunRoutes(kind: Kind): ManagementRoute[] {
  const { noun } = kind.protocol.mocks;
  return [
    {
      method: 'POST',
      path: `/api/dry-run/${kind.kind}`,
      name: `dryRun${pascalCase(kind.kind)}Mock`,
      reach: 'agreed',
      tag: 'Explain',
      summary: `Says what a ${noun} of ${kind.protocol.meta.title} would change, with the newest messages of the log.`,
      description: `The ${noun} is checked as if it were created, and nothing changes. The messages are those of the log, so parts that the log does not hold count as absent.`,
      body: Type.Object({ mock: mockSchema(kind.protocol), ...OPTIONS }, closed),
      hostChecksBody: true,
      responses: {
        200: answers('What would change.', DryRunSchema),
        400: fails('It is not valid; details name every problem, those of the mock from its own root.'),
        404: fails('There is none to replace.'),
        409: fails('One with this id exists.'),
        503: NOT_ENABLED,
      },
      async handle({ body: given, signal }) {
        checkEnabled(kind);
        checkBody(GivenSchema, given);
        const { mock, replaces, limit } = given as { mock: unknown } & DryRunOptions;
        const { warnings, ...body } = await kind.dryRun(mock, { replaces, limit, signal });
        return { body, headers: warningHeader(warnings) };
      },
    },
  ];
}
