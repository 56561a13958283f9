import { createHash } from 'node:crypto';
import { RECORDED_ID, type Log } from '@backlot/core/plugin';

/** A mock as it is stored. */
type Fields = Readonly<Record<string, unknown>>;

/** What a book reads and writes of the mocks of its kind. */
export interface RecordedMocks {
  create(mock: Fields): string;
  replace(id: string, mock: Fields): void;
  remove(id: string): void;
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
  /** Further fields of the mock, which are those of the first answer: what is another each time and makes no other answer. */
  readonly rest?: Fields;
  /** The answer, comparable by its JSON. */
  readonly answer: unknown;
}

/** What a book is made of. */
export interface RecordingBookOptions {
  readonly mocks: RecordedMocks;
  readonly log: Pick<Log, 'warn'>;
  /** Whether a mock that is there already and is for the same messages gives way: in mode `record_all`. */
  readonly replaces: boolean;
  readonly form: RecordingForm;
}

/** How answers become fields of mocks. */
export type RecordingForm = {
  /**
   * What of a mock says which messages it is for, comparable by its JSON: where a field of it also has the answer. The fields of
   * {@link RecordedPair.match} when absent.
   */
  readonly scope?: (mock: Fields) => unknown;
} & (
  | {
      /** A mock has all answers to its messages. */
      readonly as: 'sequence';
      /**
       * Makes the fields that answer.
       *
       * @param answers - in the order in which they came; one alone where all were the same
       */
      answer(answers: readonly unknown[]): Fields;
    }
  | {
      /**
       * A mock has one answer, and others follow it: `times` is for kinds of which one mock answers a message, the first of
       * those that match, `state` for kinds of which all do.
       */
      readonly as: 'times' | 'state';
      /** Makes the fields that answer. */
      answer(answer: unknown): Fields;
    }
);

/** One mock that was recorded. */
interface Recording {
  /** Of its mocks, in the order in which they answer; never empty. */
  readonly ids: readonly string[];
  readonly group: string;
  /** What its mocks have beside their answer. */
  readonly fields: Fields;
  readonly answers: readonly unknown[];
  /** The first answer, as short as it can be compared. */
  readonly first: string;
  /** What it is as JSON, in characters. */
  readonly firstSize: number;
  /** What the answers are as JSON, in characters. */
  readonly size: number;
  /** How often the first answer came before another one did. */
  same: number;
  /** The last of its mocks as it was stored; `undefined` once nothing is added any more. */
  readonly stored: Fields | undefined;
}

/** The mocks whose ids begin alike, which were there before. */
interface Alike {
  readonly base: string;
  /** The ids by what their mocks match. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
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
 * The mocks that are made of what an upstream answers. When a message is answered differently the next time, its answers come in
 * the order of the recording, from one mock or from several. A mock that somebody changes or removes meanwhile is left alone.
 */
export class RecordingBook {
  readonly #options: RecordingBookOptions;
  readonly #recordings = new Map<string, Recording>();
  /** The keys of the recordings by the ids of their mocks. */
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
  add({ key, name, match, rest, answer }: RecordedPair): string | undefined {
    const known = this.#recordings.get(key);
    if (known !== undefined) return this.#addTo(key, known, answer);
    if (this.#isFull) return undefined;
    const { length: size, digest: first } = digestOf(answer);
    if (this.#keys.size >= MAX_RECORDINGS) return this.#full(`${MAX_RECORDINGS} recordings`);
    if (this.#total + size > MAX_TOTAL) return this.#full(`${MAX_TOTAL / MIB} MiB of recordings`);
    const group = `${idOf(name)} ${Object.keys(match).join(' ')}`;
    const fields = { ...match, ...rest };
    const id = this.#store(idOf(name), group, match, fields, answer);
    this.#total += size;
    this.#keys.set(id, key);
    const stored = this.#options.mocks.find(id);
    this.#recordings.set(key, {
      ids: [id],
      group,
      fields,
      answers: [answer],
      first,
      firstSize: size,
      size,
      same: 1,
      stored,
    });
    return id;
  }

  /**
   * Puts another answer in the place of the one that was added last: more of it has come since. For forms of which a mock has one
   * answer.
   */
  amend(key: string, answer: unknown): void {
    const known = this.#recordings.get(key);
    const { mocks, form } = this.#options;
    const last = known?.ids.at(-1) ?? '';
    if (known?.stored === undefined || form.as === 'sequence' || mocks.find(last) !== known.stored) return;
    if (known.answers.length === 1 && known.same > 1) {
      known.same -= 1;
      this.#addTo(key, known, answer);
      return;
    }
    const { length, digest } = digestOf(answer);
    const more = length - digestOf(known.answers.at(-1)).length;
    if (known.size + more > MAX_SIZE || this.#total + more > MAX_TOTAL) return;
    const answers = [...known.answers.slice(0, -1), answer];
    const place = answers.length - 1;
    const turn = place === 0 ? {} : turnOf(form.as, known.ids[0] ?? '', place, true);
    mocks.replace(last, { ...known.fields, ...form.answer(answer), ...turn });
    this.#total += more;
    const first = place === 0 ? { first: digest, firstSize: length } : {};
    this.#recordings.set(key, {
      ...known,
      ...first,
      answers,
      size: known.size + more,
      stored: mocks.find(last),
    });
  }

