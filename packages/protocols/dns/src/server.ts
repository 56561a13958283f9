import { parseDuration, type Context, type Service } from '@backlot/core/plugin';
import { createService } from '@backlot/kit';
import { QueryHandler } from './query-handler.js';
import type { DnsShape } from './shape.js';
import { serveStream } from './stream.js';
import type { Relay } from './upstream/relay.js';

const DEFAULT_IDLE_TIMEOUT = '30s';

/**
 * Answers queries over UDP and TCP on one port.
 *
 * @param relay - asks the upstream, where there is one
 */
export function createDnsService(context: Context<DnsShape>, relay?: Relay): Service {
  const handler = new QueryHandler(context, relay);
  return createService(context, {
    datagram: { onMessage: (octets, remote, reply) => handler.receiveDatagram(octets, remote, reply) },
    stream: {
      limits: { idleTimeout: parseDuration(context.config.idle_timeout ?? DEFAULT_IDLE_TIMEOUT) },
      onConnection: (connection) => {
        const way = relay?.connectionWay(connection);
        serveStream(connection, (octets, send) =>
          handler.receive(octets, connection.remote, 'tcp', send, way),
        );
      },
    },
    ...(relay && { reset: () => relay.reset(), onStopped: () => relay.stop() }),
  });
}
