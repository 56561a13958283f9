import { runAtOnce } from '@backlot/core/plugin';
import { WildcardIndex } from '@backlot/kit/wildcards';
import { SUBJECT_SYNTAX, hasEmptyWord } from '../wire/subject.js';
import { Consumer } from './consumer.js';
import { Copier } from './copier.js';
import type { SavedConsumer } from './saved-consumer.js';
import { Duplicates } from './duplicates.js';
import { API_ERRORS } from './errors.js';
import { overlap } from './filters.js';
import { checkOrigins, originsOf } from './origin-config.js';
import { MessageStore } from './message-store.js';
import type { StoredMessage } from './stored-message.js';
import type { StreamConfig } from './stream-config.js';
import { Stream } from './stream.js';
import { MAX_CONSUMERS, MAX_STREAMS, type Surroundings } from './surroundings.js';

/** Subjects whose stream is known without looking; when there are more, all are forgotten. */
const MAX_KNOWN = 8_192;
/** Subjects of all streams together. */
const MAX_SUBJECTS = 10_000;
/** Mirrors, and sources of all streams. */
const MAX_COPIERS = 2_000;

/** A stream in a form that snapshots keep. */
interface SavedStream {
  readonly config: StreamConfig;
  readonly created: number;
  readonly lastSequence: number;
  readonly lastTime: number;
  readonly messages: readonly StoredMessage[];
  readonly duplicates: ReturnType<Duplicates['save']>;
  readonly consumers: readonly SavedConsumer[];
  /** Where what it copies goes on, in the order of its mirror or its sources. */
  readonly copied: readonly number[];
}

/** All streams as snapshots keep them. */
export type SavedStreams = readonly SavedStream[];

/** What of a stream takes long to make. */
interface BuiltStream {
  readonly messages: MessageStore;
  readonly duplicates: Duplicates;
}

/** Of each saved stream, in their order. */
export type BuiltStreams = readonly BuiltStream[];

/** The streams, by name and by the subjects that they take. */
export class Streams {
  readonly around: Surroundings;
  readonly #byName = new Map<string, Stream>();
  #bySubject = new WildcardIndex<Stream>(SUBJECT_SYNTAX);
  readonly #known = new Map<string, Stream | undefined>();
  #consumers = 0;

  constructor(around: Omit<Surroundings, 'countConsumers'>) {
    this.around = {
      ...around,
      countConsumers: (change) => {
        this.#consumers += change;
      },
    };
  }

  get size(): number {
    return this.#byName.size;
  }

  get consumers(): number {
    return this.#consumers;
  }

  get hasAllConsumers(): boolean {
    return this.#consumers >= MAX_CONSUMERS;
  }

  get byName(): ReadonlyMap<string, Stream> {
    return this.#byName;
  }

  /** In the order of their names. */
  all(): Stream[] {
    return [...this.#byName.values()].sort((a, b) => (a.config.name < b.config.name ? -1 : 1));
  }

  values(): Iterable<Stream> {
    return this.#byName.values();
  }

  find(name: string): Stream | undefined {
    return this.#byName.get(name);
  }

  /** @throws ApiError 10059 */
  get(name: string): Stream {
    const stream = this.#byName.get(name);
    if (stream === undefined) throw API_ERRORS.streamNotFound();
    return stream;
  }

  /** The stream that takes a subject. */
  taking(subject: string): Stream | undefined {
    const known = this.#known.get(subject);
    if (known !== undefined || this.#known.has(subject)) return known;
    const [found] = hasEmptyWord(subject) ? [] : this.#bySubject.match(subject);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(subject, found);
    return found;
  }

  /** @throws ApiError when it cannot be made */
  create(config: StreamConfig): Stream {
    if (this.size >= MAX_STREAMS) throw API_ERRORS.maximumStreams();
    this.#check(config);
    const stream = new Stream(config, this.around.clock.now(), this.around);
    stream.copiers = originsOf(config).map((origin) => new Copier(stream, origin, this.around));
    this.#byName.set(config.name, stream);
    this.#index();
    return stream;
  }

  /** @throws ApiError when its subjects are those of another one */
  update(stream: Stream, config: StreamConfig): void {
    this.#check(config);
    this.#updateCopiers(stream, config);
    stream.update(config);
    this.#index();
  }

  delete(stream: Stream): void {
    this.#byName.delete(stream.config.name);
    stream.stop(true);
    this.#index();
  }

  save(): SavedStreams {
    return Array.from(this.#byName.values(), (stream) => ({
      config: stream.config,
      created: stream.created,
      lastSequence: stream.messages.lastSequence,
      lastTime: stream.messages.lastTime,
      messages: stream.messages.toArray(),
      duplicates: stream.duplicates.save(),
      consumers: Array.from(stream.consumers.values(), (consumer) => consumer.save()),
      copied: stream.copiers.map(({ next }) => next),
    }));
  }

