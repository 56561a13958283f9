import { ShownMessages } from '@backlot/kit';
import type { UpstreamDesk } from '@backlot/kit/upstream';
import type { WebsocketExchange } from '../shape.js';
import { sendableCode } from '../wire/close-code.js';
import { listedMessages, redactMessage, type MessageMatch } from './message-match.js';

/** A recorded answer, as far as it is known by its beginning. */
interface Known {
  readonly first: string;
  readonly count: number;
}

/** The most bytes of an answer that are kept. */
const MAX_KEPT = 2 * 1024 * 1024;
const MAX_MESSAGES = 10_000;
const MAX_KNOWN = 10_000;

/** What is known of the first answers to messages, for all connections: whether more than a first message is to be waited for. */
export type KnownAnswers = Map<string, Known>;

/** What a client did, and what the upstream has said since: it belongs to it until the client says the next thing. */
export class Turn {
  readonly exchange: WebsocketExchange;
  readonly #desk: UpstreamDesk;
  readonly #known: KnownAnswers;
  readonly #match: MessageMatch | undefined;
  readonly #messages: (string | Buffer)[] = [];
  readonly #shown = new ShownMessages();
  #body: string | Buffer | undefined;
  #size = 0;
  #isRecorded = false;
  #hasEnded = false;
  /** Why it is not recorded. */
  problem: string | undefined;

  /** @param match - absent where nothing is recorded */
  constructor(
    exchange: WebsocketExchange,
    match: MessageMatch | undefined,
    desk: UpstreamDesk,
    known: KnownAnswers,
  ) {
    this.exchange = exchange;
    this.#match = match;
    this.#desk = desk;
    this.#known = known;
  }

  /** Whether the upstream has said something since. */
  get isAnswered(): boolean {
    return this.#messages.length > 0;
  }

  /** Whether its answer is recorded in a field of the mock for clients that connect. */
  get isGreeting(): boolean {
    return this.exchange.message.method === 'CONNECT';
  }

  /** The upstream has sent a message, which the client is to get after this. */
  add(message: string | Buffer): void {
    this.#size += message.length;
    if (this.#size > MAX_KEPT || this.#messages.length >= MAX_MESSAGES)
      this.problem = 'it is longer than 2 MiB, or has more than 10,000 messages';
    else this.#messages.push(message);
    this.#body = this.#shown.add(redactMessage(message));
    const { exchange } = this;
    if (this.#messages.length === 1 && this.problem === undefined) this.#recordFirst(message);
    if (!this.#isRecorded) exchange.noteUpstream({ answered: true });
    exchange.started(this.#reply());
  }

  /** The client says the next thing, or one of both has closed. @param close - how the upstream has */
  end(close?: { readonly code: number; readonly reason: string }): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { exchange } = this;
    const isClosed = close !== undefined && sendableCode(close.code) !== undefined;
    if (this.#match !== undefined && this.problem === undefined && !exchange.ended)
      this.#recordWhole(isClosed ? close : undefined);
    else if (this.problem !== undefined && this.#match !== undefined)
      this.#desk.tell(exchange, 'recorded', this.problem);
    if (!exchange.ended && !this.isAnswered && !this.#isRecorded) exchange.noteUpstream({ answered: true });
    exchange.done({ ...this.#reply(), ...(close === undefined ? {} : { status: close.code }) });
  }

  /** A first message is recorded before the client has it, unless an answer is known that goes on after it. */
  #recordFirst(message: string | Buffer): void {
    const match = this.#match;
    if (match === undefined) return;
    const known = this.#known.get(match.key);
    if (known !== undefined && known.count > 1 && known.first === textOf(message)) return;
    this.#record(match, this.#answer(undefined));
  }

  #recordWhole(close: { readonly code: number; readonly reason: string } | undefined): void {
    const match = this.#match;
    if (match === undefined) return;
    if (this.isGreeting && !this.isAnswered) return;
    if (this.isGreeting && close !== undefined) {
      this.#desk.tell(
        this.exchange,
        'recorded',
        'it closes the connection, which no mock does for a client that connects',
      );
      return;
    }
    const answer = this.#answer(close);
    if (!this.#isRecorded) this.#record(match, answer);
    else if (this.#messages.length > 1 || close !== undefined)
      this.#desk.amend(this.exchange, match.key, answer);
    if (this.#known.has(match.key) || this.#known.size >= MAX_KNOWN) return;
    this.#known.set(match.key, { first: textOf(this.#messages[0] ?? ''), count: this.#messages.length });
  }

  #record(match: MessageMatch, answer: unknown): void {
    const { key, name, match: fields, patterns } = match;
    this.#isRecorded = true;
    this.#desk.record(this.exchange, [{ key, name, match: fields, answer }], patterns);
  }

  /** The answer as the fields of a mock. */
  #answer(close: { readonly code: number; readonly reason: string } | undefined): unknown {
    const listed = listedMessages(this.#messages);
    const [only] = listed;
    const isOne = listed.length === 1 && typeof only === 'string';
    if (this.isGreeting) return { on_connect: { send: isOne ? only : listed } };
    const [rule] = (this.#match?.match['on_message'] ?? []) as readonly object[];
    return {
      on_message: [
        {
          ...rule,
          ...(listed.length === 0 ? {} : { respond: isOne ? only : listed }),
          ...(close === undefined
            ? {}
            : { close: { code: close.code, ...(close.reason !== '' && { reason: close.reason }) } }),
        },
      ],
    };
  }

  #reply(): { readonly status?: number; readonly body?: string | Buffer } {
    return {
      ...(this.isGreeting ? { status: 101 } : {}),
      ...(this.#body === undefined ? {} : { body: this.#body }),
    };
  }
}

function textOf(message: string | Buffer): string {
  return typeof message === 'string' ? message : message.toString('latin1');
}
