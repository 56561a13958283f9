import { parseDuration, type Context, type Service } from '@backlot/core/plugin';
import { createService } from '@backlot/kit';
import { QueryHandler } from './query-handler.js';
import type { DnsShape } from './shape.js';
import { serveStream } from './stream.js';

const DEFAULT_IDLE_TIMEOUT = '30s';

/** Answers queries over UDP and TCP on one port. */
export function createDnsService(context: Context<DnsShape>): Service {
  const handler = new QueryHandler(context);
  return createService(context, {
    datagram: { onMessage: (octets, remote, reply) => handler.receiveDatagram(octets, remote, reply) },
    stream: {
      limits: { idleTimeout: parseDuration(context.config.idle_timeout ?? DEFAULT_IDLE_TIMEOUT) },
      onConnection: (connection) =>
        serveStream(connection, (octets, send) => handler.receive(octets, connection.remote, 'tcp', send)),
    },
  });
}
