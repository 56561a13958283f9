import { createHash } from 'node:crypto';
import { RECORDED_ID, type Log } from '@backlot/core/plugin';

/** A mock as it is stored. */
type Fields = Readonly<Record<string, unknown>>;

/** What a book reads and writes of the mocks of its kind. */
export interface RecordedMocks {
  create(mock: Fields): string;
  replace(id: string, mock: Fields): void;
  /** The mock with this id as it is stored, the same object until somebody changes it. */
  find(id: string): Fields | undefined;
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
  readonly answers: readonly unknown[];
  /** The first answer, as short as it can be compared. */
  readonly first: string;
  /** What it is as JSON, in characters. */
  readonly firstSize: number;
  /** What the answers are as JSON, in characters. */
  readonly size: number;
  /** How often the first answer came before another one did. */
  same: number;
  /** The mock as it was stored; `undefined` once nothing is added any more. */
  readonly stored: Fields | undefined;
}

/** The mocks whose ids begin alike, which were there before. */
interface Alike {
  /** The ids by what their mocks match. */
  readonly ids: ReadonlyMap<string, string>;
  /** The number of the next id. */
  next: number;
}

const MAX_RECORDINGS = 10_000;
const MAX_ANSWERS = 1_000;
const MAX_ID = 80;
const MIB = 1024 * 1024;
/** The most that the answers of one mock may be as JSON: each further answer compiles all of them anew. */
const MAX_SIZE = 4 * MIB;
/** The most that all answers may be. */
const MAX_TOTAL = 64 * MIB;

/**
 * The mocks that are made of what an upstream answers. Each message has one mock; when it is answered differently the next time,
 * the mock answers in the order of the recording. A mock that somebody changes or removes meanwhile is left alone.
 */
export class RecordingBook {
  readonly #options: RecordingBookOptions;
  readonly #recordings = new Map<string, Recording>();
  /** The keys of the recordings by the id of their mock. */
  readonly #keys = new Map<string, string>();
  readonly #alike = new Map<string, Alike>();
  #total = 0;
  #isFull = false;

  constructor(options: RecordingBookOptions) {
    this.#options = options;
  }

  /**
   * Whether a message was recorded since the start: then it goes to the upstream again, and not to the mock of the recording.
   * A mock that somebody has changed answers by itself.
   */
  has(key: string): boolean {
    const known = this.#recordings.get(key);
    return known !== undefined && !this.#isChanged(known);
  }

