import { listMocks, parseDuration, type Context, type Service } from '@backlot/core/plugin';
import { createService, type Connection } from '@backlot/kit';
import type { TrieNode, TrieWalk } from './byte-trie.js';
import { TcpConnection } from './connection.js';
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

  const service = createService(context, {
    stream: {
      limits: { idleTimeout: parseDuration(idleTimeout ?? DEFAULT_IDLE_TIMEOUT) },
      allowHalfOpen: true,
      onConnection: (connection) => {
        const port = service.place?.port ?? configuredPort;
        new TcpConnection(connection, context, { port, frames }, (take) => makeFraming(connection, take));
      },
    },
  });
  return service;
}
