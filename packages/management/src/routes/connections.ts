import type { ConnectionFilter, Farewell, Kind } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import {
  NOT_ENABLED,
  answers,
  checkEnabled,
  fails,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';

const tag = 'Connections';

/** An open connection. */
export const ConnectionSchema = Type.Object({
  id: Type.String(),
  remote: Type.String({ description: 'The address and port of the client.' }),
  user: Type.Optional(Type.String({ description: 'Who has logged in; absent while nobody has.' })),
  client: Type.Optional(
    Type.String({ description: 'What the client calls itself, where the protocol has that.' }),
  ),
  age_ms: Type.Integer({ description: 'Milliseconds of real time since it was taken.' }),
  bytes_in: Type.Integer({ description: 'Bytes that came over it, those of TLS included.' }),
  bytes_out: Type.Integer({ description: 'Bytes that were sent or wait to be sent, those of TLS included.' }),
  subscriptions: Type.Optional(
    Type.Array(Type.String(), {
      description: 'What it listens to; absent for a protocol without subscriptions.',
    }),
  ),
});

/** Which connections are closed, and how. */
export const ConnectionCloseSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'One connection of the list.' })),
    remote: Type.Optional(Type.String({ description: 'Those of this address, with or without its port.' })),
    user: Type.Optional(Type.String({ description: 'Those on which this user has logged in.' })),
    client: Type.Optional(Type.String({ description: 'Those of the client that calls itself so.' })),
    how: Type.Optional(
      Type.Union([Type.Literal('end'), Type.Literal('reset'), Type.Literal('goodbye')], {
        default: 'end',
        description:
          '`end`: in the ordinary way. `reset`: with a TCP RST. `goodbye`: with the last words of the protocol, where it has some, and once the answers being made are sent.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'All that is given must hold; without anything all are meant.',
  },
);

/** The open connections of one kind: their list, and closing them. */
export function connectionRoutes(kind: Kind): ManagementRoute[] {
  const path = `/api/connections/${kind.kind}`;
  const { title } = kind.protocol.meta;
  return [
    {
      method: 'GET',
      path,
      name: `list${pascalCase(kind.kind)}Connections`,
      gather: { as: 'list' },
      tag,
      summary: `The open connections of ${title}.`,
      description: 'Datagrams belong to no connection: where there is nothing else the list is empty.',
      pages: {},
      responses: {
        200: answers('The open connections, the oldest first.', Type.Array(ConnectionSchema)),
        503: NOT_ENABLED,
      },
      handle() {
        checkEnabled(kind);
        return { list: kind.connections.list() };
      },
    },
    {
      method: 'POST',
      path: `${path}/close`,
      name: `close${pascalCase(kind.kind)}Connections`,
      gather: { as: 'sums', fields: ['closed'] },
      tag,
      summary: `Closes open connections of ${title}.`,
      body: ConnectionCloseSchema,
      examples: [{ user: 'ada', how: 'reset' }, { how: 'goodbye' }],
      responses: {
        200: answers(
          'They are closed.',
          Type.Object({ status: Type.Literal('closed'), closed: Type.Integer({ description: 'How many.' }) }),
        ),
        400: fails('The choice is not valid.'),
        503: NOT_ENABLED,
      },
      handle({ body }) {
        checkEnabled(kind);
        const { how, ...filter } = body as ConnectionFilter & { how?: Farewell };
        return { body: { status: 'closed', closed: kind.connections.close(filter, how) } };
      },
    },
  ];
}