  /** Makes what {@link restore} needs of saved streams, in steps. */
  *build(saved: SavedStreams): Generator<undefined, BuiltStreams> {
    const built: BuiltStream[] = [];
    for (const { messages, duplicates } of saved) {
      const ids = new Duplicates(this.around.clock);
      yield* ids.restore(duplicates);
      built.push({ messages: yield* MessageStore.build(messages), duplicates: ids });
    }
    return built;
  }

  /** @param prepared - what {@link build} has made of the same, and nobody else has taken */
  restore(saved: SavedStreams, prepared: BuiltStreams = runAtOnce(this.build(saved))): void {
    const stays = new Set(
      saved.flatMap(({ config, consumers }) => consumers.map(({ name }) => `${config.name}.${name}`)),
    );
    for (const stream of this.#byName.values()) {
      const { name } = stream.config;
      for (const consumer of stream.consumers.values()) consumer.stop(!stays.has(`${name}.${consumer.name}`));
      stream.stop(false);
    }
    this.#byName.clear();
    for (const [index, { config, created, consumers, copied, ...last }] of saved.entries()) {
      const built = prepared[index];
      const stream = new Stream(config, created, this.around, built?.duplicates);
      if (built !== undefined) stream.messages.adopt(built.messages);
      stream.messages.skip(last.lastSequence, last.lastTime);
      for (const kept of consumers) {
        const consumer = new Consumer(stream, kept.name, kept.config, this.around, kept);
        stream.consumers.set(kept.name, consumer);
        this.around.countConsumers(1);
      }
      stream.copiers = originsOf(config).map(
        (origin, place) => new Copier(stream, origin, this.around, copied[place]),
      );
      this.#byName.set(config.name, stream);
      stream.start();
    }
    this.#index();
  }

  #check(config: StreamConfig): void {
    const { name, subjects = [] } = config;
    let count = subjects.length;
    let copiers = originsOf(config).length;
    for (const other of this.#byName.values()) {
      if (other.config.name === name) continue;
      const taken = other.config.subjects ?? [];
      count += taken.length;
      copiers += other.copiers.length;
      if (taken.some((one) => subjects.some((subject) => overlap(one, subject)))) {
        throw API_ERRORS.subjectOverlap();
      }
    }
    if (count > MAX_SUBJECTS || copiers > MAX_COPIERS) throw API_ERRORS.insufficientResources();
    checkOrigins(config, (origin) => this.#byName.get(origin)?.config);
  }

  /** What is copied as before goes on where it is. */
  #updateCopiers(stream: Stream, config: StreamConfig): void {
    const left = [...stream.copiers];
    stream.copiers = originsOf(config).map((origin) => {
      const known = left.findIndex((copier) => JSON.stringify(copier.config) === JSON.stringify(origin));
      const [kept] = known < 0 ? [] : left.splice(known, 1);
      return kept ?? new Copier(stream, origin, this.around);
    });
    for (const copier of left) copier.follow(undefined);
  }

  #index(): void {
    this.#known.clear();
    this.#bySubject = new WildcardIndex<Stream>(SUBJECT_SYNTAX);
    for (const stream of this.#byName.values()) {
      for (const subject of stream.config.subjects ?? []) this.#bySubject.add(subject, stream);
      for (const copier of stream.copiers) copier.follow(this.#byName.get(copier.config.name));
    }
  }
}
