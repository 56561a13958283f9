import type { Host } from '@backlot/core';
import { Type, type RouteAnswer } from '@backlot/core/plugin';
import type { Replication } from '../replication/replication.js';
import { answers, type ManagementRoute } from './management-route.js';

const HealthSchema = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('stopping')]),
  version: Type.Optional(Type.String({ description: 'The version of the server.' })),
  uptime_ms: Type.Optional(Type.Integer({ description: 'Milliseconds since it was started.' })),
});

/** What `GET /api/protocols` answers of each kind. */
export const ProtocolStatusSchema = Type.Object(
  {
    protocol: Type.String({ description: 'The kind.' }),
    title: Type.String({ description: 'Its name as people write it.' }),
    enabled: Type.Boolean(),
    state: Type.Union([Type.Literal('running'), Type.Literal('stopped'), Type.Literal('failed')]),
    host: Type.Optional(Type.String()),
    port: Type.Optional(Type.Integer()),
    url: Type.Optional(Type.String({ description: 'The url by which clients connect, while it runs.' })),
    transport: Type.Optional(Type.String({ description: 'stream, datagram or both.' })),
    tls: Type.Optional(Type.Boolean()),
    mocks: Type.Optional(Type.Integer({ description: 'How many mocks it has.' })),
    connections: Type.Optional(Type.Integer({ description: 'Open connections.' })),
    messages: Type.Optional(Type.Integer({ description: 'Captured messages.' })),
    upstream: Type.Optional(
      Type.Object(
        {
          url: Type.Optional(
            Type.String({ description: 'Where it leads; absent where each message says that itself.' }),
          ),
          mode: Type.String({ description: 'What it is asked for.' }),
          passed: Type.Integer({ description: 'Messages that the upstream has answered.' }),
          recorded: Type.Integer({ description: 'Those of them that became mocks.' }),
          replayed: Type.Integer({ description: 'Messages that a recording has answered.' }),
          missed: Type.Integer({ description: 'Messages that nobody has answered.' }),
          compared: Type.Integer({
            description: 'Answers of mocks that were compared with those of the upstream.',
          }),
          differing: Type.Integer({
            description: 'Those of them that the upstream would have given otherwise.',
          }),
        },
        {
          description:
            'The real server behind it, with what became of the messages since the start. Bytes that pass without being read are not counted.',
        },
      ),
    ),
    exceptions: Type.Optional(
      Type.Integer({
        description: 'Exceptions that were caught since the start; absent when there were none.',
      }),
    ),
    stalls: Type.Optional(
      Type.Integer({
        description:
          'How often it held all others up for more than 200 ms since the start; absent when it did not.',
      }),
    ),
    error: Type.Optional(Type.String({ description: 'Why it failed.' })),
  },
  { additionalProperties: true },
);

const ConfigurationSchema = Type.Object(
  { protocols: Type.Record(Type.String(), Type.Object({}, { additionalProperties: true })) },
  { additionalProperties: true },
);

const ResetSchema = Type.Object({ status: Type.Literal('reset') });

const ReadySchema = Type.Object(
  {
    status: Type.String({ description: '`ready`, or why it is not.' }),
    revision: Type.Optional(
      Type.Integer({ description: 'Of a replica: up to which revision it has made all changes.' }),
    ),
  },
  { additionalProperties: true },
);

/** Whether clients should be sent to it. */
function readinessOf(host: Host, replication: Replication | undefined): RouteAnswer {
  if (host.health === 'stopping') return { status: 503, body: { status: 'stopping' } };
  if (replication === undefined) return { body: { status: 'ready' } };
  const { isReady, view } = replication.readiness();
  return { status: isReady ? 200 : 503, body: view };
}

/** Health, the list of protocols and the reset of everything. */
export function systemRoutes(replication?: Replication): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/ready',
      name: 'getReady',
      tag: 'System',
      summary: 'Whether clients should be sent here.',
      description:
        'A replica of a cluster is ready once it has made all changes that were made before it came. Needs no token, and tells the status alone without it.',
      responses: { 200: answers('It is ready.', ReadySchema), 503: answers('It is not.', ReadySchema) },
      withoutToken(host) {
        const answer = readinessOf(host, replication) as { status?: number; body: { status: string } };
        return { status: answer.status ?? 200, body: { status: answer.body.status } };
      },
      handle: (_request, host) => readinessOf(host, replication),
    },
    {
      method: 'GET',
      path: '/api/health',
      name: 'getHealth',
      tag: 'System',
      summary: 'Whether the server is up.',
      description: 'Needs no token, and tells the status alone without it.',
      responses: {
        200: answers('It is up.', HealthSchema),
        503: answers('It is stopping.', HealthSchema),
      },
      withoutToken: ({ health }) => ({ status: health === 'ok' ? 200 : 503, body: { status: health } }),
      handle(_request, host) {
        if (host.health === 'stopping') return { status: 503, body: { status: 'stopping' } };
        return { body: { status: 'ok', version: host.version, uptime_ms: Math.round(host.uptime) } };
      },
    },
    {
      method: 'GET',
      path: '/api/protocols',
      name: 'listProtocols',
      tag: 'System',
      summary: 'The installed protocols and where they listen.',
      pages: { idField: 'protocol' },
      responses: { 200: answers('One object per protocol.', Type.Array(ProtocolStatusSchema)) },
      handle: (_request, host) => ({ list: host.kinds.map((kind) => kind.status()) }),
    },
    {
      method: 'GET',
      path: '/api/configuration',
      name: 'getConfiguration',
      tag: 'System',
      summary: 'What runs, as a configuration file that starts the same.',
      description:
        'The settings as they were given, with the mocks, items, scenarios, reactions, state and rows that there are now, keys included. ' +
        'Not in it: faults, captured messages, what services hold, and the settings of the management port.',
      responses: { 200: answers('The configuration.', ConfigurationSchema) },
      handle: (_request, host) => ({ body: host.configuration() }),
    },
    {
      method: 'POST',
      path: '/api/reset',
      name: 'reset',
      tag: 'System',
      summary: 'Puts everything back to what the configuration says.',
      description:
        'Mocks, scenarios, faults, state, logs, counts, captured messages and stored data. Connections stay open, ' +
        'open streams end normally, and those who wait for calls get a 409.',
      responses: { 200: answers('Everything is as it was after the start.', ResetSchema) },
      async handle({ signal }, host) {
        await host.resetInSlices(signal);
        return { body: { status: 'reset' } };
      },
    },
  ];
}
