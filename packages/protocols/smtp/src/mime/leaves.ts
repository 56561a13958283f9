import type { EncodedContent } from '@backlot/kit';
import { MAX_DEPTH, MAX_HEAD, MAX_PART_HEAD, MAX_PARTS } from './bounds.js';
import { delimiterAt, findDelimiter, type Delimiter, type Open } from './delimiters.js';
import { readHead, valueOf, type Head } from './head.js';
import { readParameters, type Parameterised } from './parameters.js';

/** A part that holds no others. */
export interface Leaf extends EncodedContent {
  /** Such as `text/plain`. */
  readonly type: Parameterised;
  readonly disposition: Parameterised;
}

/** A mail as far as it was read. */
export interface Structure {
  readonly head: Head;
  readonly leaves: readonly Leaf[];
  /** Which bound the mail goes beyond; undefined when all was read. */
  readonly beyond: string | undefined;
}

/** A multipart whose end has not come. */
interface OpenMultipart extends Open {
  readonly subtype: string;
  /** How many multiparts and forwarded messages it is in. */
  readonly depth: number;
}

/** Where a part is. */
interface Place {
  readonly subtype: string;
  readonly depth: number;
}

/**
 * Splits a mail into its parts (RFC 2046), in one pass and within bounds. Whatever the bytes hold gives some parts. Yields
 * now and then, see `runInSlices`.
 */
export function* readStructure(raw: Buffer): Generator<undefined, Structure> {
  const open: OpenMultipart[] = [];
  const leaves: Leaf[] = [];
  const isDelimiter = (lineStart: number): boolean => delimiterAt(raw, lineStart, open) !== undefined;
  let beyond: string | undefined;
  let place: Place = { subtype: '', depth: 0 };
  let at = 0;
  let parts = 0;
  let whole: Head | undefined;
  for (;;) {
    const limit: number = whole === undefined ? MAX_HEAD : MAX_PART_HEAD;
    const head: Head = yield* readHead(raw, at, limit, isDelimiter);
    whole ??= head;
    if (head.isCut) beyond ??= `a header beyond ${limit} bytes or the number of fields`;
    const type = typeOf(head, place);
    const encoding = readParameters(valueOf(head.fields, 'content-transfer-encoding') ?? '').value;
    const disposition = readParameters(valueOf(head.fields, 'content-disposition') ?? '');
    const boundary = type.value.startsWith('multipart/') ? (type.parameters.get('boundary') ?? '') : '';
    const isForwarded = isInlineMessage(type, disposition, encoding, place);
    const isDeep = place.depth >= MAX_DEPTH && (boundary !== '' || isForwarded);
    if (isDeep) beyond ??= `parts more than ${MAX_DEPTH} deep within each other`;
    if (isForwarded && !isDeep && parts < MAX_PARTS) {
      parts += 1;
      place = { subtype: '', depth: place.depth + 1 };
      at = head.bodyStart;
      continue;
    }
    const isOpened = boundary !== '' && !isDeep;
    if (isOpened) {
      const subtype = type.value.slice('multipart/'.length);
      open.push({ delimiter: Buffer.from(`--${boundary}`), subtype, depth: place.depth + 1 });
    }
    let found: Delimiter | undefined = yield* findDelimiter(raw, head.bodyStart, open);
    if (!type.value.startsWith('multipart/')) {
      leaves.push({ type, disposition, encoding, start: head.bodyStart, end: found?.start ?? raw.length });
    }
    // Behind the end of a multipart nothing counts until the next delimiter of the one around it.
    while (found?.isLast === true) {
      open.length = found.level;
      found = yield* findDelimiter(raw, found.next, open);
    }
    if (found === undefined) return { head: whole, leaves, beyond };
    parts += 1;
    if (parts > MAX_PARTS) {
      return { head: whole, leaves, beyond: beyond ?? `more than ${MAX_PARTS} parts` };
    }
    open.length = found.level + 1;
    place = open[found.level] ?? place;
    at = found.next;
  }
}

function typeOf({ fields }: Head, { subtype }: Place): Parameterised {
  // RFC 2046, 5.1.5: what a digest holds are messages.
  return readParameters(
    valueOf(fields, 'content-type') ?? (subtype === 'digest' ? 'message/rfc822' : 'text/plain'),
  );
}

/** Whether a part is a message that is shown with the one around it; in a report it is evidence (RFC 6522). */
function isInlineMessage(
  { value }: Parameterised,
  disposition: Parameterised,
  encoding: string,
  { subtype }: Place,
): boolean {
  if (value !== 'message/rfc822' || subtype === 'report') return false;
  if (encoding === 'base64' || encoding === 'quoted-printable') return false;
  return disposition.value === '' || disposition.value === 'inline';
}
