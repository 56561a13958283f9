import { MAX_FIELDS } from './bounds.js';

const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;
/** Lines after which others may be let in. */
const LINES = 1000;

/** A field, unfolded (RFC 5322, 2.2.3); the name is in lower case. */
export interface Field {
  readonly key: string;
  readonly value: string;
}

/** The head of a mail or of a part. */
export interface Head {
  readonly fields: readonly Field[];
  /** Where the body begins. */
  readonly bodyStart: number;
  /** Whether there was more than is read. */
  readonly isCut: boolean;
}

/**
 * Reads the head that begins at `start`. It ends behind an empty line, in front of a line that is a delimiter, or with the
 * mail. Yields now and then, see `runInSlices`.
 *
 * @param limit - how many bytes of it are read; the rest is passed over
 */
export function* readHead(
  raw: Buffer,
  start: number,
  limit: number,
  isDelimiter: (lineStart: number) => boolean,
): Generator<undefined, Head> {
  const fields: Field[] = [];
  let isCut = false;
  let fieldStart = start;
  let at = start;
  const take = (end: number): void => {
    if (end === fieldStart) return;
    if (end - start > limit || fields.length >= MAX_FIELDS) isCut = true;
    else {
      const field = readField(raw, fieldStart, end);
      if (field !== undefined) fields.push(field);
    }
  };
  for (let lines = 1; at < raw.length; lines += 1) {
    if (isDelimiter(at)) break;
    const lf = raw.indexOf(LF, at);
    const next = lf < 0 ? raw.length : lf + 1;
    if (isEmptyLine(raw, at, next)) {
      take(at);
      return { fields, bodyStart: next, isCut };
    }
    if (raw[at] !== SPACE && raw[at] !== TAB) {
      take(at);
      fieldStart = at;
    }
    at = next;
    if (lines % LINES === 0) yield;
  }
  take(at);
  return { fields, bodyStart: at, isCut };
}

/** The first value of a field; undefined when there is none. */
export function valueOf(fields: readonly Field[], wanted: string): string | undefined {
  return fields.find(({ key }) => key === wanted)?.value;
}

function readField(raw: Buffer, start: number, end: number): Field | undefined {
  const text = raw.toString('utf8', start, end).replace(/\r*\n/g, '').replace(/\r+/g, ' ');
  const colon = text.indexOf(':');
  const key = colon < 0 ? '' : text.slice(0, colon).trim().toLowerCase();
  return key === '' ? undefined : { key, value: text.slice(colon + 1).trim() };
}

function isEmptyLine(raw: Buffer, start: number, next: number): boolean {
  if (raw[start] === LF) return true;
  return next - start === 2 && raw[start] === CR && raw[start + 1] === LF;
}