  /**
   * Has the answer that was added last given so often and no more: what is asked after it passes without an answer of its own, as a
   * recipient that was deferred and is taken then. For forms of which a mock has one answer.
   */
  limit(key: string, times: number): void {
    const known = this.#recordings.get(key);
    const { mocks, form } = this.#options;
    if (known?.stored === undefined || form.as === 'sequence' || this.#isChanged(known)) return;
    const last = known.ids.at(-1) ?? '';
    mocks.replace(last, { ...known.stored, times });
    this.#recordings.set(key, { ...known, stored: mocks.find(last) });
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
    const { ids, stored } = known;
    const last = ids.at(-1) ?? '';
    if (stored === undefined || this.#options.mocks.find(last) !== stored) return undefined;
    const { length, digest } = digestOf(answer);
    if (known.answers.length === 1 && known.first === digest) {
      known.same += 1;
      return last;
    }
    const repeated = Math.max(Math.min(known.same, MAX_ANSWERS) - known.answers.length, 0);
    const more = length + repeated * known.firstSize;
    const size = known.size + more;
    if (known.answers.length + repeated >= MAX_ANSWERS || size > MAX_SIZE)
      return this.#close(key, known, size > MAX_SIZE ? `${MAX_SIZE / MIB} MiB` : `${MAX_ANSWERS} answers`);
    if (this.#isFull) return undefined;
    if (this.#total + more > MAX_TOTAL) return this.#full(`${MAX_TOTAL / MIB} MiB of recordings`);
    const answers = [...known.answers, ...Array<unknown>(repeated).fill(known.answers[0]), answer];
    const all = this.#extend(known, answers);
    for (const id of all) this.#keys.set(id, key);
    this.#total += more;
    const now = this.#options.mocks.find(all.at(-1) ?? '');
    this.#recordings.set(key, { ...known, ids: all, answers, size, same: 1, stored: now });
    return all.at(-1);
  }

  /** Writes the mocks of a recording that has more answers now. @returns the ids of all */
  #extend(known: Recording, answers: readonly unknown[]): readonly string[] {
    const { mocks, form } = this.#options;
    const { ids, fields, group } = known;
    const [first = ''] = ids;
    if (form.as === 'sequence') {
      mocks.replace(first, { ...fields, ...form.answer(answers) });
      return ids;
    }
    const all = [...ids];
    const alike = this.#alike.get(group);
    for (let place = ids.length - 1; place < answers.length; place += 1) {
      const mock = {
        ...fields,
        ...form.answer(answers[place]),
        ...turnOf(form.as, first, place, place === answers.length - 1),
      };
      const id = all[place];
      if (id !== undefined) mocks.replace(id, mock);
      else if (alike !== undefined) all.push(this.#create(alike, mock));
    }
    return all;
  }

  /** Adds no more to a recording. The message goes to the upstream as before. */
  #close(key: string, known: Recording, limit: string): undefined {
    this.#options.log.warn(
      `the recording ${known.ids[0] ?? ''} is full with ${limit}; what comes after that is not in it`,
    );
    this.#recordings.set(key, { ...known, answers: [], stored: undefined });
  }

  #isChanged({ ids, stored }: Recording): boolean {
    const now = this.#options.mocks.find(ids.at(-1) ?? '');
    return stored !== undefined && now !== undefined && now !== stored;
  }

  #store(base: string, group: string, match: Fields, fields: Fields, answer: unknown): string {
    const { mocks, replaces, form } = this.#options;
    const mock = { ...fields, ...(form.as === 'sequence' ? form.answer([answer]) : form.answer(answer)) };
    const names = Object.keys(match);
    let alike = this.#alike.get(group);
    if (alike === undefined) this.#alike.set(group, (alike = this.#alikeOf(base, names)));
    const text = this.#matchText(mock, names);
    const isSame = (id: string): boolean => {
      const value = mocks.find(id);
      return value !== undefined && this.#matchText(value, names) === text;
    };
    const [same, ...others] = replaces ? (alike.ids.get(text) ?? []).filter(isSame) : [];
    if (same === undefined) return this.#create(alike, mock);
    mocks.replace(same, mock);
    // They have answered after it.
    if (form.as !== 'sequence') for (const id of others) mocks.remove(id);
    return same;
  }

  #create(alike: Alike, mock: Fields): string {
    const { mocks } = this.#options;
    while (mocks.find(numbered(alike.base, alike.next)) !== undefined) alike.next += 1;
    const made = mocks.create({ id: numbered(alike.base, alike.next), ...mock });
    alike.next += 1;
    return made;
  }

  #alikeOf(base: string, names: readonly string[]): Alike {
    const ids = new Map<string, string[]>();
    for (let next = 1; ; next += 1) {
      const id = numbered(base, next);
      const value = this.#options.mocks.find(id);
      if (value === undefined) return { base, ids, next };
      // What was recorded since the start is for another message.
      if (this.#keys.has(id)) continue;
      const text = this.#matchText(value, names);
      const known = ids.get(text);
      if (known === undefined) ids.set(text, [id]);
      else known.push(id);
    }
  }

  /** What a mock matches, comparable. */
  #matchText(mock: Fields, names: readonly string[]): string {
    const { scope } = this.#options.form;
    return JSON.stringify(scope === undefined ? names.map((name) => mock[name] ?? null) : scope(mock));
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

/** The fields that let a mock answer after those before it, and others after it. */
function turnOf(as: 'times' | 'state', key: string, place: number, isLast: boolean): Fields {
  if (as === 'times') return isLast ? {} : { times: 1 };
  return {
    state: { key, value: place === 0 ? '' : String(place) },
    ...(isLast ? {} : { set_state: { [key]: String(place + 1) } }),
  };
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
