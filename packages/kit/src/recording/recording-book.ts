import { isBacklotError, RECORDED_ID, type Log } from '@backlot/core/plugin';

/** A mock as it is stored. */
type Fields = Readonly<Record<string, unknown>>;

/** What a book reads and writes of the mocks of its kind. */
export interface RecordedMocks {
  create(mock: Fields): string;
  replace(id: string, mock: Fields): void;
  values(): readonly { readonly id: string; readonly value: unknown }[];
}

/** One message with its answer, as a kind has decoded them. */
export interface RecordedPair {
  /** Equal for messages that one mock is for. */
  readonly key: string;
  /** What the id of the mock is made of: `recorded:get-users-7` of `GET /users/7`. */
  readonly name: string;
  /** The fields of the mock that say which messages it is for. */
  readonly match: Fields;
  /** The answer, comparable by its JSON. */
  readonly answer: unknown;
}

/** What a book is made of. */
export interface RecordingBookOptions {
  readonly mocks: RecordedMocks;
  readonly log: Pick<Log, 'warn'>;
  /** Whether a mock that is there already and is for the same messages gives way: in mode `record_all`. */
  readonly replaces: boolean;
  /**
   * Makes the fields of a mock that answer.
   *
   * @param answers - in the order in which they came; one alone where all were the same
   */
  answer(answers: readonly unknown[]): Fields;
}

/** One mock that was recorded. */
interface Recording {
  readonly id: string;
  readonly match: Fields;
  readonly answers: unknown[];
  /** How often the first answer came before another one did. */
  same: number;
}

const MAX_RECORDINGS = 10_000;
const MAX_ANSWERS = 1_000;
const MAX_ID = 80;

/**
 * The mocks that are made of what an upstream answers. Each message has one mock; when it is answered differently the next time,
 * the mock answers in the order of the recording.
 */
export class RecordingBook {
  readonly #options: RecordingBookOptions;
  readonly #recordings = new Map<string, Recording>();
  readonly #ids = new Set<string>();
  #isFull = false;

  constructor(options: RecordingBookOptions) {
    this.#options = options;
  }

  /** Whether a message was recorded since the start: then it goes to the upstream again, and not to the mock of the recording. */
  has(key: string): boolean {
    return this.#recordings.has(key);
  }

  /** Whether the mock with this id was recorded since the start: what it matches for another key is to be recorded as well. */
  made(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Records an answer. @returns the id of the mock; `undefined` when there are too many */
  add({ key, name, match, answer }: RecordedPair): string | undefined {
    const known = this.#recordings.get(key);
    if (known !== undefined) return this.#addTo(known, answer);
    if (this.#recordings.size >= MAX_RECORDINGS) return this.#full();
    const id = this.#store(name, match, { ...match, ...this.#options.answer([answer]) });
    this.#ids.add(id);
    this.#recordings.set(key, { id, match, answers: [answer], same: 1 });
    return id;
  }

  /** Forgets what was recorded, as after a reset, which has removed the mocks. */
  clear(): void {
    this.#recordings.clear();
    this.#ids.clear();
    this.#isFull = false;
  }

  #addTo(known: Recording, answer: unknown): string {
    const { answers, id, match } = known;
    if (answers.length === 1 && JSON.stringify(answers[0]) === JSON.stringify(answer)) {
      known.same += 1;
      return id;
    }
    while (answers.length < Math.min(known.same, MAX_ANSWERS)) answers.push(answers[0]);
    known.same = 1;
    if (answers.length < MAX_ANSWERS) answers.push(answer);
    const mock = { ...match, ...this.#options.answer(answers) };
    try {
      this.#options.mocks.replace(id, mock);
    } catch (thrown) {
      // Somebody has removed it since.
      if (!isBacklotError(thrown) || thrown.code !== 'not_found') throw thrown;
      this.#options.mocks.create({ id, ...mock });
    }
    return id;
  }

  #store(name: string, match: Fields, mock: Fields): string {
    const { mocks, replaces } = this.#options;
    const base = idOf(name);
    for (let number = 1; ; number += 1) {
      const id = number === 1 ? base : `${base}-${number}`;
      try {
        return mocks.create({ id, ...mock });
      } catch (thrown) {
        if (!isBacklotError(thrown) || thrown.code !== 'conflict') throw thrown;
        if (!replaces || !isFor(mocks, id, match)) continue;
        mocks.replace(id, mock);
        return id;
      }
    }
  }

  #full(): undefined {
    if (!this.#isFull)
      this.#options.log.warn(`there are ${MAX_RECORDINGS} recordings; what is new is recorded no more`);
    this.#isFull = true;
  }
}

/** Whether the mock with this id is for the same messages. */
function isFor(mocks: RecordedMocks, id: string, match: Fields): boolean {
  const value = mocks.values().find((mock) => mock.id === id)?.value as Fields | undefined;
  return (
    value !== undefined &&
    Object.entries(match).every(([name, field]) => JSON.stringify(value[name]) === JSON.stringify(field))
  );
}

function idOf(name: string): string {
  const id = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~]+/g, '-')
    .slice(0, MAX_ID)
    .replaceAll(/^-+|-+$/g, '');
  return `${RECORDED_ID}${id === '' ? 'message' : id}`;
}
