import type { Header } from './header.js';
import type { Part } from './part.js';

/** What `BODY[...]` asks for (RFC 3501, section 6.4.5). */
export interface Section {
  /** The part's numbers, from outside in. */
  readonly path: readonly number[];
  readonly what: 'all' | 'header' | 'fields' | 'not fields' | 'text' | 'mime';
  /** Field names in lower case. */
  readonly fields: ReadonlySet<string>;
}

const EMPTY_LINE = Buffer.from('\r\n');

/** The bytes of a section; `undefined` when the message has no such part. */
export function readSection(raw: Buffer, root: Part, section: Section): Buffer | undefined {
  const { path, what } = section;
  if (path.length === 0 && what === 'all') return raw;
  const part = findPart(root, path);
  if (part === undefined) return undefined;
  if (what === 'all') return raw.subarray(part.bodyStart, part.end);
  if (what === 'mime') return raw.subarray(part.start, part.bodyStart);
  // The others speak of a message: the whole one, or the one in a message/rfc822 part.
  const message = path.length === 0 ? root : part.message;
  if (message === undefined) return undefined;
  if (what === 'text') return raw.subarray(message.bodyStart, message.end);
  if (what === 'header') return raw.subarray(message.start, message.bodyStart);
  return selectFields(raw, message.header, section);
}

function selectFields(raw: Buffer, header: Header, { what, fields }: Section): Buffer {
  const isWanted = what === 'fields';
  const selected = header.fields.filter(({ name }) => name !== '' && fields.has(name) === isWanted);
  const lines = selected.map(({ start, end }) => raw.subarray(start, end));
  return Buffer.concat([...lines, EMPTY_LINE]);
}

function findPart(root: Part, path: readonly number[]): Part | undefined {
  let part: Part | undefined = root;
  for (const [depth, number] of path.entries()) {
    // Within a message/rfc822 part the numbers are those of the message in it.
    const within: Part | undefined = depth === 0 ? part : (part?.message ?? part);
    if (within === undefined) return undefined;
    if (within.parts.length > 0) part = within.parts[number - 1];
    else if (number === 1 && (depth === 0 || part?.message !== undefined)) part = within;
    else return undefined;
  }
  return part;
}
