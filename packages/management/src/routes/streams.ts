import type { Host, StreamTarget } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import {
  NOT_ENABLED,
  answers,
  checkEnabled,
  fails,
  invalidAt,
  listNames,
  type ManagementRoute,
} from './management-route.js';

const TARGET_FIELDS = {
  protocol: Type.String({ minLength: 1, description: 'A kind that has streams.' }),
  conn_id: Type.Optional(Type.String({ description: 'One stream of the list.' })),
  mock_id: Type.Optional(Type.String({ description: 'Every open stream of this mock.' })),
};

/** An open stream. */
export const StreamSchema = Type.Object({
  id: Type.String(),
  protocol: Type.String(),
  mock_id: Type.String(),
  started_at: Type.String(),
});

/** What a push takes. */
export const StreamPushSchema = Type.Object(
  { ...TARGET_FIELDS, data: Type.Unknown({ description: 'The event, in the form that the kind wants.' }) },
  { additionalProperties: false },
);

/** What a close takes. */
export const StreamCloseSchema = Type.Object(
  {
    ...TARGET_FIELDS,
    error: Type.Optional(
      Type.String({ description: 'Ends it as an error with this text; empty: normally.' }),
    ),
  },
  { additionalProperties: false },
);

interface GivenTarget {
  readonly protocol: string;
  readonly conn_id?: string;
  readonly mock_id?: string;
}

/** Open streaming answers: their list, pushing into them and closing them. */
export function streamRoutes(): ManagementRoute[] {
  const unknown = fails('There is no such stream, or no open stream of this mock.');
  return [
    {
      method: 'GET',
      path: '/api/streams',
      name: 'listStreams',
      gather: { as: 'list', time: 'started_at' },
      tag: 'Streams',
      summary: 'The open streaming answers of all protocols.',
      pages: {},
      responses: { 200: answers('The open streams.', Type.Array(StreamSchema)) },
      handle: (_request, host) => ({ list: host.streams.list() }),
    },
    {
      method: 'POST',
      path: '/api/streams/push',
      name: 'pushToStream',
      gather: { as: 'sums', fields: ['delivered'] },
      tag: 'Streams',
      summary: 'Sends one event into open streams.',
      body: StreamPushSchema,
      responses: {
        200: answers(
          'It was sent.',
          Type.Object({
            status: Type.Literal('pushed'),
            delivered: Type.Integer({ description: 'To how many.' }),
          }),
        ),
        400: fails('The target or the data is not valid.'),
        404: unknown,
        503: NOT_ENABLED,
      },
      handle({ body }, host) {
        const { data, ...given } = body as GivenTarget & { data: unknown };
        const target = readTarget(given, host);
        return { body: { status: 'pushed', delivered: host.streams.push(target, data) } };
      },
    },
    {
      method: 'POST',
      path: '/api/streams/close',
      name: 'closeStream',
      gather: { as: 'sums', fields: ['closed'] },
      tag: 'Streams',
      summary: 'Ends open streams, normally or with an error.',
      body: StreamCloseSchema,
      responses: {
        200: answers(
          'They are closed.',
          Type.Object({ status: Type.Literal('closed'), closed: Type.Integer({ description: 'How many.' }) }),
        ),
        400: fails('The target is not valid.'),
        404: unknown,
        503: NOT_ENABLED,
      },
      handle({ body }, host) {
        const { error, ...given } = body as GivenTarget & { error?: string };
        const target = readTarget(given, host);
        return {
          body: { status: 'closed', closed: host.streams.close(target, error === '' ? undefined : error) },
        };
      },
    },
  ];
}

/** Clients send fields that they do not use as empty texts. */
function readTarget(given: GivenTarget, host: Host): StreamTarget {
  const kinds = host.kinds.filter((kind) => kind.protocol.streams !== undefined);
  const kind = kinds.find((candidate) => candidate.kind === given.protocol);
  if (kind === undefined) {
    const names = listNames(kinds.map((candidate) => candidate.kind));
    throw invalidAt(
      '/protocol',
      `protocol ${JSON.stringify(given.protocol)} has no streams; those that have are ${names}`,
    );
  }
  const { protocol, conn_id: connectionId = '', mock_id: mockId = '' } = given;
  if ((connectionId === '') === (mockId === '')) {
    throw invalidAt('', `give either "conn_id" or "mock_id", not ${mockId === '' ? 'neither' : 'both'}`);
  }
  checkEnabled(kind);
  return connectionId === '' ? { protocol, mock_id: mockId } : { protocol, conn_id: connectionId };
}
