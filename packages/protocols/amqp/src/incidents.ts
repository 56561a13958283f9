import { Type, closedObject, defineIncident, type IncidentDeclaration } from '@backlot/core/plugin';

/** What RabbitMQ says with each code. */
const TEXTS: Readonly<Record<number, string>> = {
  311: 'CONTENT_TOO_LARGE',
  403: 'ACCESS_REFUSED',
  404: 'NOT_FOUND',
  405: 'RESOURCE_LOCKED',
  406: 'PRECONDITION_FAILED',
};

/** What happens to brokers of AMQP 0-9-1. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  'memory-alarm': defineIncident({
    summary:
      'The broker is low on memory: connections that publish are told so by connection.blocked, and nothing more is read of them.',
    advice:
      'It stops publishing until connection.unblocked, keeps what it has within bounds, and says so to those who wait. It publishes and consumes on connections of their own, so that consumers go on.',
    lasts: '30s',
    stages: () => [{ fault: { blocked: 'low on memory' } }],
  }),
  'channel-closed': defineIncident({
    summary:
      'Channels are closed by the broker when something is published, by default with 406, PRECONDITION_FAILED.',
    advice:
      'It opens another channel on the same connection, sets its consumers and confirms up again, and publishes what was not confirmed once more.',
    lasts: '30s',
    fields: closedObject({
      reply_code: Type.Optional(
        Type.Integer({
          ...{ minimum: 311, maximum: 406, default: 406 },
          description: 'The code: 311, 403, 404, 405 or 406.',
        }),
      ),
      rate: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          default: 1,
          description: 'How many of those who publish, 0 to 1.',
        }),
      ),
    }),
    stages: ({ reply_code: code = 406, rate = 1 }) => [
      { fault: { reply_code: code, reply_text: TEXTS[code] ?? 'CHANNEL_CLOSED', error_rate: rate } },
    ],
  }),
  restart: defineIncident({
    summary:
      'The broker is restarted: it closes connections with 320, CONNECTION_FORCED, and takes no new ones for a while.',
    advice:
      'It connects again with growing pauses, and declares its exchanges, queues, bindings and consumers anew. What was not acknowledged comes again.',
    lasts: '5s',
    stages: () => [{ fault: { phase: 'connect' }, close: 'goodbye' }],
  }),
};
