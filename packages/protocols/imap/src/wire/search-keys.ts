import { BadCommand } from './bad-command.js';
import type { CommandReader } from './command-reader.js';
import { parseDay, type Day } from './dates.js';
import { SequenceSet } from './sequence-set.js';

const MAX_DEPTH = 50;
const MAX_KEYS = 1000;
const FLAGS: Readonly<Record<string, readonly [flag: string, isSet: boolean]>> = {
  ANSWERED: ['\\Answered', true],
  DELETED: ['\\Deleted', true],
  DRAFT: ['\\Draft', true],
  FLAGGED: ['\\Flagged', true],
  SEEN: ['\\Seen', true],
  UNANSWERED: ['\\Answered', false],
  UNDELETED: ['\\Deleted', false],
  UNDRAFT: ['\\Draft', false],
  UNFLAGGED: ['\\Flagged', false],
  UNSEEN: ['\\Seen', false],
};
const FIELDS = ['BCC', 'CC', 'FROM', 'SUBJECT', 'TO'];

/** A criterion of SEARCH (RFC 3501, section 6.4.4). Texts are in lower case. */
export type SearchKey =
  | { readonly type: 'all' }
  | { readonly type: 'flag'; readonly flag: string; readonly isSet: boolean }
  | { readonly type: 'recent'; readonly isSet: boolean }
  | { readonly type: 'field'; readonly field: string; readonly text: string }
  | { readonly type: 'body' | 'text'; readonly text: string }
  | {
      readonly type: 'day';
      readonly of: 'arrival' | 'field';
      readonly is: 'before' | 'on' | 'since';
      readonly day: Day;
    }
  | { readonly type: 'larger' | 'smaller'; readonly size: number }
  | { readonly type: 'sequence' | 'uid'; readonly set: SequenceSet }
  | { readonly type: 'not'; readonly key: SearchKey }
  | { readonly type: 'or' | 'and'; readonly keys: readonly SearchKey[] };

/** Reads the criteria up to the end of the command. @throws BadCommand */
export function readSearchKeys(reader: CommandReader, decode: (text: string) => string): SearchKey {
  const keys: SearchKey[] = [];
  const reading = { decode, count: 0 };
  do keys.push(readKey(reader, reading, 0));
  while (reader.take(' '));
  reader.end();
  return { type: 'and', keys };
}

/** Criteria that are being read. */
interface Reading {
  readonly decode: (text: string) => string;
  /** How many there are so far. */
  count: number;
}

function readKey(reader: CommandReader, reading: Reading, depth: number): SearchKey {
  reading.count += 1;
  if (reading.count > MAX_KEYS) throw new BadCommand(`a SEARCH has at most ${MAX_KEYS} criteria`);
  if (depth > MAX_DEPTH) throw new BadCommand(`criteria are nested more than ${MAX_DEPTH} deep`);
  const inner = (): SearchKey => readKey(reader, reading, depth + 1);
  if (reader.next === '(') return { type: 'and', keys: reader.list(inner) };
  if (/[0-9*]/.test(reader.next)) return { type: 'sequence', set: new SequenceSet(reader.sequenceSet()) };
  const name = reader.word('a criterion of SEARCH');
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
  if (flag !== undefined) return { type: 'flag', flag: flag[0], isSet: flag[1] };
  const text = (): string => {
    reader.space();
    return reading.decode(reader.astring()).toLowerCase();
  };
  if (FIELDS.includes(name)) return { type: 'field', field: name.toLowerCase(), text: text() };
  switch (name) {
    case 'ALL':
      return { type: 'all' };
    case 'NEW':
      return {
        type: 'and',
        keys: [
          { type: 'recent', isSet: true },
          { type: 'flag', flag: '\\Seen', isSet: false },
        ],
      };
    case 'OLD':
    case 'RECENT':
      return { type: 'recent', isSet: name === 'RECENT' };
    case 'BODY':
    case 'TEXT':
      return { type: name === 'BODY' ? 'body' : 'text', text: text() };
    case 'HEADER':
      return { type: 'field', field: text(), text: text() };
    case 'KEYWORD':
    case 'UNKEYWORD':
      reader.space();
      return { type: 'flag', flag: reader.atom('a keyword'), isSet: name === 'KEYWORD' };
    case 'LARGER':
    case 'SMALLER':
      reader.space();
      return { type: name === 'LARGER' ? 'larger' : 'smaller', size: reader.number() };
    case 'BEFORE':
    case 'ON':
    case 'SINCE':
    case 'SENTBEFORE':
    case 'SENTON':
    case 'SENTSINCE':
      return readDayKey(name, text());
    case 'UID':
      reader.space();
      return { type: 'uid', set: new SequenceSet(reader.sequenceSet()) };
    case 'NOT':
      reader.space();
      return { type: 'not', key: inner() };
    case 'OR': {
      reader.space();
      const first = inner();
      reader.space();
      return { type: 'or', keys: [first, inner()] };
    }
    default:
      throw new BadCommand(`"${name.slice(0, 40)}" is no criterion of SEARCH`);
  }
}

function readDayKey(name: string, text: string): SearchKey {
  const is = name.endsWith('BEFORE') ? 'before' : name.endsWith('SINCE') ? 'since' : 'on';
  return { type: 'day', of: name.startsWith('SENT') ? 'field' : 'arrival', is, day: parseDay(text) };
}
