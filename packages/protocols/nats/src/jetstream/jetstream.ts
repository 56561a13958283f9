import { nextTurn, runInSlices, type Clock, type Reply } from '@backlot/core/plugin';
import { timers } from '@backlot/kit';
import type { Delivery } from '../subscription.js';
import { readAcknowledgement, readAckSubject } from './acknowledgement.js';
import { Api, type ApiAnswer } from './api.js';
import { ApiError } from './errors.js';
import { Usage } from './message-store.js';
import { Streams, type BuiltStreams, type SavedStreams } from './streams.js';
import { readConfigured, type JetStreamSettings } from './configured.js';

const API = '$JS.API.';
const ACK = '$JS.ACK.';
const FLOW_CONTROL = '$JS.FC.';
const NOTHING = Buffer.alloc(0);
/** Messages and ids that are not put back in one step. */
const MANY = 2_000;

/** The answer to a message; `'taken'` when there is none, `undefined` when it is for nothing that is there. */
export type Taken = Reply | 'taken' | undefined;

/** What JetStream needs of the server. */
export interface JetStreamHost {
  readonly clock: Clock;
  newId(): string;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  roll(): number;
  onError(error: unknown): void;
  /** Delivers to whoever has subscribed to a subject; says whether somebody has. */
  deliver(delivery: Delivery, to?: string): boolean;
  isHeard(subject: string): boolean;
}

/** Streams and their consumers (NATS documentation, "JetStream wire API Reference"). */
export class JetStream {
  readonly #host: JetStreamHost;
  readonly #streams: Streams;
  readonly #api: Api;
  #looksSoon = false;

  constructor(host: JetStreamHost, settings: JetStreamSettings) {
    this.#host = host;
    const usage = new Usage();
    this.#streams = new Streams({
      clock: host.clock,
      timers,
      usage,
      maxBytes: settings.maxBytes,
      send: (to, delivery) => host.deliver(delivery, to),
      publish: (subject, payload) => this.#publish(subject, Buffer.from(payload)),
      isHeard: (subject) => host.isHeard(subject),
      newId: () => host.newId(),
      roll: () => host.roll(),
      later: (callback) => this.#later(callback),
      run: (steps) => this.#run(steps),
    });
    this.#api = new Api(this.#streams, usage, settings);
    for (const config of readConfigured(settings)) this.#streams.create(config);
  }

  get streams(): Streams {
    return this.#streams;
  }

  /** Whether a message is for it, because of its subject. */
  concerns(subject: string): boolean {
    if (subject.startsWith('$JS.')) {
      return subject.startsWith(API) || subject.startsWith(ACK) || subject.startsWith(FLOW_CONTROL);
    }
    return this.#streams.size > 0 && this.#streams.taking(subject) !== undefined;
  }

  /**
   * Takes a message that {@link concerns} it.
   *
   * @param isAnswered - whether somebody else answers its sender; requests are then left to them
   * @returns the answer; a promise of it where it takes long
   */
  take(message: Delivery, isAnswered: boolean): Taken | Promise<Taken> {
    const { subject } = message;
    if (subject.startsWith(API)) return isAnswered ? 'taken' : this.#request(message);
    if (subject.startsWith(ACK)) return this.#acknowledge(message, isAnswered);
    if (subject.startsWith(FLOW_CONTROL)) {
      const [, , stream = '', consumer = ''] = subject.split('.');
      this.#streams.find(stream)?.consumers.get(consumer)?.flowAnswered(subject);
      return 'taken';
    }
    return this.#store(message, isAnswered);
  }

  /** Subscriptions have come or gone. */
  look(): void {
    if (this.#looksSoon || this.#streams.consumers === 0) return;
    this.#looksSoon = true;
    this.#later(() => {
      this.#looksSoon = false;
      for (const stream of this.#streams.values()) {
        for (const consumer of stream.consumers.values()) consumer.look();
      }
    });
  }

  save(): SavedStreams {
    return this.#streams.save();
  }

  /** Makes what {@link restore} needs, in steps; `undefined` where there is little to do. */
  prepare(saved: SavedStreams): Generator<undefined, BuiltStreams> | undefined {
    const count = saved.reduce(
      (sum, { messages, duplicates }) => sum + messages.length + duplicates.length,
      0,
    );
    return count < MANY ? undefined : this.#streams.build(saved);
  }

  restore(saved: SavedStreams, prepared?: BuiltStreams): void {
    this.#streams.restore(saved, prepared);
  }

  #request({ subject, reply, payload }: Delivery): Taken | Promise<Taken> {
    const answer = this.#api.answer({ words: subject.slice(API.length).split('.'), reply, payload });
    if (answer instanceof Promise) return answer.then((text) => this.#answer(reply, text));
    return this.#answer(reply, answer);
  }

  #answer(reply: string, answer: ApiAnswer): Reply | 'taken' {
    if (answer === 'taken' || reply === '') return 'taken';
    if (typeof answer !== 'string') {
      this.#host.deliver({ ...answer, subject: reply, reply: '' });
      return { body: answer.payload };
    }
    this.#host.deliver({ subject: reply, reply: '', headerBytes: undefined, payload: Buffer.from(answer) });
    return { body: answer };
  }

  #acknowledge({ subject, reply, payload }: Delivery, isAnswered: boolean): 'taken' | undefined {
    const named = readAckSubject(subject);
    const consumer = named && this.#streams.find(named.stream)?.consumers.get(named.consumer);
    if (named === undefined || consumer === undefined) return undefined;
    const said = readAcknowledgement(payload);
    if (said === undefined) return 'taken';
    consumer.acknowledge(said.kind, named.sequence, named.delivered, named.deliveries);
    if (said.next !== undefined) {
      if (reply !== '') consumer.pull(reply, said.next);
    } else if (reply !== '' && !isAnswered) {
      this.#host.deliver({ subject: reply, reply: '', headerBytes: undefined, payload: NOTHING });
    }
    return 'taken';
  }

  #store(message: Delivery, isAnswered: boolean): Reply | 'taken' | undefined {
    const stream = this.#streams.taking(message.subject);
    if (stream === undefined) return undefined;
    let answer: object;
    try {
      answer = stream.store(message);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      answer = { error: error.body, stream: stream.config.name, seq: 0 };
    }
    if (message.reply === '' || isAnswered || stream.config.no_ack === true) return 'taken';
    const body = JSON.stringify(answer);
    this.#host.deliver({
      subject: message.reply,
      reply: '',
      headerBytes: undefined,
      payload: Buffer.from(body),
    });
    return { body };
  }

  #publish(subject: string, payload: Buffer): void {
    const message = { subject, reply: '', headerBytes: undefined, payload };
    if (this.#streams.taking(subject) !== undefined) this.#store(message, true);
    this.#host.deliver(message);
  }

  /** Each waits for its turn: however many consumers have something to deliver, others are let in. */
  #later(callback: () => void): void {
    nextTurn()
      .then(callback)
      .catch((error: unknown) => this.#host.onError(error));
  }

  #run(steps: Iterator<unknown, unknown>): void {
    const done = runInSlices(steps);
    if (done instanceof Promise) done.catch((error: unknown) => this.#host.onError(error));
  }
}
