import { S3Error, noSuchKey, notImplemented } from './errors.mjs';

function preconditionFailed(condition) {
  return new S3Error(
    412,
    'PreconditionFailed',
    'At least one of the pre-conditions you specified did not hold',
    { Condition: condition },
  );
}

/** Whether an ETag is one of those of a header. */
function isOneOf(list, etag) {
  return list.split(',').some((one) => {
    const text = one.trim();
    return text === '*' || text.replaceAll('"', '') === etag;
  });
}

function timeOf(text) {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Asks the conditions of a read (RFC 9110, section 13).
 *
 * @param prefix - what stands before the names of the headers; a copy has them for its source
 * @returns whether the object is to be answered as not modified
 * @throws what S3 answers when one does not hold
 */
export function checkRead(headers, { etag, modified }, prefix = '') {
  const time = Date.parse(modified);
  const match = headers[`${prefix}if-match`];
  if (match !== undefined && !isOneOf(match, etag)) throw preconditionFailed('If-Match');
  const unmodified = timeOf(headers[`${prefix}if-unmodified-since`]);
  if (match === undefined && unmodified !== undefined && time > unmodified)
    throw preconditionFailed('If-Unmodified-Since');
  const none = headers[`${prefix}if-none-match`];
  if (none !== undefined) return isOneOf(none, etag);
  const since = timeOf(headers[`${prefix}if-modified-since`]);
  return since !== undefined && time <= since;
}

/** As {@link checkRead}, for the source of a copy, which is never not modified. */
export function checkSource(headers, object) {
  if (checkRead(headers, object, 'x-amz-copy-source-'))
    throw preconditionFailed('x-amz-copy-source-If-None-Match');
}

/** Asks the conditions of a write. @param find - gives the object that is there, or throws when there is none */
export function checkWrite(headers, find, key) {
  const { 'if-match': match, 'if-none-match': none } = headers;
  if (match === undefined && none === undefined) return;
  let object;
  try {
    object = find();
  } catch (error) {
    if (error.code !== 'NoSuchKey') throw error;
  }
  if (none !== undefined) {
    if (none.trim() !== '*') throw notImplemented('If-None-Match with anything but *');
    if (object !== undefined) throw preconditionFailed('If-None-Match');
  }
  if (match === undefined) return;
  if (object === undefined) throw noSuchKey(key);
  if (!isOneOf(match, object.etag)) throw preconditionFailed('If-Match');
}

/**
 * The part of the bytes that a request asks for.
 *
 * @returns the first and the last byte; `undefined` for all of them
 */
export function rangeOf(header, size) {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (found === null || (found[1] === '' && found[2] === '')) return undefined;
  const [, from, to] = found;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < first) return undefined;
  if (first < size && last >= first) return { first, last };
  throw new S3Error(
    416,
    'InvalidRange',
    'The requested range is not satisfiable',
    { RangeRequested: header, ActualObjectSize: size },
    { 'Content-Range': `bytes */${size}` },
  );
}
