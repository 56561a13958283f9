import type { Kind } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import {
  NOT_ENABLED,
  answers,
  checkEnabled,
  fails,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';
import { putEach } from './put-each.js';

/** Sending messages by the service of a kind; nothing for a kind that does not publish. */
export function publishRoutes(kind: Kind): ManagementRoute[] {
  const { publish } = kind.protocol;
  if (publish === undefined) return [];
  return [
    {
      method: 'POST',
      path: `/api/${kind.kind}/messages`,
      name: `publish${pascalCase(kind.kind)}Messages`,
      tag: 'Data',
      summary: publish.summary,
      description:
        'One message, or a list of them that is sent in order. They are neither matched nor captured, and not in the journal.',
      body: Type.Union([publish.schema, Type.Array(publish.schema, { minItems: 1 })]),
      examples: publish.examples,
      hostChecksBody: true,
      responses: {
        200: answers('What became of it.', Type.Union([publish.result, Type.Array(publish.result)])),
        400: fails('A message is not valid; details name every problem.'),
        404: fails('What it is sent to does not exist.'),
        503: NOT_ENABLED,
      },
      async handle({ body }) {
        checkEnabled(kind);
        return { body: await putEach(body, (message) => kind.data.publish(message)) };
      },
    },
  ];
}
