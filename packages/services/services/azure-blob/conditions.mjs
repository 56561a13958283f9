import { BlobError, invalidHeader } from './errors.mjs';

const unmet = (status = 412) =>
  new BlobError(
    status,
    'ConditionNotMet',
    'The condition specified using HTTP conditional header(s) is not met.',
  );

const isOneOf = (list, etag) =>
  list.split(',').some((one) => one.trim() === '*' || one.trim().replaceAll('"', '') === etag);

function timeOf(text) {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Asks the conditions of a call.
 *
 * @param thing - the blob or container; `undefined` when there is none
 * @param options.reads - whether one that has not changed is answered with 304
 * @param options.prefix - what stands before the names of the headers; a copy has `x-ms-source-`
 */
export function checkConditions(headers, thing, { reads = false, prefix = '' } = {}) {
  if (headers[`${prefix}if-tags`] ?? headers['x-ms-if-tags'])
    throw invalidHeader('x-ms-if-tags', headers['x-ms-if-tags'], 'Conditions on tags are not mocked.');
  const match = headers[`${prefix}if-match`];
  const none = headers[`${prefix}if-none-match`];
  if (match !== undefined && (thing === undefined || !isOneOf(match, thing.etag))) throw unmet();
  if (none !== undefined && thing !== undefined && isOneOf(none, thing.etag)) {
    if (!reads && none.trim() === '*')
      throw new BlobError(409, 'BlobAlreadyExists', 'The specified blob already exists.');
    throw unmet(reads ? 304 : 412);
  }
  if (thing === undefined) return;
  const time = Date.parse(thing.modified);
  const since = timeOf(headers[`${prefix}if-modified-since`]);
  if (none === undefined && since !== undefined && time <= since) throw unmet(reads ? 304 : 412);
  const unmodified = timeOf(headers[`${prefix}if-unmodified-since`]);
  if (match === undefined && unmodified !== undefined && time > unmodified) throw unmet();
}

/** The bytes that a call asks for; `undefined` for all. */
export function rangeOf(header, size) {
  const found = /^bytes=(\d+)-(\d*)$/.exec(header?.trim() ?? '');
  if (found === null) return undefined;
  const first = Number(found[1]);
  const last = found[2] === '' ? size - 1 : Math.min(Number(found[2]), size - 1);
  if (first >= size || last < first)
    throw new BlobError(
      416,
      'InvalidRange',
      'The range specified is invalid for the current size of the resource.',
      {
        headers: { 'Content-Range': `bytes */${size}` },
      },
    );
  return { first, last };
}
