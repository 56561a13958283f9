import { Slice, turns } from '@backlot/core/plugin';
import { timers, type Timer } from '@backlot/kit';
import { Answering } from '../answering.js';
import type { Handshake } from '../handshake.js';
import type { Rule } from '../rule.js';
import type { WebsocketContext, WebsocketExchange, WebsocketOutcome } from '../shape.js';
import { GOING_AWAY, INTERNAL_ERROR, NORMAL, PROTOCOL_ERROR } from '../wire/close-code.js';
import type { Carrier, Receiver } from './carrier.js';
import { DialectError, type Dialect, type EventFields, type Heard, type Packet } from './dialect.js';
import { DialectMessage } from './dialect-message.js';
import { makeStep } from './make-step.js';
import { FAULT, Rooms, type RoomsHost } from './rooms.js';
import type { Unit } from './unit.js';

type Join = Extract<Heard, { type: 'join' }>;
type Call = Extract<Heard, { type: 'call' }>;

/** Answers of one client that may be under way at once; further messages wait, and no more is read. */
const MAX_PENDING = 1000;
/** Bytes that may wait for their turn before no more is read, and what a message costs beside its own. */
const MAX_WAITING = 256 * 1024;
const OVERHEAD = 100;
/** A client that leaves more pushed bytes than this unread is cut. */
const MAX_UNREAD = 1024 * 1024;

/**
 * One client that speaks a dialect. Unlike without one, its messages do not wait for each other's answers: what answers
 * which is said by the dialect.
 */
export class DialectSession implements Receiver, RoomsHost {
  readonly #context: WebsocketContext;
  readonly #handshake: Handshake;
  readonly #carrier: Carrier;
  readonly #dialect: Dialect;
  readonly #answering: Answering;
  readonly #rooms: Rooms;
  readonly #pending = new Set<WebsocketExchange>();
  #queue: Heard[] = [];
  #next = 0;
  #waiting = 0;
  /** Whether a client that enters is waited for: what it sends then may be for what it enters. */
  #isEntering = false;
  #isYielding = false;
  #isStopping = false;
  #beat: Timer | undefined;
  #closed: { readonly code: number; readonly reason: string } | undefined;

