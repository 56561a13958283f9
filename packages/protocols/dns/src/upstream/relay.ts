import type { Context, ExchangeFor, OutcomeFor, Upstream } from '@backlot/core/plugin';
import type { Connection, DatagramRemote } from '@backlot/kit';
import {
  DatagramAsks,
  readAuthorities,
  relayMessage,
  UpstreamDesk,
  UpstreamLine,
} from '@backlot/kit/upstream';
import { LengthPrefixFramer } from '@backlot/kit/framing';
import type { DnsShape } from '../shape.js';
import { MAX_MESSAGE } from '../wire/message-writer.js';
import type { Query } from '../wire/query.js';
import { nameOfRcode } from '../wire/rcodes.js';
import { differencesOf, type ComparedAnswer } from './compared.js';
import { isAnswerTo, lineOf, readAnswer, type ReceivedAnswer } from './read-answer.js';
import { keyOf, recordingsOf } from './recordings.js';

/** How the messages of a client get to the upstream. */
export interface UpstreamWay {
  /** Sends a query, and waits for its answer. */
  ask(query: Buffer, isAnswer: (data: Buffer) => boolean): Promise<Buffer>;
  /** Gives an answer of the upstream to the client. */
  give(answer: Buffer): void;
  /** Passes on what is no question that mocks could answer, and whatever comes back. */
  pass(data: Buffer): void;
  /** There is no answer. */
  refuse(problem: Error): void;
}

/** Answers without the upstream, and tells the answer before the exchange is ended. */
type AnswerSelf = (
  outcome: OutcomeFor<DnsShape>,
  compare: ((answer: ComparedAnswer) => void) | undefined,
) => Promise<void> | undefined;

/** Asks an upstream in the place of mocks, or beside them. */
export class Relay {
  readonly #upstream: Upstream;
  readonly #authorities: Buffer | undefined;
  readonly #desk: UpstreamDesk;
  readonly #asks: DatagramAsks;

  constructor(context: Context<DnsShape>, upstream: Upstream) {
    this.#upstream = upstream;
    this.#authorities = readAuthorities(upstream);
    this.#desk = new UpstreamDesk(context, upstream, {
      form: { as: 'state', answer: (answer) => answer as Readonly<Record<string, unknown>> },
    });
    this.#asks = new DatagramAsks(upstream, this.#desk.upstreamLog);
  }

  /** The way of one datagram. */
  datagramWay(remote: DatagramRemote, reply: (data: Uint8Array) => void): UpstreamWay {
    return {
      ask: (query, isAnswer) => this.#asks.ask(query, remote, isAnswer, reply),
      give: reply,
      pass: (data) => this.#asks.pass(data, remote, reply),
      // As without a server: the client asks again, or gives up.
      refuse: () => undefined,
    };
  }

  /** The way of one connection, to a connection of its own. */
  connectionWay(connection: Connection): UpstreamWay {
    return new ConnectionWay(connection, this.#upstream, this.#authorities, this.#desk);
  }

  /** Takes a question. @returns a promise that resolves when it is answered */
  take(query: Query, exchange: ExchangeFor<DnsShape>, way: UpstreamWay, answer: AnswerSelf): Promise<void> {
    const { message } = exchange;
    // The octets of the network are used again, and the query keeps only its question.
    const bytes = Buffer.from(query.bytes);
    const { questionEnd } = query;
    return relayMessage<ComparedAnswer & Partial<ReceivedAnswer>, ExchangeFor<DnsShape>>(this.#desk, {
      exchange,
      key: keyOf(message),
      kept: () => message,
      forward: async () => readAnswer(await way.ask(bytes, (data) => isAnswerTo(bytes, questionEnd, data))),
      pass: (given) => given.bytes && way.give(given.bytes),
      refuse: (problem) => way.refuse(problem),
      keep: (given, records) => ({
        reply: {
          status: nameOfRcode(given.rcode),
          ...(typeof given.records !== 'string' && given.records.length > 0
            ? { body: given.records.map(lineOf).join('\n') }
            : {}),
        },
        recordings: records ? recordingsOf(message, given as ReceivedAnswer) : [],
      }),
      answer,
      differences: differencesOf,
    });
  }

  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void {
    this.#desk.reset();
  }

  stop(): void {
    this.#asks.stop();
  }
}

/** Queries of a connection that wait for an answer. */
interface Waiting {
  readonly isAnswer: (data: Buffer) => boolean;
  readonly resolve: (answer: Buffer) => void;
  readonly reject: (problem: Error) => void;
}

class ConnectionWay implements UpstreamWay {
  readonly #connection: Connection;
  readonly #line: UpstreamLine;
  readonly #waiting: Waiting[] = [];

  constructor(
    connection: Connection,
    upstream: Upstream,
    authorities: Buffer | undefined,
    desk: UpstreamDesk,
  ) {
    this.#connection = connection;
    const framer = new LengthPrefixFramer({ lengthBytes: 2, maxLength: MAX_MESSAGE + 2 });
    this.#line = new UpstreamLine(connection, upstream, authorities, desk.upstreamLog, {
      data: (chunk) => framer.push(chunk, (frame) => this.#take(frame)),
      end: (problem) => this.#end(problem),
    });
  }

  ask(query: Buffer, isAnswer: Waiting['isAnswer']): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ isAnswer, resolve, reject });
      this.pass(query);
    });
  }

  give(answer: Buffer): void {
    this.#line.pass(prefixed(answer));
  }

  pass(data: Buffer): void {
    this.#line.send(prefixed(data));
  }

  refuse(): void {
    this.#connection.reset();
  }

  #take(frame: Buffer): undefined {
    const place = this.#waiting.findIndex(({ isAnswer }) => isAnswer(frame));
    const [asked] = place < 0 ? [] : this.#waiting.splice(place, 1);
    // Several messages answer a transfer of a zone.
    if (asked === undefined) this.give(frame);
    else asked.resolve(Buffer.from(frame));
  }

  #end(problem: Error | undefined): void {
    const waiting = this.#waiting.splice(0);
    for (const { reject } of waiting) reject(problem ?? new Error('it has closed the connection'));
    if (waiting.length === 0 && !this.#connection.isClosed) this.#connection.end();
  }
}

function prefixed(data: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(data.length + 2);
  whole.writeUInt16BE(data.length, 0);
  data.copy(whole, 2);
  return whole;
}
