import { WildcardIndex } from '@backlot/kit/wildcards';
import { SUBJECT_SYNTAX, hasEmptyWord } from '../wire/subject.js';
import { Consumer } from './consumer.js';
import type { SavedConsumer } from './saved-consumer.js';
import type { Duplicates } from './duplicates.js';
import { API_ERRORS } from './errors.js';
import { overlap } from './filters.js';
import type { StoredMessage } from './stored-message.js';
import type { StreamConfig } from './stream-config.js';
import { Stream } from './stream.js';
import { MAX_CONSUMERS, MAX_STREAMS, type Surroundings } from './surroundings.js';

/** Subjects whose stream is known without looking; when there are more, all are forgotten. */
const MAX_KNOWN = 8_192;
/** Subjects of all streams together. */
const MAX_SUBJECTS = 10_000;

/** A stream in a form that snapshots keep. */
interface SavedStream {
  readonly config: StreamConfig;
  readonly created: number;
  readonly lastSequence: number;
  readonly lastTime: number;
  readonly messages: readonly StoredMessage[];
  readonly duplicates: ReturnType<Duplicates['save']>;
  readonly consumers: readonly SavedConsumer[];
}

/** All streams as snapshots keep them. */
export type SavedStreams = readonly SavedStream[];

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
    this.#checkSubjects(config);
    const stream = new Stream(config, this.around.clock.now(), this.around);
    this.#byName.set(config.name, stream);
    this.#index();
    return stream;
  }

  /** @throws ApiError when its subjects are those of another one */
  update(stream: Stream, config: StreamConfig): void {
    this.#checkSubjects(config);
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
      messages: [...stream.messages.values()],
      duplicates: stream.duplicates.save(),
      consumers: Array.from(stream.consumers.values(), (consumer) => consumer.save()),
    }));
  }

  restore(saved: SavedStreams): void {
    const stays = new Set(
      saved.flatMap(({ config, consumers }) => consumers.map(({ name }) => `${config.name}.${name}`)),
    );
    for (const stream of this.#byName.values()) {
      const { name } = stream.config;
      for (const consumer of stream.consumers.values()) consumer.stop(!stays.has(`${name}.${consumer.name}`));
      stream.stop(false);
    }
    this.#byName.clear();
    for (const { config, created, messages, duplicates, consumers, lastSequence, lastTime } of saved) {
      const stream = new Stream(config, created, this.around);
      for (const message of messages) stream.messages.add(message);
      stream.messages.skip(lastSequence, lastTime);
      stream.duplicates.restore(duplicates);
      for (const kept of consumers) {
        const consumer = new Consumer(stream, kept.name, kept.config, this.around, kept);
        stream.consumers.set(kept.name, consumer);
        this.around.countConsumers(1);
      }
      this.#byName.set(config.name, stream);
      stream.start();
    }
    this.#index();
  }

  #checkSubjects({ name, subjects = [] }: StreamConfig): void {
    let count = subjects.length;
    for (const other of this.#byName.values()) {
      if (other.config.name === name) continue;
      const taken = other.config.subjects ?? [];
      count += taken.length;
      if (taken.some((one) => subjects.some((subject) => overlap(one, subject)))) {
        throw API_ERRORS.subjectOverlap();
      }
    }
    if (count > MAX_SUBJECTS) throw API_ERRORS.insufficientResources();
  }

  #index(): void {
    this.#known.clear();
    this.#bySubject = new WildcardIndex<Stream>(SUBJECT_SYNTAX);
    for (const stream of this.#byName.values()) {
      for (const subject of stream.config.subjects ?? []) this.#bySubject.add(subject, stream);
    }
  }
}
