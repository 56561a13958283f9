import { messageOf, Slice, type ExchangeFor, type OutcomeFor, type Reply } from '@backlot/core/plugin';
import { wire, type Connection } from '@backlot/kit';
import { BinaryDialect } from './dialects/binary-dialect.js';
import type { Dialect } from './dialects/dialect.js';
import { TextDialect } from './dialects/text-dialect.js';
import type { Hub } from './hub.js';
import { MemcachedMessage } from './memcached-message.js';
import { renderResult } from './mock-result.js';
import { failed, type Result } from './result.js';
import type { MemcachedShape } from './shape.js';
import { BINARY_REQUEST } from './wire/binary-header.js';
import { Inbox } from './wire/inbox.js';

/** Telling the time takes a moment too: only after so many commands. */
const ASKED_EACH = 16;
/** Answers are sent together up to this size. */
const MOST_TOGETHER = 64 * 1024;

type MemcachedExchange = ExchangeFor<MemcachedShape>;
type MemcachedOutcome = OutcomeFor<MemcachedShape>;

/**
 * One connection. Commands are answered one after the other: while an answer waits for its delay, or for a client that
 * does not read, what follows waits too.
 */
export class Session {
  readonly hub: Hub;
  readonly remote: string;
  readonly inbox = new Inbox();
  /** Answers that were not sent yet, one character per byte. */
  out = '';
  /** How often answers were sent. */
  flushes = 0;
  readonly #connection: Connection;
  #dialect: Dialect | undefined;
  #pending: MemcachedExchange | undefined;
  #isStreaming = false;
  #asked = 0;

  constructor(connection: Connection, hub: Hub) {
    this.#connection = connection;
    this.hub = hub;
    this.remote = connection.remote;
    hub.connections += 1;
    connection.onData((chunk) => {
      if (this.inbox.push(chunk)) this.#work();
    });
    connection.onResume(() => this.#work());
    connection.onClose(() => {
      this.#pending?.abort();
      this.inbox.clear();
    });
  }

  /** Whether nothing is to be taken now. */
  get isHalted(): boolean {
    const connection = this.#connection;
    return this.#pending !== undefined || this.#isStreaming || connection.isPaused || connection.isEnded;
  }

  /** Whether others are to be let in, since the commands of this client take long. Asked after each of them. */
  get isLong(): boolean {
    this.#asked += 1;
    return this.#asked % ASKED_EACH === 0 && this.#connection.yieldWhenLong();
  }

  /** Whether enough is there to be sent. */
  get isFull(): boolean {
    return this.out.length > MOST_TOGETHER;
  }

  /** Decides about a command that a mock could answer, and answers it, at once or when its delay is over. */
  ask(message: MemcachedMessage, dialect: Dialect): void {
    const exchange = this.hub.context.receive(message);
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) this.#wait(exchange, outcome, dialect);
    else this.#answer(exchange, outcome, dialect);
  }

  /** Writes down a command that no mock could answer. */
  note(method: string, path: string, reply: Reply): void {
    this.hub.context.receive(new MemcachedMessage(method, path, this.remote)).done(reply);
  }

  /**
   * Sends a long answer as fast as the client reads it; commands behind it wait.
   *
   * @param pieces - each is made when it is sent
   */
  stream(pieces: Iterator<string, void>): void {
    const connection = this.#connection;
    if (this.#sendSome(pieces)) return;
    this.#isStreaming = true;
    connection.busy();
    connection.pause();
    const goOn: () => void = connection.isolate(() => {
      if (!connection.isEnded && !this.#sendSome(pieces)) return wait();
      this.#isStreaming = false;
      this.#flush();
      connection.resume();
      connection.idle();
    });
    const wait = (): void => {
      if (connection.socket.writableNeedDrain) connection.socket.once('drain', goOn);
      else wire.afterTurn(goOn);
    };
    wait();
  }

  /** Goes on with a long answer for as long as one may; gives whether it is complete. */
  #sendSome(pieces: Iterator<string, void>): boolean {
    const slice = new Slice();
    for (let piece = pieces.next(); piece.done !== true; piece = pieces.next()) {
      this.out += piece.value;
      if (!this.isFull) continue;
      this.#flush();
      if (slice.isOver || this.#connection.socket.writableNeedDrain) return false;
    }
    return true;
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
      if (this.isHalted || this.isLong) break;
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

  #wait(exchange: MemcachedExchange, outcome: Promise<MemcachedOutcome>, dialect: Dialect): void {
    const connection = this.#connection;
    this.#pending = exchange;
    connection.busy();
    connection.pause();
    outcome.then(
      connection.isolate((late) => {
        this.#pending = undefined;
        if (late.type !== 'left') this.#answer(exchange, late, dialect);
        // The commands behind it first: idle() ends a connection that is to stop.
        if (connection.isEnded) return;
        connection.resume();
        this.#flush();
        connection.idle();
      }),
      connection.isolate((error) => {
        throw error;
      }),
    );
  }

  #answer(exchange: MemcachedExchange, outcome: MemcachedOutcome, dialect: Dialect): void {
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
          this.hub.context.log.error(`mock "${outcome.mock.id}" could not be rendered`, thrown);
          return failed({ type: 'SERVER_ERROR', text: oneLine(messageOf(thrown)) });
        }
      case 'fault': {
        const { error_type: type = 'SERVER_ERROR', message: text = '' } = outcome.fault;
        return failed({ type, text });
      }
      default: {
        const result = dialect.perform(message);
        // What is not there may be what a mock was to answer.
        if (this.hub.isStateful && result.code !== 'missing') exchange.served();
        return result;
      }
    }
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[^ -~]/g, ' ');
}
