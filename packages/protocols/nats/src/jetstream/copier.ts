import { MILLISECOND } from './dates.js';
import { API_ERRORS, ApiError } from './errors.js';
import { SubjectFilter } from './filters.js';
import type { OriginConfig } from './origin-config.js';
import type { StoredMessage } from './stored-message.js';
import type { Stream } from './stream.js';
import type { Surroundings } from './surroundings.js';

/** How far a copier is, as requests are answered with it. */
export interface CopierView {
  readonly name: string;
  /** How many messages of the origin it has not looked at. */
  readonly lag: number;
  /** Nanoseconds since it did something; -1 while it cannot. */
  readonly active: number;
  readonly error?: ApiError['body'];
}

/** Copies what comes to one stream into another one, which mirrors it or has it among its sources. */
export class Copier {
  readonly config: OriginConfig;
  readonly #stream: Stream;
  readonly #around: Surroundings;
  readonly #filter: SubjectFilter;
  readonly #from: number;
  #origin: Stream | undefined;
  /** The next sequence of the origin to look at. */
  next: number;
  #last: number;
  #error: ApiError | undefined;
  #isScheduled = false;

  /**
   * @param stream - that is copied into
   * @param next - the sequence to go on at; the one that the configuration says when absent
   */
  constructor(stream: Stream, config: OriginConfig, around: Surroundings, next?: number) {
    const { opt_start_seq: sequence = 0, opt_start_time: time, filter_subject: filter } = config;
    this.config = config;
    this.#stream = stream;
    this.#around = around;
    this.#filter = new SubjectFilter(filter === undefined ? [] : [filter]);
    this.#from = time === undefined ? 0 : Date.parse(time);
    this.next = next ?? sequence;
    this.#last = around.clock.now();
  }

  get view(): CopierView {
    const { name } = this.config;
    const error = this.#origin === undefined ? API_ERRORS.streamNotFound() : this.#error;
    const last = this.#origin?.messages.lastSequence ?? 0;
    return {
      name,
      lag: Math.max(0, last + 1 - Math.max(this.next, 1)),
      active: error === undefined ? (this.#around.clock.now() - this.#last) * MILLISECOND : -1,
      ...(error === undefined ? {} : { error: error.body }),
    };
  }

  /** Says which stream now has the name that it copies from. */
  follow(origin: Stream | undefined): void {
    if (this.#origin === origin) return;
    this.#origin?.followers.delete(this);
    this.#origin = origin;
    origin?.followers.add(this);
    this.wake();
  }

  /** There may be something to copy, or room for it. */
  wake(): void {
    if (this.#isScheduled || this.#origin === undefined) return;
    this.#isScheduled = true;
    this.#around.later(() => this.#around.run(this.#copy()));
  }

  *#copy(): Generator {
    try {
      for (;;) {
        const { messages } = this.#origin ?? {};
        const message = messages?.next(this.next, this.#filter);
        if (message === undefined) {
          this.next = Math.max(this.next, (messages?.lastSequence ?? -1) + 1);
          return;
        }
        if (message.time >= this.#from && !this.#take(message)) return;
        this.next = message.sequence + 1;
        yield;
      }
    } finally {
      this.#isScheduled = false;
    }
  }

  /** Says whether it is there: what there is no room for is tried again when something has changed. */
  #take(message: StoredMessage): boolean {
    try {
      if (this.#stream.config.mirror === undefined) this.#stream.takeFrom(this.config.name, message);
      else this.#stream.takeAs(message);
      this.#error = undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#error = error;
      return false;
    }
    this.#last = this.#around.clock.now();
    return true;
  }
}
