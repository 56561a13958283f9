const LF = 10;
const CR = 13;
const COLON = 58;
/** Lines after which others may be let in. */
const LINES = 1000;

/** What is read of the headers of one message, those of its parts included. Beyond it fields stay in the header's bytes. */
export class HeaderBudget {
  #bytes = 512 * 1024;
  #fields = 10_000;

  /** Whether a field of so many bytes can be read; what is read is counted. */
  take(bytes: number): boolean {
    if (bytes > this.#bytes || this.#fields === 0) return false;
    this.#bytes -= bytes;
    this.#fields -= 1;
    return true;
  }
}

/** One field of a header. Text is latin1, a byte a character. */
export interface HeaderField {
  /** In lower case; empty for a line that is no field. */
  readonly name: string;
  /** Unfolded, without white space around it. */
  readonly value: string;
  /** Where it stands in the message, with its line ends. */
  readonly start: number;
  readonly end: number;
}

/** The header of a message or of a part. */
export class Header {
  readonly fields: readonly HeaderField[];
  /** Where the body begins: behind the empty line. */
  readonly end: number;

  constructor(fields: readonly HeaderField[], end: number) {
    this.fields = fields;
    this.end = end;
  }

  /** The first field of that name (in lower case). */
  get(name: string): string | undefined {
    return this.fields.find((field) => field.name === name)?.value;
  }

  /** All fields of that name (in lower case). */
  all(name: string): string[] {
    return this.fields.filter((field) => field.name === name).map((field) => field.value);
  }
}

/**
 * Reads the header that begins at `start`; one without an empty line behind it goes on to `limit`. Yields now and then,
 * see `runInSlices`.
 */
export function* parseHeader(
  raw: Buffer,
  start: number,
  limit: number,
  budget: HeaderBudget,
): Generator<undefined, Header> {
  const fields: HeaderField[] = [];
  let at = start;
  for (let lines = 1; at < limit; lines += 1) {
    const lineEnd = endOfLine(raw, at, limit);
    if (isEmptyLine(raw, at, lineEnd)) return new Header(fields, lineEnd);
    let end = lineEnd;
    for (; end < limit && isBlank(raw[end]); lines += 1) {
      const next = endOfLine(raw, end, limit);
      if (isEmptyLine(raw, end, next)) break;
      end = next;
      if (lines % LINES === 0) yield;
    }
    if (budget.take(end - at)) fields.push(readField(raw, at, end));
    at = end;
    if (lines % LINES === 0) yield;
  }
  return new Header(fields, limit);
}

/** Where the line that `at` stands in ends, its LF included. */
export function endOfLine(raw: Buffer, at: number, limit: number): number {
  const lf = raw.indexOf(LF, at);
  return lf < 0 || lf >= limit ? limit : lf + 1;
}

function readField(raw: Buffer, start: number, end: number): HeaderField {
  let colon = start;
  while (colon < end && raw[colon] !== COLON && raw[colon] !== LF) colon += 1;
  if (raw[colon] !== COLON) return { name: '', value: '', start, end };
  const name = raw.toString('latin1', start, colon).trim().toLowerCase();
  const value = raw
    .toString('latin1', colon + 1, end)
    .replace(/\r?\n/g, '')
    .trim();
  return { name, value, start, end };
}

function isEmptyLine(raw: Buffer, start: number, end: number): boolean {
  return raw[start] === LF || (end - start === 2 && raw[start] === CR && raw[start + 1] === LF);
}

function isBlank(byte: number | undefined): boolean {
  return byte === 32 || byte === 9;
}
