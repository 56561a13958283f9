import type { Kind } from '@backlot/core';
import { Type, emissionOf, type Json } from '@backlot/core/plugin';
import {
  NOT_ENABLED,
  answers,
  checkEnabled,
  fails,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';

/** Making a kind send something now; nothing for a kind that sends nothing by itself. */
export function emitRoutes(kind: Kind): ManagementRoute[] {
  const emission = emissionOf(kind.protocol);
  if (emission === undefined) return [];
  return [
    {
      method: 'POST',
      path: `/api/emit/${kind.kind}`,
      name: `emit${pascalCase(kind.kind)}`,
      tag: 'Reactions',
      summary: emission.summary,
      description: 'It is what a reaction does with the same fields; nothing is rendered.',
      body: emission.schema,
      hostChecksBody: true,
      examples: emission.examples,
      responses: {
        200: answers('What became of it.', Type.Object({}, { additionalProperties: true })),
        400: fails('It is not valid; details name every problem.'),
        404: fails('What it is sent to does not exist.'),
        500: fails('It could not be sent.'),
        503: NOT_ENABLED,
      },
      async handle({ body }, host) {
        checkEnabled(kind);
        return { body: await host.emit(kind.kind, body as Json) };
      },
    },
  ];
}