  /** Whether the mock with this id was recorded since the start: what it matches for another key is to be recorded as well. */
  made(id: string): boolean {
    return this.has(this.#keys.get(id) ?? '');
  }

  /** Records an answer. @returns the id of the mock; `undefined` for an answer that is in none */
  add({ key, name, match, answer }: RecordedPair): string | undefined {
    const known = this.#recordings.get(key);
    if (known !== undefined) return this.#addTo(key, known, answer);
    if (this.#isFull) return undefined;
    const { length: size, digest: first } = digestOf(answer);
    if (this.#recordings.size >= MAX_RECORDINGS) return this.#full(`${MAX_RECORDINGS} recordings`);
    if (this.#total + size > MAX_TOTAL) return this.#full(`${MAX_TOTAL / MIB} MiB of recordings`);
    const id = this.#store(name, match, { ...match, ...this.#options.answer([answer]) });
    this.#total += size;
    this.#keys.set(id, key);
    const stored = this.#options.mocks.find(id);
    this.#recordings.set(key, {
      id,
      match,
      answers: [answer],
      first,
      firstSize: size,
      size,
      same: 1,
      stored,
    });
    return id;
  }

  /** Forgets what was recorded, as after a reset, which has removed the mocks. */
  clear(): void {
    this.#recordings.clear();
    this.#keys.clear();
    this.#alike.clear();
    this.#total = 0;
    this.#isFull = false;
  }

  #addTo(key: string, known: Recording, answer: unknown): string | undefined {
    const { id, match, stored } = known;
    if (stored === undefined || this.#options.mocks.find(id) !== stored) return undefined;
    const { length, digest } = digestOf(answer);
    if (known.answers.length === 1 && known.first === digest) {
      known.same += 1;
      return id;
    }
    const repeated = Math.max(Math.min(known.same, MAX_ANSWERS) - known.answers.length, 0);
    const more = length + repeated * known.firstSize;
    const size = known.size + more;
    if (known.answers.length + repeated >= MAX_ANSWERS || size > MAX_SIZE)
      return this.#close(key, known, size > MAX_SIZE ? `${MAX_SIZE / MIB} MiB` : `${MAX_ANSWERS} answers`);
    if (this.#isFull) return undefined;
    if (this.#total + more > MAX_TOTAL) return this.#full(`${MAX_TOTAL / MIB} MiB of recordings`);
    const answers = [...known.answers, ...Array<unknown>(repeated).fill(known.answers[0]), answer];
    this.#options.mocks.replace(id, { ...match, ...this.#options.answer(answers) });
    this.#total += more;
    this.#recordings.set(key, { ...known, answers, size, same: 1, stored: this.#options.mocks.find(id) });
    return id;
  }

  /** Adds no more to a recording. The message goes to the upstream as before. */
  #close(key: string, known: Recording, limit: string): undefined {
    this.#options.log.warn(
      `the recording ${known.id} is full with ${limit}; what comes after that is not in it`,
    );
    this.#recordings.set(key, { ...known, answers: [], stored: undefined });
  }

  #isChanged({ id, stored }: Recording): boolean {
    const now = this.#options.mocks.find(id);
    return stored !== undefined && now !== undefined && now !== stored;
  }

  #store(name: string, match: Fields, mock: Fields): string {
    const { mocks, replaces } = this.#options;
    const base = idOf(name);
    const names = Object.keys(match);
    const group = `${base} ${names.join(' ')}`;
    let alike = this.#alike.get(group);
    if (alike === undefined) this.#alike.set(group, (alike = this.#alikeOf(base, names)));
    const same = replaces ? alike.ids.get(matchText(match, names)) : undefined;
    const value = same === undefined ? undefined : mocks.find(same);
    if (same !== undefined && value !== undefined && matchText(value, names) === matchText(match, names)) {
      mocks.replace(same, mock);
      return same;
    }
    for (; ; alike.next += 1) {
      const id = numbered(base, alike.next);
      if (mocks.find(id) !== undefined) continue;
      const made = mocks.create({ id, ...mock });
      alike.next += 1;
      return made;
    }
  }

  #alikeOf(base: string, names: readonly string[]): Alike {
    const ids = new Map<string, string>();
    for (let next = 1; ; next += 1) {
      const id = numbered(base, next);
      const value = this.#options.mocks.find(id);
      if (value === undefined) return { ids, next };
      // What was recorded since the start is for another message.
      const text = matchText(value, names);
      if (!this.#keys.has(id) && !ids.has(text)) ids.set(text, id);
    }
  }

  #full(limit: string): undefined {
    this.#options.log.warn(`there are ${limit}; what is new is recorded no more`);
    this.#isFull = true;
  }
}

function digestOf(answer: unknown): { readonly length: number; readonly digest: string } {
  const text = JSON.stringify(answer);
  return { length: text.length, digest: createHash('sha256').update(text).digest('base64') };
}

/** What a mock matches, comparable. */
function matchText(mock: Fields, names: readonly string[]): string {
  return JSON.stringify(names.map((name) => mock[name] ?? null));
}

function numbered(base: string, number: number): string {
  return number === 1 ? base : `${base}-${number}`;
}

function idOf(name: string): string {
  const id = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~]+/g, '-')
    .slice(0, MAX_ID)
    .replaceAll(/^-+|-+$/g, '');
  return `${RECORDED_ID}${id === '' ? 'message' : id}`;
}
