import type { Section } from '../mime/section.js';
import { BadCommand } from './bad-command.js';
import type { CommandReader } from './command-reader.js';

const MACROS: Readonly<Record<string, readonly Simple[]>> = {
  ALL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE'],
  FAST: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'],
  FULL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE', 'BODY'],
};
const SIMPLE = ['FLAGS', 'UID', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE', 'BODYSTRUCTURE', 'BODY'] as const;
const WHOLE: Section = { path: [], what: 'all', fields: new Set() };
const RFC822: Readonly<Record<string, SectionItem>> = {
  RFC822: { label: 'RFC822', section: WHOLE, from: 0, count: undefined, isPeek: false },
  'RFC822.HEADER': section('RFC822.HEADER', 'header', true),
  'RFC822.TEXT': section('RFC822.TEXT', 'text', false),
};
const ITEM = /^[A-Z0-9.]+/;
const MAX_PATH = 100;
const MAX_ITEMS = 100;

/** An item without arguments. `BODY` is the structure without extension data. */
export type Simple = (typeof SIMPLE)[number];

/** An item that asks for bytes of the message. */
export interface SectionItem {
  /** How the answer names it. */
  readonly label: string;
  readonly section: Section;
  /** The first byte, and how many; all when `count` is absent. */
  readonly from: number;
  readonly count: number | undefined;
  /** Whether it leaves `\Seen` alone. */
  readonly isPeek: boolean;
}

/** What FETCH asks for. */
export type FetchItem = Simple | SectionItem;

/** Reads the items of FETCH (RFC 3501, section 6.4.5). @throws BadCommand */
export function readFetchItems(reader: CommandReader): readonly FetchItem[] {
  if (reader.next === '(') return distinct(reader.list(() => readItem(reader)));
  const macro = /^(?:ALL|FAST|FULL)$/i.exec(reader.rest)?.[0].toUpperCase();
  if (macro === undefined) return [readItem(reader)];
  reader.atom();
  return MACROS[macro] ?? [];
}

/** Items that were asked for once more are answered once. @throws BadCommand when there are too many */
function distinct(items: readonly FetchItem[]): readonly FetchItem[] {
  const byLabel = new Map(items.map((item) => [labelOf(item), item]));
  if (byLabel.size > MAX_ITEMS) throw new BadCommand(`a FETCH has at most ${MAX_ITEMS} items`);
  return [...byLabel.values()];
}

function labelOf(item: FetchItem): string {
  return typeof item === 'string' ? item : `${item.label} ${item.count ?? ''} ${item.isPeek ? 'peek' : ''}`;
}

function readItem(reader: CommandReader): FetchItem {
  const name = ITEM.exec(reader.rest.slice(0, 40).toUpperCase())?.[0] ?? '';
  for (const _ of name) reader.take(reader.next);
  const { next } = reader;
  if (next === '[' && (name === 'BODY' || name === 'BODY.PEEK'))
    return readSectionItem(reader, name === 'BODY.PEEK');
  const isWhole = next === '' || next === ' ' || next === ')';
  const simple = SIMPLE.find((each) => each === name);
  const known = simple ?? (Object.hasOwn(RFC822, name) ? RFC822[name] : undefined);
  if (known === undefined || !isWhole)
    return reader.fail(`an item of FETCH${name === '' ? '' : `, not ${name}`}`);
  return known;
}

function readSectionItem(reader: CommandReader, isPeek: boolean): SectionItem {
  reader.expect('[');
  const path: number[] = [];
  let what: Section['what'] = 'all';
  let fields: string[] = [];
  let label = '';
  while (/[0-9]/.test(reader.next)) {
    const number = reader.number();
    if (number === 0 || path.length === MAX_PATH) reader.fail('a part number');
    path.push(number);
    label += `${label === '' ? '' : '.'}${number}`;
    if (!reader.take('.')) break;
    if (!/[0-9A-Za-z]/.test(reader.next)) reader.fail('a part number or a section name');
    if (!/[0-9]/.test(reader.next)) label += '.';
  }
  if (reader.next !== ']') {
    if (path.length > 0 && !label.endsWith('.')) reader.fail('"]"');
    const name = reader
      .word('a section: HEADER, HEADER.FIELDS, TEXT, MIME or a part number')
      .replace(/\].*$/, '');
    label += name;
    if (name === 'HEADER') what = 'header';
    else if (name === 'TEXT') what = 'text';
    else if (name === 'MIME' && path.length > 0) what = 'mime';
    else if (name === 'HEADER.FIELDS' || name === 'HEADER.FIELDS.NOT') {
      what = name === 'HEADER.FIELDS' ? 'fields' : 'not fields';
      reader.space();
      fields = reader.list(() => reader.astring('a field name'));
      label += ` (${fields.map(writeFieldName).join(' ')})`;
    } else
      reader.fail(`a section: HEADER, HEADER.FIELDS, TEXT, MIME of a part, or a part number, not ${name}`);
  }
  reader.expect(']');
  let from = 0;
  let count: number | undefined;
  if (reader.take('<')) {
    from = reader.number();
    reader.expect('.');
    count = reader.number();
    if (count === 0) reader.fail('a count above 0');
    reader.expect('>');
  }
  const origin = count === undefined ? '' : `<${from}>`;
  const lower = new Set(fields.map((field) => field.toLowerCase()));
  return { label: `BODY[${label}]${origin}`, section: { path, what, fields: lower }, from, count, isPeek };
}

function writeFieldName(name: string): string {
  if (/^[^\x00-\x20\x7f-\xff(){%*"\\\]]+$/.test(name)) return name;
  return `"${name.replace(/[\r\n\x80-\xff]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}

function section(label: string, what: Section['what'], isPeek: boolean): SectionItem {
  return { label, section: { ...WHOLE, what }, from: 0, count: undefined, isPeek };
}
