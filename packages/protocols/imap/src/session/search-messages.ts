import { decodeBody, decodeField } from '../mime/decode.js';
import { hasFlag } from '../mail/flags.js';
import type { Part } from '../mime/part.js';
import { dayOf, dayOfField, type Day } from '../wire/dates.js';
import type { SearchKey } from '../wire/search-keys.js';
import type { SequenceSet } from '../wire/sequence-set.js';
import type { Entry } from './selected.js';

type Test = (entry: Entry, number: number) => boolean;

/** Makes the criteria of SEARCH a test of messages. */
export function compileSearch(key: SearchKey, entries: readonly Entry[]): Test {
  const texts = new Texts();
  const compile = (each: SearchKey): Test => {
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
      case 'not': {
        const inner = compile(each.key);
        return (entry, number) => !inner(entry, number);
      }
      default: {
        const tests = each.keys.map(compile);
        if (each.type === 'or') return (entry, number) => tests.some((test) => test(entry, number));
        return (entry, number) => tests.every((test) => test(entry, number));
      }
    }
  };
  return compile(key);
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
    const { root, raw } = entry.record.content;
    return (this.#body ??= textOf(raw, root).toLowerCase());
  }

  #turnTo(entry: Entry): void {
    if (this.#entry === entry) return;
    this.#entry = entry;
    this.#header = undefined;
    this.#body = undefined;
  }
}

/** The text of all parts that are text, and of the messages in it. */
function textOf(raw: Buffer, part: Part): string {
  if (part.parts.length > 0) return part.parts.map((each) => textOf(raw, each)).join('\n');
  if (part.message !== undefined) {
    const header = part.message.header.fields.map(({ name, value }) => `${name}: ${decodeField(value)}`);
    return `${header.join('\n')}\n${textOf(raw, part.message)}`;
  }
  return part.type === 'text' ? decodeBody(raw, part) : '';
}
