import type { MatchOf } from '@backlot/core/plugin';
import { ERROR } from './error-status.js';
import type { Request } from './message.js';
import { RequestError, type VariableBinder } from './variable-binder.js';
import type { SnmpShape } from './shape.js';
import type { Steps } from './walks.js';
import { TAG } from './wire/tags.js';
import { encodeBinding, type Binding } from './wire/value.js';

/** More would be a gift to whoever forges addresses; clients ask again from where an answer ended. */
const MAX_BULK = 8_192;

/** Numbers of a GETBULK (RFC 3416 section 4.2.3), not negative. */
export interface BulkNumbers {
  readonly nonRepeaters: number;
  readonly maxRepetitions: number;
}

/**
 * The bindings that answer a request.
 *
 * @param room - octets that they may take
 * @throws RequestError for an error status in their place
 */
export function* answerRequest(
  binder: VariableBinder,
  bulk: BulkNumbers,
  room: number,
): Steps<readonly Binding[]> {
  const { request } = binder.message;
  switch (request.operation) {
    case 'GET':
      return yield* answerEach(binder, room, answerGet);
    case 'GETNEXT':
      return yield* answerEach(binder, room, answerNext);
    case 'GETBULK':
      return yield* answerBulk(binder, bulk, Math.min(room, MAX_BULK));
    case 'SET':
      return yield* answerSet(binder, request);
    case 'TRAP':
      return [];
  }
}

/** Answers each binding of a request. */
function* answerEach(
  binder: VariableBinder,
  room: number,
  answer: (binder: VariableBinder, oid: string, place: number) => Steps<Binding>,
): Steps<readonly Binding[]> {
  const { bindings } = binder.message.request;
  const found: Binding[] = [];
  let size = 0;
  for (const [place, { oid }] of bindings.entries()) {
    const binding = yield* answer(binder, oid, place);
    size += binding.octets.length;
    if (size > room) throw new RequestError(ERROR.tooBig, 0);
    found.push(binding);
    if (found.length < bindings.length) yield;
  }
  return found;
}

/** RFC 3416 section 4.2.1. */
function* answerGet(binder: VariableBinder, oid: string, place: number): Steps<Binding> {
  const match = yield* binder.find(place, oid);
  if (match !== undefined) return binder.bindingOf(match, place);
  const own = binder.readSystem(oid);
  if (own !== undefined) return own;
  if (binder.message.request.version === '1') throw new RequestError(ERROR.noSuchName, place + 1);
  const tag = binder.isInObject(oid) ? TAG.noSuchInstance : TAG.noSuchObject;
  return encodeBinding(oid, { tag, native: null });
}

/** RFC 3416 section 4.2.2. */
function* answerNext(binder: VariableBinder, oid: string, place: number): Steps<Binding> {
  const next = yield* binder.findNext(oid, place === 0);
  if (next !== undefined) return next.bindingAt(place);
  if (binder.message.request.version === '1') throw new RequestError(ERROR.noSuchName, place + 1);
  return encodeBinding(oid, { tag: TAG.endOfMibView, native: null });
}

/** RFC 3416 section 4.2.3: as much as there is room for. */
function* answerBulk(
  binder: VariableBinder,
  { nonRepeaters, maxRepetitions }: BulkNumbers,
  room: number,
): Steps<readonly Binding[]> {
  const { bindings } = binder.message.request;
  const found: Binding[] = [];
  let left = room;
  const add = (binding: Binding): boolean => {
    left -= binding.octets.length;
    if (left >= 0) found.push(binding);
    return left >= 0;
  };
  const once = bindings.slice(0, nonRepeaters);
  for (const [place, { oid }] of once.entries()) {
    if (!add(yield* answerNext(binder, oid, place))) return found;
    yield;
  }
  const columns: (string | undefined)[] = bindings.slice(nonRepeaters).map(({ oid }) => oid);
  const ends = [...columns];
  for (let row = 0; row < maxRepetitions && columns.some((oid) => oid !== undefined); row += 1) {
    for (const [column, oid] of columns.entries()) {
      const place = once.length + column;
      const next = oid === undefined ? undefined : yield* binder.findNext(oid, place === 0 && row === 0);
      if (next === undefined) columns[column] = undefined;
      else ends[column] = columns[column] = next.oid;
      const binding =
        next === undefined
          ? encodeBinding(ends[column] ?? '', { tag: TAG.endOfMibView, native: null })
          : next.bindingAt(place);
      if (!add(binding)) return found;
      yield;
    }
  }
  return found;
}

/** RFC 3416 section 4.2.5: all or nothing. */
function* answerSet(binder: VariableBinder, { bindings }: Request): Steps<readonly Binding[]> {
  const changes: { readonly match: MatchOf<SnmpShape>; readonly binding: Binding }[] = [];
  for (const [place, given] of bindings.entries()) {
    const match = yield* binder.find(place, given.oid);
    if (match === undefined) throw new RequestError(ERROR.notWritable, place + 1);
    if (given.tag !== match.mock.compiled.tag) throw new RequestError(ERROR.wrongType, place + 1);
    changes.push({ match, binding: encodeBinding(given.oid, given) });
  }
  for (const { match, binding } of changes) binder.setValue(match, binding);
  return changes.map(({ binding }) => binding);
}
