import type { Context, Listening, OutcomeFor, Service, ServiceStatus } from '@backlot/core/plugin';
import {
  LineFramer,
  admitBy,
  createStreamServer,
  isFramingError,
  readFrames,
  type Connection,
  type StreamServer,
} from '@backlot/kit';
import { writeError, writeMenu, writeText, type MenuItem } from './answers.js';
import type { GopherShape } from './shape.js';

const MAX_SELECTOR = 4096;

/** One request a connection: a line with a selector, and for a search a tab and the words. */
export class GopherServer implements Service {
  readonly #context: Context<GopherShape>;
  readonly #streams: StreamServer;
  #listening: Listening = { host: 'localhost', port: 0 };

  constructor(context: Context<GopherShape>) {
    this.#context = context;
    const { host, port, tls } = context.config;
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) =>
        readFrames(
          connection,
          new LineFramer({ maxLength: MAX_SELECTOR }),
          (line) => this.#answer(connection, line.toString('utf8')),
          () => connection.end(writeError('the selector is too long')),
        ),
      onError: (error, where) => {
        // What clients send, and what they do wrong in a handshake, is theirs.
        if (where !== 'tls' && !isFramingError(error)) context.log.error('a connection failed', error);
      },
    });
  }

  async start(port: number): Promise<Listening> {
    this.#listening = await this.#streams.start(port);
    return this.#listening;
  }

  stop(graceMilliseconds: number): Promise<void> {
    return this.#streams.stop(graceMilliseconds);
  }

  status(): ServiceStatus {
    const { tls } = this.#context.config;
    return { connections: this.#streams.connections, tls: tls !== undefined && tls.enabled !== false };
  }

  async #answer(connection: Connection, line: string): Promise<void> {
    // A client asks once: what stands behind its line is never read. An orderly stop waits for the answer.
    connection.pause();
    connection.busy();
    const [path = '', search] = line.split('\t');
    const exchange = this.#context.receive({
      method: search === undefined ? 'FETCH' : 'SEARCH',
      path,
      remote: connection.remote,
      ...(search === undefined ? {} : { query: { search } }),
    });
    connection.onClose(() => exchange.abort());
    const outcome = await exchange.resolve();
    if (outcome.type === 'left') return;
    const body = this.#write(outcome, path);
    connection.end(body);
    exchange.done(body === undefined ? {} : { body });
  }

  /** @returns what is answered; `undefined` closes the connection without a word */
  #write(outcome: OutcomeFor<GopherShape>, selector: string): string | undefined {
    if (outcome.type === 'fault') {
      return outcome.fault.close === true ? undefined : writeError(outcome.fault.message ?? '');
    }
    if (outcome.type !== 'matched') return writeError(`"${selector}" is not here`);
    const { text, menu } = outcome.mock.compiled;
    if (text !== undefined) return writeText(outcome.render(text));
    const items = menu === undefined ? [] : (outcome.renderValue(menu) as readonly MenuItem[]);
    const { host, port } = this.#listening;
    return writeMenu(items, { host: this.#context.config.public_host ?? host, port });
  }
}
