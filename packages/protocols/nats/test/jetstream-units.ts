import type { Clock } from '@backlot/core/plugin';
import { ConsumerApi } from '../src/jetstream/consumer-api.js';
import { Fields } from '../src/jetstream/fields.js';
import { Usage } from '../src/jetstream/message-store.js';
import { StreamApi } from '../src/jetstream/stream-api.js';
import { readStreamConfig } from '../src/jetstream/stream-config.js';
import { Streams } from '../src/jetstream/streams.js';
import type { Delivery } from '../src/subscription.js';

/** Time that a test drives: a clock and timers in one. */
export class HandTime implements Clock {
  #now = 1_000_000;
  #waits: { readonly at: number; readonly fn: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, fn: () => void): { cancel(): void } {
    const wait = { at: this.#now + milliseconds, fn };
    this.#waits.push(wait);
    return { cancel: () => void (this.#waits = this.#waits.filter((other) => other !== wait)) };
  }

  /** Lets time pass, and calls back what becomes due, in order. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = this.#waits.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#waits = this.#waits.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.fn();
    }
    this.#now = end;
  }
}

export const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** A stream without a server: what it sends is kept, what it does later or in steps is done when the test says so. */
export class StreamBench {
  readonly time = new HandTime();
  /** Real time. */
  readonly timers = new HandTime();
  readonly sent: (readonly [to: string, delivery: Delivery])[] = [];
  readonly running: Iterator<unknown>[] = [];
  #later: (() => void)[] = [];
  readonly streams = new Streams({
    clock: this.time,
    timers: this.timers,
    usage: new Usage(),
    maxBytes: 1e9,
    send: (to, delivery) => this.sent.push([to, delivery]) > 0,
    publish: () => undefined,
    isHeard: () => true,
    roll: () => 0,
    newId: () => 'abcdefgh',
    later: (callback) => void this.#later.push(callback),
    run: (steps) => void this.running.push(steps),
  });
  readonly stream;
  readonly streamApi = new StreamApi(this.streams);
  readonly consumerApi = new ConsumerApi(this.streams);

  constructor(config: object = {}) {
    this.stream = this.streams.create(
      readStreamConfig(new Fields({ name: 's', subjects: ['s.>'], ...config }), 's'),
    );
  }

  consumer(name: string, config: object = {}) {
    const payload = json({ stream_name: 's', config: { name, ack_policy: 'explicit', ...config } });
    this.consumerApi.create({ stream: 's', form: 'named', name }, payload);
    const made = this.stream.consumers.get(name);
    if (made === undefined) throw new Error(`there is no consumer ${name}`);
    return made;
  }

  publish(subject: string, payload = 'x'): void {
    this.stream.store({ subject, reply: '', headerBytes: undefined, payload: Buffer.from(payload) });
  }

  /** Does what is to be done later. */
  turn(): void {
    while (this.#later.length > 0) {
      const [...callbacks] = this.#later;
      this.#later = [];
      for (const callback of callbacks) callback();
    }
  }

  /** The status lines, or payloads, that were sent since the last call. */
  take(): readonly string[] {
    return this.sent.splice(0).map(([, { headerBytes, payload }]) => {
      const head = headerBytes?.toString('latin1').split('\r\n')[0] ?? '';
      return head === '' ? payload.toString() : head;
    });
  }
}

/** Does all steps; gives their number and the result. */
export function allSteps<T>(steps: Iterator<unknown, T>): { readonly count: number; readonly result: T } {
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { count, result: step.value };
  }
}