  constructor(context: WebsocketContext, handshake: Handshake, carrier: Carrier, dialect: Dialect) {
    this.#context = context;
    this.#handshake = handshake;
    this.#carrier = carrier;
    this.#dialect = dialect;
    this.#answering = new Answering(context, {
      get isChoked() {
        return carrier.isChoked;
      },
      whenRead: () => carrier.whenRead(),
      send: ({ message }, match, { parts }) => {
        const step = makeStep(parts, match, message as DialectMessage, dialect);
        this.send(step.packets);
        return step.shown;
      },
      close: (code, reason, exchange) => this.#closeAfter(code, reason, exchange),
    });
    this.#rooms = new Rooms({ context, handshake, dialect, answering: this.#answering }, this);
  }

  send(packets: readonly Packet[]): void {
    if (this.#closed === undefined && packets.length > 0) this.#carrier.send(packets);
  }

  receive(packet: Packet): void {
    if (this.#closed !== undefined) return;
    try {
      for (const heard of this.#dialect.read(packet)) {
        // What does not wait for what came before: a client that asks whether somebody is there is told at once.
        if (heard.type === 'control') this.send(heard.packets);
        else if (heard.type === 'cancel') this.#cancel(heard.isFor, heard.packets);
        else this.#queue.push(heard);
      }
    } catch (thrown) {
      if (!(thrown instanceof DialectError)) throw thrown;
      this.#queue.push({ type: 'broken', error: thrown });
    }
    this.#waiting += packet.length + OVERHEAD;
    if (this.#waiting > MAX_WAITING) this.#carrier.hold();
    this.#goOn();
  }

  drained(): void {
    this.#goOn();
  }

  /** Ends with 1001 (going away), as soon as no answer is being made. */
  stop(): void {
    if (this.#pending.size === 0) this.stopNow();
    else this.#isStopping = true;
  }

  /** Ends with 1001 now: answers that wait are given up. */
  stopNow(): void {
    this.send(this.#dialect.goodbye?.() ?? []);
    this.close(GOING_AWAY, '');
    this.#giveUp();
  }

  close(code: number, reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = { code, reason };
    this.#carrier.close(code, reason);
  }

  closed(code: number, reason: string): void {
    this.#beat?.cancel();
    const end = this.#closed ?? { code, reason };
    this.#closed ??= end;
    // They had arrived: they count, though nobody is left to answer.
    for (const heard of this.#queue.splice(this.#next)) {
      if (heard.type !== 'call') continue;
      const exchange = this.#context.receive(this.#messageOf(heard));
      void exchange.resolve();
      exchange.abort();
    }
    this.#giveUp();
    this.#rooms.leaveAll(end.code, end.reason);
  }

  pushEvent(room: string, fields: EventFields): void {
    const packets = this.#dialect.event(room, fields);
    if (this.#carrier.waiting > MAX_UNREAD) this.#carrier.destroy();
    else this.send(packets);
  }

  endRoom(room: string, error: string | undefined): void {
    const packets = this.#dialect.leave(room, error);
    if (packets !== undefined) this.send(packets);
    const isLast = packets === undefined || room === '';
    this.#rooms.leave(room, error === undefined ? NORMAL : INTERNAL_ERROR, error ?? '');
    if (isLast) this.close(error === undefined ? NORMAL : INTERNAL_ERROR, error ?? '');
  }

  entered(): void {
    const { beat } = this.#dialect;
    if (beat === undefined) return;
    const tick = this.#carrier.isolate(() => this.send(beat.packets));
    this.#beat ??= timers.every(beat.every, tick, { unref: true });
  }

  #goOn(): void {
    const slice = new Slice();
    while (!this.#isEntering && !this.#isYielding && this.#closed === undefined) {
      if (this.#carrier.isChoked || this.#pending.size >= MAX_PENDING) return this.#carrier.hold();
      const heard = this.#queue[this.#next];
      if (heard === undefined) {
        this.#queue = [];
        this.#next = 0;
        this.#waiting = 0;
        return this.#carrier.free();
      }
      this.#next += 1;
      this.#handle(heard);
      if (slice.isOver) this.#yield();
    }
  }

  /** Lets other connections in. */
  #yield(): void {
    this.#isYielding = true;
    this.#carrier.hold();
    turns.wait(
      this.#carrier.isolate(() => {
        this.#isYielding = false;
        this.#goOn();
      }),
    );
  }

  #handle(heard: Heard): void {
    switch (heard.type) {
      case 'join':
        return this.#join(heard);
      case 'call':
        return this.#call(heard);
      case 'leave':
        this.send(heard.packets);
        return this.#rooms.leave(heard.room, NORMAL, '');
      case 'broken':
        this.send(heard.error.packets);
        return this.close(PROTOCOL_ERROR, heard.error.message);
      case 'bye':
        return this.close(NORMAL, heard.reason);
      default:
        return undefined;
    }
  }

  #join(join: Join): void {
    const admitted = this.#rooms.join(join, (exchange, waiting) => this.#settle(exchange, waiting));
    if (admitted === undefined) return;
    this.#isEntering = true;
    admitted.then(
      this.#carrier.isolate(() => {
        this.#isEntering = false;
        this.#goOn();
      }),
      // What settles the exchange tells of it.
      () => undefined,
    );
  }

  #call(call: Call): void {
    const message = this.#messageOf(call);
    const exchange = this.#context.receive(message);
    if (!this.#rooms.has(call.unit.room)) {
      // Nobody is there who could answer it, so that no mock is asked.
      this.send(this.#dialect.miss(message, false));
      return exchange.done();
    }
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) {
      this.#settle(
        exchange,
        outcome.then((late) => this.#follow(exchange, message, late)),
      );
    } else {
      this.#settle(exchange, this.#follow(exchange, message, outcome));
    }
  }

  #follow(
    exchange: WebsocketExchange,
    message: DialectMessage,
    outcome: WebsocketOutcome,
  ): Promise<void> | undefined {
    switch (outcome.type) {
      case 'matched': {
        let rule: Rule | undefined;
        try {
          rule = outcome.mock.compiled.ruleFor(message);
        } catch (thrown) {
          this.#answering.fail(exchange, outcome, thrown);
          return undefined;
        }
        if (rule !== undefined) return this.#answering.give(exchange, outcome, rule.answer);
        break;
      }
      case 'fault': {
        const packets = this.#dialect.fail(message, outcome.given.message ?? FAULT);
        return this.fail(
          exchange,
          outcome,
          packets &&
            (() => {
              this.send(packets);
              exchange.done({ body: outcome.given.message ?? FAULT });
            }),
        );
      }
      case 'aborted':
        return undefined;
      default:
        message.isUnmatched = true;
    }
    this.send(this.#dialect.miss(message, true));
    exchange.done();
    return undefined;
  }

  /** A fault with a close code closes the connection; any other is told in the dialect, where it has a word for it. */
  fail(
    exchange: WebsocketExchange,
    { fault, given }: Extract<WebsocketOutcome, { type: 'fault' }>,
    tell: (() => void) | undefined,
  ): undefined {
    if (given.close_code === undefined && tell !== undefined) {
      tell();
      return undefined;
    }
    const { close_code: code = INTERNAL_ERROR, message = '' } = fault;
    exchange.done({ status: code });
    this.close(code, message);
  }

  #messageOf({ unit, ref }: { readonly unit: Unit; readonly ref?: unknown }): DialectMessage {
    return new DialectMessage('MESSAGE', this.#handshake, unit, ref);
  }

  #settle(exchange: WebsocketExchange, waiting: Promise<void> | undefined): void {
    if (waiting === undefined) return;
    const carrier = this.#carrier;
    this.#pending.add(exchange);
    carrier.busy();
    waiting.then(
      carrier.isolate(() => {
        this.#pending.delete(exchange);
        this.#goOn();
        if (this.#isStopping && this.#pending.size === 0) this.stopNow();
        carrier.idle();
      }),
      carrier.isolate((error) => {
        throw error;
      }),
    );
  }

  #cancel(isFor: (ref: unknown) => boolean, packets: readonly Packet[]): void {
    for (const exchange of this.#pending) {
      if (isFor((exchange.message as DialectMessage).ref) && !exchange.ended) exchange.abort();
    }
    this.send(packets);
  }

  /** An answer closes: with 1000 and no reason what the client has entered is ended in the terms of the dialect. */
  #closeAfter(code: number, reason: string, { message }: WebsocketExchange): void {
    const { room = '' } = message.unit ?? {};
    if (code === NORMAL && reason === '') this.endRoom(room, undefined);
    else this.close(code, reason);
  }

  /** The answers that are being made are made no further. */
  #giveUp(): void {
    for (const exchange of this.#pending) if (!exchange.ended) exchange.abort();
    this.#carrier.release();
  }
}
