import { runInSlices } from '@backlot/core/plugin';
import { addressParser, decodeWords, type Address } from 'postal-mime';
import { readBodies, withoutLineEnd, type Bodies } from './mime/bodies.js';
import type { Field } from './mime/head.js';
import { readStructure } from './mime/leaves.js';
import { readField, readPlain } from './read-plain.js';
import { measureSource, type SourceMeasure } from './source-measure.js';
import type { Mail } from './schemas.js';

/** Shorter mails are shown in lists without further ado. */
const LONG = 32 * 1024;

/** What rules ask of a mail. */
export interface ReadHead {
  /** Undefined when the mail has none. */
  readonly subject: string | undefined;
  /** Bytes that the headers hold in memory, roughly. */
  readonly headBytes: number;
}

/** What was read of a mail. */
export interface ReadMail extends ReadHead {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly parts: Pick<Mail, 'text' | 'html' | 'attachments' | 'cc' | 'message_id' | 'unread'>;
  /** The texts among `parts` that are made when they are asked for; absent when there are none. */
  readonly long?: Bodies['long'];
  /** Of a long mail. */
  readonly source?: SourceMeasure;
}

/** Whether all of a mail was read. */
export function isWhole(read: ReadHead): read is ReadMail {
  return 'parts' in read;
}

/** A mail of which nothing could be read, or which has not come. */
export const NOTHING_READ: ReadMail = {
  subject: undefined,
  headers: {},
  headBytes: 0,
  parts: { attachments: [], cc: [] },
};

/**
 * Reads a mail: headers, texts and attachments, decoded. One that goes beyond the bounds is read up to them. Of a short
 * and plain mail only what rules ask for is read, at once: {@link readShort} reads the rest when somebody looks.
 *
 * @returns a promise for a long mail, which is read in slices
 */
export function readMail(raw: Buffer): ReadHead | Promise<ReadMail> {
  const plain = readPlain(raw);
  if (plain === undefined) return parseMail(raw);
  let headBytes = 0;
  for (const { key, value } of plain.headers) headBytes += key.length + value.length;
  return { subject: plain.subject === undefined ? undefined : flatten(plain.subject), headBytes };
}

/** Reads a mail of which {@link readMail} has read the head at once. */
export function readShort(raw: Buffer): ReadMail {
  const plain = readPlain(raw);
  if (plain === undefined) return NOTHING_READ;
  const { subject, headers, body } = plain;
  const messageId = readField(headers, 'message-id');
  return {
    subject,
    ...run(collectHeaders(headers)),
    parts: {
      ...(body === '' ? {} : { text: withoutLineEnd(body.replaceAll('\r\n', '\n')) }),
      attachments: [],
      cc: [],
      ...(messageId === undefined ? {} : { message_id: messageId }),
    },
  };
}

/** Reads any mail; a long one in slices, so that others are served meanwhile. */
export function parseMail(raw: Buffer): ReadMail | Promise<ReadMail> {
  return runInSlices(readWhole(raw));
}

/** Reads any mail at once: for one that is known to be short enough. */
export function readNow(raw: Buffer): ReadMail {
  return run(readWhole(raw));
}

function* readWhole(raw: Buffer): Generator<undefined, ReadMail> {
  const { head, leaves, beyond } = yield* readStructure(raw);
  const { fields } = head;
  const { headers, headBytes } = yield* collectHeaders(fields);
  const cc: string[] = [];
  for (const { key, value } of fields) {
    if (key === 'cc') cc.push(...addressParser(value).flatMap(addressesOf));
    yield;
  }
  const { made, long } = yield* readBodies(raw, leaves);
  const messageId = readField(fields, 'message-id');
  return {
    subject: readField(fields, 'subject'),
    headers,
    headBytes,
    parts: withLong(long, {
      ...made,
      cc,
      ...(messageId === undefined ? {} : { message_id: messageId }),
      ...(beyond === undefined ? {} : { unread: beyond }),
    }),
    ...(Object.keys(long).length === 0 ? {} : { long }),
    ...(raw.length < LONG ? {} : { source: yield* measureSource(raw) }),
  };
}

function withLong(long: Bodies['long'], parts: ReadMail['parts']): ReadMail['parts'] {
  const texts = {};
  for (const name of ['text', 'html'] as const) {
    const text = long[name];
    if (text !== undefined)
      Object.defineProperty(texts, name, { enumerable: true, configurable: true, get: () => text.whole() });
  }
  return Object.assign(texts, parts);
}

/** The same text in memory of its own: a part of a text holds on to the whole. */
function flatten(text: string): string {
  return Buffer.from(text).toString();
}

function* collectHeaders(
  list: readonly Field[],
): Generator<undefined, Pick<ReadMail, 'headers' | 'headBytes'>> {
  const headers = Object.create(null) as Record<string, string | string[]>;
  let headBytes = 0;
  for (const { key, value } of list) {
    const decoded = value.includes('=?') ? decodeWords(value) : value;
    const before = headers[key];
    if (before === undefined) headers[key] = decoded;
    else if (typeof before === 'string') headers[key] = [before, decoded];
    else before.push(decoded);
    headBytes += key.length + decoded.length;
    yield;
  }
  return { headers, headBytes };
}

/** Does short work at once. */
function run<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function addressesOf({ address, group }: Address): string[] {
  if (group !== undefined) return group.map((member) => member.address);
  return address === undefined || address === '' ? [] : [address];
}
