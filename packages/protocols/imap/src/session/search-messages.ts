import { decodeBody, decodeField } from '../mime/decode.js';
import { hasFlag } from '../mail/flags.js';
import type { Part } from '../mime/part.js';
import { dayOf, dayOfField, type Day } from '../wire/dates.js';
import type { SearchKey } from '../wire/search-keys.js';
import type { SequenceSet } from '../wire/sequence-set.js';
import type { Entry } from './selected.js';

type Test = (entry: Entry, number: number) => boolean;

/**
 * Finds the messages that fit the criteria of SEARCH. Yields after each message, and within long ones, see `runInSlices`.
 *
 * @param isGone - whether nobody waits for the answer any more
 */
export function* searchMessages(
  key: SearchKey,
  entries: readonly Entry[],
  isGone: () => boolean,
): Generator<undefined, Found[]> {
  const texts = new Texts();
  const fits = compileSearch(key, entries, texts);
  const found: Found[] = [];
  for (let index = 0; index < entries.length && !isGone(); index += 1) {
    const entry = entries[index];
    if (entry === undefined) continue;
    const { content } = entry.record;
    const number = index + 1;
    const isFit = content.isLong
      ? yield* searchLong(key, entry, number, fits, texts)
      : fits.test(entry, number);
    if (isFit) found.push({ number, uid: entry.record.uid });
    yield;
  }
  return found;
}

/** A long message: criteria are asked one by one, and what they look at is made ready first. */
function* searchLong(
  key: SearchKey,
  entry: Entry,
  number: number,
  fits: Compiled,
  texts: Texts,
): Generator<undefined, boolean> {
  switch (key.type) {
    case 'not':
      return !(yield* searchLong(key.key, entry, number, fits.inner[0] ?? fits, texts));
    case 'or':
    case 'and': {
      const isOr = key.type === 'or';
      for (const [index, each] of key.keys.entries()) {
        if ((yield* searchLong(each, entry, number, fits.inner[index] ?? fits, texts)) === isOr) return isOr;
      }
      return !isOr;
    }
    case 'body':
    case 'text':
      yield* entry.record.content.parse();
      yield* texts.load(entry);
      break;
    case 'field':
    case 'day':
      yield* entry.record.content.parse();
      break;
    case 'larger':
    case 'smaller':
      yield* entry.record.content.load();
      break;
    default:
  }
  yield;
  return fits.test(entry, number);
}

/** A message that was found. */
interface Found {
  readonly number: number;
  readonly uid: number;
}

/** A test, and those of what it is made of. */
interface Compiled {
  readonly test: Test;
  readonly inner: readonly Compiled[];
}

/** Makes the criteria of SEARCH a test of messages. */
function compileSearch(key: SearchKey, entries: readonly Entry[], texts: Texts): Compiled {
  const compound = key.type === 'not' ? [key.key] : key.type === 'or' || key.type === 'and' ? key.keys : [];
  const inner = compound.map((each) => compileSearch(each, entries, texts));
  return { inner, test: compileTest(key, entries, texts, inner) };
}

function compileTest(
  each: SearchKey,
  entries: readonly Entry[],
  texts: Texts,
  inner: readonly Compiled[],
): Test {
  switch (each.type) {
    case 'all':
      return () => true;
    case 'flag':
      return ({ record }) => hasFlag(record.flags, each.flag) === each.isSet;
    case 'recent':
      return ({ isRecent }) => isRecent === each.isSet;
    case 'field':
      return (entry) => texts.fields(entry, each.field).some((value) => value.includes(each.text));
    case 'body':
      return (entry) => texts.body(entry).includes(each.text);
    case 'text':
      return (entry) => texts.header(entry).includes(each.text) || texts.body(entry).includes(each.text);
    case 'day':
      return (entry) => fitsDay(each.of === 'arrival' ? dayOf(entry.record.date) : texts.sent(entry), each);
    case 'larger':
      return ({ record }) => record.content.raw.length > each.size;
    case 'smaller':
      return ({ record }) => record.content.raw.length < each.size;
    case 'sequence': {
      const has = each.set.resolve(entries.length);
      return (_entry, number) => has(number);
    }
    case 'uid': {
      const has = each.set.resolve(entries.at(-1)?.record.uid ?? 0);
      return ({ record }) => has(record.uid);
    }
    case 'not':
      return (entry, number) => inner[0]?.test(entry, number) === false;
    case 'or':
      return (entry, number) => inner.some(({ test }) => test(entry, number));
    case 'and':
      return (entry, number) => inner.every(({ test }) => test(entry, number));
  }
}

/** Calls back for every sequence set in the criteria, so that those that name no messages are refused. */
export function requireSequences(key: SearchKey, check: (set: SequenceSet) => unknown): void {
  if (key.type === 'sequence') check(key.set);
  else if (key.type === 'not') requireSequences(key.key, check);
  else if (key.type === 'and' || key.type === 'or')
    for (const each of key.keys) requireSequences(each, check);
}

function fitsDay(day: Day | undefined, key: Extract<SearchKey, { type: 'day' }>): boolean {
  if (day === undefined) return false;
  if (key.is === 'before') return day < key.day;
  return key.is === 'since' ? day >= key.day : day === key.day;
}

/** The decoded texts of the message at hand, in lower case; those of one message only, however large the mailbox is. */
class Texts {
  #entry: Entry | undefined;
  #header: string | undefined;
  #body: string | undefined;

  fields(entry: Entry, name: string): readonly string[] {
    return entry.record.content.root.header.all(name).map((value) => decodeField(value).toLowerCase());
  }

  sent(entry: Entry): Day | undefined {
    return dayOfField(entry.record.content.root.header.get('date') ?? '');
  }

  header(entry: Entry): string {
    this.#turnTo(entry);
    const { fields } = entry.record.content.root.header;
    return (this.#header ??= fields
      .map(({ name, value }) => `${name}: ${decodeField(value)}`)
      .join('\n')
      .toLowerCase());
  }

  body(entry: Entry): string {
    this.#turnTo(entry);
    return (this.#body ??= finish(this.#read(entry)));
  }

  /** Makes ready what {@link body} gives. Yields now and then. */
  *load(entry: Entry): Generator<undefined, void> {
    this.#turnTo(entry);
    if (this.#body !== undefined) return;
    const body = yield* this.#read(entry);
    this.#turnTo(entry);
    this.#body = body;
  }

  *#read(entry: Entry): Generator<undefined, string> {
    const { root, raw } = entry.record.content;
    return yield* textOf(raw, root);
  }

  #turnTo(entry: Entry): void {
    if (this.#entry === entry) return;
    this.#entry = entry;
    this.#header = undefined;
    this.#body = undefined;
  }
}

/** The text of all parts that are text, and of the messages in it, in lower case. */
function* textOf(raw: Buffer, part: Part): Generator<undefined, string> {
  if (part.parts.length > 0) {
    const texts: string[] = [];
    for (const each of part.parts) texts.push(yield* textOf(raw, each));
    return texts.join('\n');
  }
  if (part.message !== undefined) {
    const header = part.message.header.fields.map(({ name, value }) => `${name}: ${decodeField(value)}`);
    yield;
    return `${header.join('\n').toLowerCase()}\n${yield* textOf(raw, part.message)}`;
  }
  if (part.type !== 'text') return '';
  const text = yield* decodeBody(raw, part);
  return text.toLowerCase();
}

function finish<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
