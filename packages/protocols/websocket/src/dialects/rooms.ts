import type { Answering } from '../answering.js';
import type { Handshake } from '../handshake.js';
import { informOfEnd } from '../inform-of-end.js';
import type { WebsocketContext, WebsocketExchange, WebsocketMatch, WebsocketOutcome } from '../shape.js';
import { NORMAL } from '../wire/close-code.js';
import type { Greeting } from './compile.js';
import type { Dialect, EventFields, Heard, Packet } from './dialect.js';
import { DialectMessage, EntryProbe } from './dialect-message.js';
import { EnteredRoom } from './room.js';
import { entryOf, showValue } from './unit.js';

/** Namespaces or topics that one client may have entered. */
const MAX_ROOMS = 1000;
/** The close code of a connection that was lost without one (RFC 6455, section 7.1.5). */
const LOST = 1006;

/** What a fault says where it gives no text. */
export const FAULT = 'fault injected';

/** The session whose client enters. */
export interface RoomsHost {
  send(packets: readonly Packet[]): void;
  close(code: number, reason: string): void;
  /** A fault hits: closes the connection, or calls `tell`. */
  fail(
    exchange: WebsocketExchange,
    outcome: Extract<WebsocketOutcome, { type: 'fault' }>,
    tell: () => void,
  ): void;
  pushEvent(room: string, fields: EventFields): void;
  endRoom(room: string, error: string | undefined): void;
  /** Called each time the client has entered something. */
  entered(): void;
}

/** What a session is made of. */
interface RoomsParts {
  readonly context: WebsocketContext;
  readonly handshake: Handshake;
  readonly dialect: Dialect;
  readonly answering: Answering;
}

/** The namespaces, hubs or topics that a client has entered: mocks let it in, and each is an open stream. */
export class Rooms {
  readonly #parts: RoomsParts;
  readonly #host: RoomsHost;
  readonly #entered = new Map<string, EnteredRoom>();

  constructor(parts: RoomsParts, host: RoomsHost) {
    this.#parts = parts;
    this.#host = host;
  }

  has(name: string): boolean {
    return this.#entered.has(name);
  }

  /**
   * A client wants to enter.
   *
   * @param settle - takes the exchange, with what it waits for
   * @returns a promise only when it has to be waited for before the client is answered
   */
  join(
    { unit, ref }: Extract<Heard, { type: 'join' }>,
    settle: (exchange: WebsocketExchange, waiting: Promise<void> | undefined) => void,
  ): Promise<void> | undefined {
    const { context, handshake } = this.#parts;
    this.leave(unit.room, NORMAL, 'entered again');
    const probe = new EntryProbe(handshake, unit);
    const isKnown = this.#entered.size < MAX_ROOMS && context.mocks.matches(probe);
    const message = new DialectMessage('CONNECT', handshake, unit, ref);
    const exchange = context.receive(message);
    const follow = (outcome: WebsocketOutcome): Promise<void> | undefined => {
      // A client for whom there is a mock misses none, also when that has nothing to send.
      if (isKnown && !exchange.matched) exchange.answeredFromData();
      return this.#admit(exchange, message, outcome, isKnown ? probe.mockId : undefined);
    };
    const outcome = exchange.resolve();
    if (!(outcome instanceof Promise)) {
      settle(exchange, follow(outcome));
      return undefined;
    }
    let waiting: Promise<void> | undefined;
    const admitted = outcome.then((late) => void (waiting = follow(late)));
    settle(
      exchange,
      admitted.then(() => waiting),
    );
    return admitted;
  }

  /** The client has left, or is made to. */
  leave(name: string, code: number, reason: string): void {
    const room = this.#entered.get(name);
    if (room === undefined) return;
    const { context, handshake, dialect } = this.#parts;
    this.#entered.delete(name);
    room.stream?.closed();
    const unit = entryOf(dialect.name, name, 'reason', reason === '' ? undefined : reason);
    const message = new DialectMessage('CLOSE', handshake, unit, undefined, code);
    const exchange = context.receive(message);
    informOfEnd(context, exchange, () => {
      if (code === LOST) exchange.abort();
      else exchange.done({ status: code });
    });
  }

  leaveAll(code: number, reason: string): void {
    for (const name of [...this.#entered.keys()]) this.leave(name, code, reason);
  }

  #admit(
    exchange: WebsocketExchange,
    message: DialectMessage,
    outcome: WebsocketOutcome,
    mockId: string | undefined,
  ): Promise<void> | undefined {
    const { type } = outcome;
    if (type === 'aborted') return undefined;
    if (type === 'fault') {
      const tell = (): void => this.#refuse(exchange, message, outcome.given.message ?? FAULT);
      this.#host.fail(exchange, outcome, tell);
      return undefined;
    }
    const greeting = type === 'matched' ? outcome.mock.compiled.greeting : undefined;
    if (type === 'matched' && greeting !== undefined) {
      try {
        return this.#greet(exchange, message, outcome, greeting);
      } catch (thrown) {
        this.#parts.answering.fail(exchange, outcome, thrown);
        return undefined;
      }
    }
    if (mockId === undefined) {
      this.#refuse(exchange, message, undefined);
      return undefined;
    }
    this.#enter(message, mockId, undefined);
    exchange.done({ status: 101 });
    return undefined;
  }

  #greet(
    exchange: WebsocketExchange,
    message: DialectMessage,
    match: WebsocketMatch,
    greeting: Greeting,
  ): Promise<void> | undefined {
    if (greeting.error !== undefined) {
      this.#refuse(exchange, message, match.renderValue(greeting.error));
      return undefined;
    }
    this.#enter(message, match.mock.id, greeting.reply && match.renderValue(greeting.reply));
    exchange.started({ status: 101 });
    return this.#parts.answering.give(exchange, match, greeting);
  }

  #enter(message: DialectMessage, mockId: string, reply: unknown): void {
    const { context, dialect } = this.#parts;
    const { room } = message.unit;
    const entered = new EnteredRoom(room, this.#host);
    this.#entered.set(room, entered);
    this.#host.send(dialect.accept(message, reply));
    entered.stream = context.streams.open(mockId, entered);
    this.#host.entered();
  }

  #refuse(exchange: WebsocketExchange, message: DialectMessage, error: unknown): void {
    const { dialect } = this.#parts;
    this.#host.send(dialect.refuse(message, error));
    if (dialect.closesRefused === true) this.#host.close(NORMAL, '');
    exchange.done(error === undefined ? {} : { body: showValue({ error }) });
  }
}
