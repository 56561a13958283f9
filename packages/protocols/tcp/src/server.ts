import { listMocks, parseDuration, type Context, type Json, type Service } from '@backlot/core/plugin';
import { createService, type Connection } from '@backlot/kit';
import type { TrieNode, TrieWalk } from './byte-trie.js';
import { TcpConnection } from './connection.js';
import { emittedBytes, isClient } from './emission.js';
import { framesOf } from './frames.js';
import { MockFraming, type Framing, type Take } from './framing.js';
import { measureMessage } from './measure.js';
import type { TcpShape } from './shape.js';
import { ExactProbe } from './message.js';

const DEFAULT_IDLE_TIMEOUT = '30s';

/** Takes connections and answers what is sent on them. */
export function createTcpService(context: Context<TcpShape>): Service {
  const { idle_timeout: idleTimeout, port: configuredPort } = context.config;
  const frames = framesOf(context.config);
  const isThere = (node: TrieNode): boolean => {
    const bytes = listMocks(node.mocks)[0]?.compiled.exact;
    return bytes !== undefined && context.mocks.matches(new ExactProbe(bytes));
  };
  const measure = (gathered: Buffer, isFinal: boolean, walk: TrieWalk): number =>
    measureMessage(context.mocks.index.trie, gathered, isFinal, isThere, walk);
  const makeFraming = (connection: Connection, take: Take): Framing =>
    frames?.make(take) ?? new MockFraming(measure, take, (ms, fn) => connection.after(ms, fn));

  const open = new Set<Connection>();
  const service = createService(context, {
    stream: {
      limits: { idleTimeout: parseDuration(idleTimeout ?? DEFAULT_IDLE_TIMEOUT) },
      allowHalfOpen: true,
      onConnection: (connection) => {
        const port = service.place?.port ?? configuredPort;
        new TcpConnection(connection, context, { port, frames }, (take) => makeFraming(connection, take));
        open.add(connection);
        connection.onClose(() => open.delete(connection));
      },
    },
  });
  return Object.assign(service, {
    emit(message: Json) {
      const bytes = emittedBytes(message, frames);
      const meant = [...open].filter(({ remote }) => isClient(remote, message['client']));
      // Who has ended, or reads so slowly that it is cut, gets nothing.
      return { status: 'sent', delivered: meant.filter((connection) => connection.push(bytes)).length };
    },
  });
}
