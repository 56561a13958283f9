import { ERROR } from './error-status.js';
import type { Request, RequestBinding } from './snmp-message.js';
import { RequestError, type Turn } from './turn.js';
import { TAG } from './wire/tags.js';
import { encodeBinding, type Binding } from './wire/value.js';

/** More would be a gift to whoever forges addresses; clients ask again from where an answer ended. */
const MOST_BULK = 8_192;

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
export function answerRequest(turn: Turn, bulk: BulkNumbers, room: number): readonly Binding[] {
  const { request } = turn.message;
  switch (request.operation) {
    case 'GET':
      return fill(request, room, (binding, place) => answerGet(turn, request, binding, place));
    case 'GETNEXT':
      return fill(request, room, (binding, place) => answerNext(turn, binding.oid, place, place === 0));
    case 'GETBULK':
      return answerBulk(turn, bulk, Math.min(room, MOST_BULK));
    case 'SET':
      return answerSet(turn, request);
    case 'TRAP':
      return [];
  }
}

function fill(
  { bindings }: Request,
  room: number,
  answer: (binding: RequestBinding, place: number) => Binding,
): readonly Binding[] {
  let size = 0;
  return bindings.map((each, place) => {
    const binding = answer(each, place);
    size += binding.octets.length;
    if (size > room) throw new RequestError(ERROR.tooBig, 0);
    return binding;
  });
}

/** RFC 3416 section 4.2.1. */
function answerGet(turn: Turn, { version }: Request, { oid }: RequestBinding, place: number): Binding {
  const match = turn.find(place, oid);
  if (match !== undefined) return turn.bindingOf(match, place);
  if (version === '1') throw new RequestError(ERROR.noSuchName, place + 1);
  const tag = turn.isInObject(oid) ? TAG.noSuchInstance : TAG.noSuchObject;
  return encodeBinding(oid, { tag, native: null });
}

/** RFC 3416 section 4.2.2. */
function answerNext(turn: Turn, oid: string, place: number, isFirst: boolean): Binding {
  const match = turn.findNext(oid, isFirst);
  if (match !== undefined) return turn.bindingOf(match, place);
  if (turn.message.request.version === '1') throw new RequestError(ERROR.noSuchName, place + 1);
  return encodeBinding(oid, { tag: TAG.endOfMibView, native: null });
}

/** RFC 3416 section 4.2.3: as much as there is room for. */
function answerBulk(
  turn: Turn,
  { nonRepeaters, maxRepetitions }: BulkNumbers,
  room: number,
): readonly Binding[] {
  const { bindings } = turn.message.request;
  const found: Binding[] = [];
  let left = room;
  const add = (binding: Binding): boolean => {
    left -= binding.octets.length;
    if (left >= 0) found.push(binding);
    return left >= 0;
  };
  const once = bindings.slice(0, nonRepeaters);
  for (const [place, { oid }] of once.entries()) {
    if (!add(answerNext(turn, oid, place, place === 0))) return found;
  }
  const columns: (string | undefined)[] = bindings.slice(nonRepeaters).map(({ oid }) => oid);
  const ends = [...columns];
  for (let row = 0; row < maxRepetitions && columns.some((oid) => oid !== undefined); row += 1) {
    for (const [column, oid] of columns.entries()) {
      const place = once.length + column;
      const match = oid === undefined ? undefined : turn.findNext(oid, place === 0 && row === 0);
      if (match === undefined) columns[column] = undefined;
      else ends[column] = columns[column] = match.mock.compiled.oid;
      const binding =
        match === undefined
          ? encodeBinding(ends[column] ?? '', { tag: TAG.endOfMibView, native: null })
          : turn.bindingOf(match, place);
      if (!add(binding)) return found;
    }
  }
  return found;
}

/** RFC 3416 section 4.2.5: all or nothing. */
function answerSet(turn: Turn, { bindings }: Request): readonly Binding[] {
  const changes = bindings.map((given, place) => {
    const match = turn.find(place, given.oid);
    if (match === undefined) throw new RequestError(ERROR.notWritable, place + 1);
    if (given.tag !== match.mock.compiled.tag) throw new RequestError(ERROR.wrongType, place + 1);
    return { match, binding: encodeBinding(given.oid, given) };
  });
  for (const { match, binding } of changes) turn.setValue(match, binding);
  return changes.map(({ binding }) => binding);
}
