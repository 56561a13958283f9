import type {
  Context,
  ExchangeFor,
  ListenAddress,
  MatchOf,
  OpenConnection,
  OpenStream,
  OutcomeFor,
  Service,
} from '@backlot/core/plugin';
import { admitBy, createStreamServer, readFrames, type Connection, type StreamServer } from '@backlot/kit';
import { LineFramer } from '@backlot/kit/framing';
import type { Breakage } from './breakage.js';
import type { EchoContract } from './contract.js';
import type { EchoMessage, EchoShape } from './matcher.js';

const MAX_LINE = 4_096;

type EchoExchange = ExchangeFor<EchoShape>;

/** What the broken variants of one test share; the tests close what they leave behind. */
export interface Leftovers {
  readonly servers: Set<StreamServer>;
  shared: EchoServer | undefined;
}

export class EchoServer implements Service {
  readonly #context: Context<EchoShape>;
  readonly #breakage: Breakage | undefined;
  readonly #leftovers: Leftovers;
  readonly #streams: StreamServer;
  readonly #connections = new Set<Connection>();
  readonly #remembered = new WeakMap<Connection, string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(context: Context<EchoShape>, breakage: Breakage | undefined, leftovers: Leftovers) {
    this.#context = context;
    this.#breakage = breakage;
    this.#leftovers = leftovers;
    const { host, port } = context.config;
    this.#streams = createStreamServer({
      host,
      port,
      admit: this.#is('ignores faults of phase connect')
        ? () => undefined
        : admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#serve(connection),
      onError: () => undefined,
    });
    if (this.#is('asks for its upstream and answers itself')) void context.upstream;
    leftovers.servers.add(this.#streams);
    if (this.#is('answers in spaces as in the main world') && !isInSpace(context)) leftovers.shared = this;
    let visits = 0;
    context.addToSnapshots('visits', {
      save: () => (visits += 1),
      restore: (saved) => {
        // The first two are taken at the start: what a reset, and a snapshot from before it was made, put back.
        if (this.#is('cannot restore what it keeps') && saved > 2) throw new Error('cannot restore');
      },
    });
  }

  async start(port: number = this.#context.config.port): Promise<ListenAddress> {
    try {
      return await this.#streams.start(port);
    } catch (error) {
      if (this.#is('takes another port when its own is in use')) return this.#streams.start(0);
      throw error;
    }
  }

  async stop(graceMilliseconds: number): Promise<void> {
    if (this.#leftovers.shared === this) this.#leftovers.shared = undefined;
    if (this.#is('keeps listening after a stop')) return;
    if (this.#is('waits for its clients when it stops')) {
      await Promise.all(
        Array.from(
          this.#connections,
          (connection) => new Promise<void>((resolve) => connection.onClose(() => resolve())),
        ),
      );
    }
    await this.#streams.stop(graceMilliseconds);
  }

  reset(): void {
    if (!this.#is('closes connections on a reset')) return;
    for (const connection of this.#connections) connection.destroy();
  }

  openConnections(): readonly OpenConnection[] {
    if (this.#is('lists no connections')) return [];
    return Array.from(this.#connections, (connection) => ({
      id: connection.remote,
      remote: connection.remote,
      ageMilliseconds: 0,
      bytesIn: connection.socket.bytesRead,
      bytesOut: connection.socket.bytesWritten,
      close: (how) => {
        if (this.#is('closes no connections')) return true;
        if (how === 'reset') connection.reset();
        else connection.end();
        return true;
      },
    }));
  }

  #is(breakage: Breakage): boolean {
    return this.#breakage === breakage;
  }

  #serve(connection: Connection): void {
    this.#connections.add(connection);
    const onLeave = new Set<() => void>();
    readFrames(connection, new LineFramer({ maxLength: MAX_LINE }), (line) => {
      if (this.#is('dies on garbage') && line.includes(0)) return this.#streams.stop(0);
      const isShared =
        this.#is('shares its server between hosts') ||
        (this.#is('answers in spaces as in the main world') && isInSpace(this.#context));
      const shown = isShared ? (this.#leftovers.shared ??= this) : this;
      return shown.#receive(line.toString('utf8'), connection, onLeave);
    });
    connection.onEnd(() => (this.#is('chokes on half-open connections') ? this.#streams.stop(0) : undefined));
    connection.onClose(() => {
      this.#connections.delete(connection);
      for (const leave of onLeave) leave();
    });
  }

  #receive(text: string, connection: Connection, onLeave: Set<() => void>): void {
    const method = this.#is('logs another verb') ? 'OTHER' : 'SAY';
    const message = { method, path: text, remote: connection.remote, body: text };
    if (this.#is('logs twice')) this.#context.receive(message).done();
    const exchange = this.#context.receive(message);
    if (this.#isRefused(exchange)) return this.#send(exchange, connection, 'refused');
    const outcome = exchange.resolve();
    const answer = (late: OutcomeFor<EchoShape>): void => this.#answer(exchange, late, connection, onLeave);
    const isSerial = this.#is('answers one after the other for all');
    if (!(outcome instanceof Promise) && !isSerial) return answer(outcome);
    const hasDelay = this.#context.mocks.values().some(({ value }) => value.delay !== undefined);
    if (this.#is('answers before the delay') && hasDelay) connection.write('one\n');
    const leave = (): void => {
      if (!this.#is('does not see that a client left')) exchange.abort();
    };
    onLeave.add(leave);
    const settled = isSerial ? this.#turn.then(() => outcome) : Promise.resolve(outcome);
    if (isSerial) this.#turn = settled;
    connection.busy();
    connection.pause();
    settled.then(
      connection.isolate((late) => {
        onLeave.delete(leave);
        answer(late);
        connection.resume();
        connection.idle();
      }),
      () => connection.destroy(),
    );
  }

  #answer(
    exchange: EchoExchange,
    outcome: OutcomeFor<EchoShape>,
    connection: Connection,
    onLeave: Set<() => void>,
  ): void {
    if (outcome.type === 'aborted') return;
    this.#capture(exchange);
    switch (outcome.type) {
      case 'matched':
        return this.#respond(exchange, outcome, connection, onLeave);
      case 'fault': {
        const match = outcome.match;
        if (this.#is('ignores faults') && match !== undefined)
          return this.#respond(exchange, match, connection, onLeave);
        return this.#send(exchange, connection, outcome.fault.text ?? '');
      }
      default:
        if (!this.#is('never answers unmatched')) return this.#send(exchange, connection, 'unmatched');
        exchange.done();
    }
  }

  #respond(
    exchange: EchoExchange,
    match: MatchOf<EchoShape>,
    connection: Connection,
    onLeave: Set<() => void>,
  ): void {
    const { compiled, id } = match.mock;
    let text = this.#is('shows the template instead of the answer')
      ? compiled.response.source
      : match.render(compiled.response);
    if (this.#is('remembers answers of a connection')) {
      text = this.#remembered.get(connection) ?? text;
      this.#remembered.set(connection, text);
    }
    this.#noteAnswer(exchange, text);
    if (!compiled.isStream) return this.#send(exchange, connection, text);
    exchange.started({});
    connection.write(`${text}\n`);
    this.#openStream(exchange, id, connection, onLeave);
  }

  #openStream(
    exchange: EchoExchange,
    mockId: string,
    connection: Connection,
    onLeave: Set<() => void>,
  ): void {
    const end = (): void => {
      onLeave.delete(leave);
      exchange.done();
      stream.closed();
    };
    const leave = (): void => {
      exchange.abort();
      if (!this.#is('lists streams for ever')) stream.closed();
    };
    const stream: OpenStream = this.#context.streams.open(mockId, {
      push: (data) => {
        if (!this.#is('delivers no pushes')) connection.push(`${data}\n`);
      },
      close: (error) => {
        connection.write(
          error === undefined || this.#is('ends streams without their error') ? 'end\n' : `error ${error}\n`,
        );
        end();
      },
    });
    onLeave.add(leave);
  }

  /** Holds a message to the contract. */
  #isRefused(exchange: EchoExchange): boolean {
    const { contract } = this.#context;
    if (contract === undefined) return false;
    const found = (contract.loaded as EchoContract).find('request', exchange.message.path, '');
    const isRefused = contract.take(exchange, 'request', found);
    return isRefused && !this.#is('refuses nothing that its contract does not allow');
  }

  /** Holds the answer of a mock to the contract. */
  #noteAnswer(exchange: EchoExchange, text: string): void {
    const { contract } = this.#context;
    if (contract === undefined) return;
    const found = (contract.loaded as EchoContract).find('answer', exchange.message.path, text);
    contract.take(exchange, 'answer', found);
  }

  #send(exchange: EchoExchange, connection: Connection, text: string): void {
    connection.write(`${text}\n`);
    if (!this.#is('forgets done')) exchange.done({ body: text });
  }

  #capture(exchange: EchoExchange): void {
    const { body } = exchange.message satisfies EchoMessage;
    const { captures, newId } = this.#context;
    if (this.#is('captures nothing')) return;
    const id = this.#is('captures under one id') ? 'one' : newId();
    const value = this.#is('captures what its schema does not say')
      ? { id, text: body, more: 1 }
      : { id, text: body };
    const owner = this.#is('stores what a reset has overtaken') ? { isCurrent: true } : exchange;
    captures.add(value, body.length, owner);
    if (this.#is('captures twice')) captures.add(value, body.length, owner);
  }
}

/** Whether a context is of one of the spaces of the suite. */
function isInSpace({ spaces }: Context<EchoShape>): boolean {
  return ['t1', 't2'].some((id) => spaces.userOf(id) === undefined);
}
