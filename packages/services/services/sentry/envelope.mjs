const NEW_LINE = 10;

/** An envelope that is not well formed, as Relay says it. */
export class EnvelopeError extends Error {
  constructor(detail, ...causes) {
    super(detail);
    this.causes = causes;
  }
}

/**
 * Reads an envelope: a line of JSON, and items, each a line of JSON and its payload, which is as long as `length` says or
 * reaches to the end of the line.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelopes/
 * @throws EnvelopeError
 */
export function readEnvelope(bytes) {
  const first = lineAt(bytes, 0);
  const header = objectOf(first.bytes, 'invalid envelope header');
  const items = [];
  let at = first.next;
  while (at < bytes.length) {
    const line = lineAt(bytes, at);
    at = line.next;
    if (line.bytes.length === 0) continue;
    const itemHeader = objectOf(line.bytes, 'invalid item header');
    if (typeof itemHeader.type !== 'string')
      throw new EnvelopeError('bad envelope', 'invalid item header', 'missing field `type`');
    const { length } = itemHeader;
    if (length === undefined || length === null) {
      const payload = lineAt(bytes, at);
      items.push({ header: itemHeader, payload: payload.bytes });
      at = payload.next;
      continue;
    }
    if (!Number.isSafeInteger(length) || length < 0 || at + length > bytes.length)
      throw new EnvelopeError('bad envelope', 'unexpected end of file');
    const end = at + length;
    if (end < bytes.length && bytes[end] !== NEW_LINE)
      throw new EnvelopeError('bad envelope', 'missing newline after header or payload');
    items.push({ header: itemHeader, payload: bytes.subarray(at, end) });
    at = end + 1;
  }
  return { header, items };
}

/** The payload of an item as JSON. @throws EnvelopeError */
export function jsonOf({ header, payload }) {
  return objectOf(payload, `invalid payload of an item of type ${header.type}`);
}

function lineAt(bytes, start) {
  const found = bytes.indexOf(NEW_LINE, start);
  const end = found < 0 ? bytes.length : found;
  return { bytes: bytes.subarray(start, end), next: end + 1 };
}

function objectOf(bytes, cause) {
  let value;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new EnvelopeError('bad envelope', cause, error.message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new EnvelopeError('bad envelope', cause, 'it must be an object');
  return value;
}
