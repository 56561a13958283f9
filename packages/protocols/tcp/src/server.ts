import {
  messageOf,
  parseDuration,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import {
  admitBy,
  createStreamServer,
  isFramingError,
  type Connection,
  type StreamServer,
} from '@backlot/kit';
import type { TrieNode, TrieWalk } from './byte-trie.js';
import { Conversation } from './conversation.js';
import { DelimitedFraming, MockFraming, type Framing, type Take } from './framing.js';
import { measureMessage } from './measure.js';
import type { TcpShape } from './shape.js';
import { ExactProbe } from './tcp-message.js';

const DEFAULT_IDLE_TIMEOUT = '30s';

/** Takes connections and answers what is sent on them. */
export class TcpServer implements Service {
  readonly #context: Context<TcpShape>;
  readonly #streams: StreamServer;
  readonly #isEncrypted: boolean;
  #error: string | undefined;

  constructor(context: Context<TcpShape>) {
    this.#context = context;
    const { host, port, tls, idle_timeout: idleTimeout } = context.config;
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      limits: { idleTimeout: parseDuration(idleTimeout ?? DEFAULT_IDLE_TIMEOUT) },
      allowHalfOpen: true,
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#serve(connection),
      onError: (error, where, connection) => {
        if (isFramingError(error))
          context.log.warn(`${connection?.remote ?? 'a client'}: ${messageOf(error)}`);
        // What clients do wrong in a handshake is theirs.
        else if (where !== 'tls') context.log.error(`a connection failed (${where})`, error);
      },
      onFailure: (error) => {
        this.#error = messageOf(error);
      },
    });
  }

  start(port: number): Promise<Listening> {
    return this.#streams.start(port);
  }

  stop(graceMilliseconds: number): Promise<void> {
    return this.#streams.stop(graceMilliseconds);
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#isEncrypted };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  #serve(connection: Connection): void {
    const { delimiter } = this.#context.config;
    const port = this.#streams.place?.port ?? this.#context.config.port;
    const makeFraming = (take: Take): Framing =>
      delimiter === undefined
        ? new MockFraming(this.#measure, take, (ms, fn) => connection.after(ms, fn))
        : new DelimitedFraming(delimiter, take);
    new Conversation(connection, this.#context, port, makeFraming);
  }

  readonly #measure = (gathered: Buffer, isFinal: boolean, walk: TrieWalk): number => {
    return measureMessage(this.#context.mocks.index.trie, gathered, isFinal, this.#isThere, walk);
  };

  readonly #isThere = (node: TrieNode): boolean => {
    const bytes = node.bucket[0]?.compiled.exact;
    return bytes !== undefined && this.#context.mocks.matches(new ExactProbe(bytes));
  };
}
