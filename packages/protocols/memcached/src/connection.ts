import { messageOf, type ExchangeFor, type OutcomeFor, type Reply } from '@backlot/core/plugin';
import { PendingAnswers, type Connection } from '@backlot/kit';
import type { PairedLine } from '@backlot/kit/upstream';
import { BinaryDialect } from './dialects/binary-dialect.js';
import type { Dialect, DialectContext } from './dialects/dialect.js';
import { TextDialect } from './dialects/text-dialect.js';
import type { ServerState } from './server-state.js';
import { MemcachedMessage } from './message.js';
import { renderResult } from './mock-result.js';
import { failed, type Result } from './result.js';
import type { MemcachedShape } from './shape.js';
import type { Relay } from './upstream/relay.js';
import { BINARY_REQUEST } from './wire/binary-header.js';
import { Inbox } from './wire/inbox.js';

/** Answers are sent together up to this size. */
const MAX_TOGETHER = 64 * 1024;
/** Bytes that are read ahead while the upstream is asked. */
const MAX_AHEAD = 64 * 1024;

type MemcachedExchange = ExchangeFor<MemcachedShape>;
type MemcachedOutcome = OutcomeFor<MemcachedShape>;

/**
 * One connection. Commands are answered one after the other: while an answer waits for its delay, or for a client that
 * does not read, what follows waits too.
 */
export class MemcachedConnection implements DialectContext {
  readonly server: ServerState;
  readonly remote: string;
  readonly inbox = new Inbox();
  /** Answers that were not sent yet, one character per byte. */
  out = '';
  /** How often answers were sent. */
  flushes = 0;
  readonly #connection: Connection;
  #dialect: Dialect | undefined;
  readonly #relay: Relay | undefined;
  #line: PairedLine | undefined;
  readonly #pending: PendingAnswers;

  constructor(connection: Connection, server: ServerState, relay?: Relay) {
    this.#connection = connection;
    this.server = server;
    this.#relay = relay;
    this.remote = connection.remote;
    server.connections += 1;
    connection.onData((chunk) => {
      if (this.#line?.isSpliced === true) this.#line.send(chunk);
      else if (this.inbox.push(chunk)) this.#work();
      if (relay !== undefined && this.isHalted && this.inbox.waiting > MAX_AHEAD) connection.pause();
    });
    connection.onResume(() => this.#work());
    connection.onClose(() => this.inbox.clear());
    // Those behind it come first, and send what it has written; else it is sent here.
    this.#pending = new PendingAnswers(
      connection,
      relay === undefined
        ? { onRoom: () => this.#flush() }
        : {
            // Reading goes on while the upstream is asked: so a client that leaves is noticed.
            pauses: false,
            onRoom: () => {
              this.#flush();
              connection.resume();
              this.#work();
            },
          },
    );
  }

  /** Whether nothing is to be taken now. */
  get isHalted(): boolean {
    const connection = this.#connection;
    return this.#pending.isFull || connection.isPaused || connection.isEnded;
  }

  /** Whether to stop after a command: nothing is to be taken now, or others are to be let in. */
  get mustStop(): boolean {
    return this.isHalted || this.#connection.yieldWhenLong(this.inbox.waiting > 0);
  }

  /** Whether enough is there to be sent. */
  get isFull(): boolean {
    return this.out.length > MAX_TOGETHER;
  }

  /** Decides about a command that a mock could answer, and answers it, at once or when its delay is over. */
  ask(message: MemcachedMessage, dialect: Dialect): void {
    const exchange = this.server.context.receive(message);
    if (this.#relay !== undefined) {
      const take = this.#relay.take({
        exchange,
        line: this.#lineOf(this.#relay, dialect),
        frame: dialect.frame,
        resultOf: (outcome) =>
          outcome.type === 'aborted' ? undefined : this.#resultOf(exchange, outcome, dialect),
        write: (result) => dialect.answer(message, result),
        refuse: () => this.#connection.reset(),
      });
      this.#pending.wait(take, undefined, exchange);
      return;
    }
    const outcome = exchange.resolve();
    if (!(outcome instanceof Promise)) this.#answer(exchange, outcome, dialect);
    else this.#pending.wait(outcome, (late) => this.#answer(exchange, late, dialect), exchange);
  }

  /** Writes down a command that no mock could answer. */
  note(method: string, path: string, reply: Reply): void {
    this.server.context.receive(new MemcachedMessage(method, path, this.remote)).done(reply);
  }

  get isRelayed(): boolean {
    return this.#relay !== undefined;
  }

  passOn(method: string, request: string): void {
    const [relay, dialect] = [this.#relay, this.#dialect];
    if (relay === undefined || dialect === undefined) return;
    const line = this.#lineOf(relay, dialect);
    const exchange = this.server.context.receive(new MemcachedMessage(method, '', this.remote));
    const isWatch = method === 'watch';
    if (isWatch) line.splice();
    if (isWatch || /\bnoreply\r?\n$/.test(request)) {
      exchange.noteUpstream({ answered: true });
      line.send(Buffer.from(request, 'latin1'));
      exchange.done();
      return;
    }
    const take = relay.takeWords({
      exchange,
      line,
      request,
      write: (answer) => (this.out += answer),
      refuse: () => this.#connection.reset(),
    });
    this.#pending.wait(take, undefined, exchange);
  }

  #lineOf(relay: Relay, dialect: Dialect): PairedLine {
    return (this.#line ??= relay.lineFor(this.#connection, dialect instanceof BinaryDialect));
  }

  /** Closes the connection once what was answered is sent. */
  end(): void {
    this.#flush();
    this.#connection.end();
  }

  #work(): void {
    if (this.isHalted) return;
    const { inbox } = this;
    inbox.gather();
    if (inbox.length === 0 && this.#dialect === undefined) return;
    const dialect = (this.#dialect ??=
      inbox.bytes[inbox.start] === BINARY_REQUEST ? new BinaryDialect(this) : new TextDialect(this));
    while (dialect.take()) {
      if (this.isFull) this.#flush();
      if (this.mustStop) break;
    }
    inbox.release();
    this.#flush();
  }

  #flush(): void {
    const { out } = this;
    if (out === '') return;
    this.out = '';
    this.flushes += 1;
    this.#connection.write(out, 'latin1');
  }

  #answer(exchange: MemcachedExchange, outcome: MemcachedOutcome, dialect: Dialect): void {
    if (outcome.type === 'aborted') return;
    const { message } = exchange;
    exchange.done(dialect.answer(message, this.#resultOf(exchange, outcome, dialect)));
  }

  #resultOf(exchange: MemcachedExchange, outcome: MemcachedOutcome, dialect: Dialect): Result {
    const { message } = exchange;
    switch (outcome.type) {
      case 'matched':
        try {
          return renderResult(outcome, message);
        } catch (thrown) {
          this.server.context.log.error(`mock "${outcome.mock.id}" could not be rendered`, thrown);
          return failed({ type: 'SERVER_ERROR', text: oneLine(messageOf(thrown)) });
        }
      case 'fault': {
        const { error_type: type = 'SERVER_ERROR', message: text = '' } = outcome.fault;
        return failed({ type, text });
      }
      default: {
        const result = dialect.perform(message);
        // What is not there may be what a mock was to answer.
        if (this.server.isStateful && result.code !== 'missing') exchange.answeredFromData();
        return result;
      }
    }
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[^ -~]/g, ' ');
}
