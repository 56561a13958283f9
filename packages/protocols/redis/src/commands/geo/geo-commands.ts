import { SortedSetValue } from '../../data/sorted-set-value.js';
import type { Session } from '../../session.js';
import { ERRORS, fail } from '../../wire/errors.js';
import type { Encoded } from '../../wire/long-reply.js';
import { array, bulk, EMPTY_ARRAY, integer, nil, nilArray, ZERO, type Resp } from '../../wire/reply.js';
import { at, onKey, onKeys, optionAt, type Answer, type Args, type Command } from '../command.js';
import { gatherList, listHead, READY, STEP } from '../work.js';
import { distance, pointOf, scoreOf, standardHash, type Point } from './geo-hash.js';
import {
  pointOfMember,
  readLength,
  readPoint,
  readRequest,
  readUnit,
  type GeoRequest,
} from './geo-options.js';
import { search, type Found } from './geo-search.js';

/** The commands for places (redis.io, command page of each): members of sorted sets whose scores are geohashes. */
export const GEO_COMMANDS: readonly Command[] = [
  onKey('geoadd', -5, 'wm', add),
  onKey('geodist', -4, 'r', (args, { database, resp }) => {
    if (args.length > 5) fail(ERRORS.syntax);
    const unit = args.length === 5 ? readUnit(args[4]) : 1;
    const set = database.sortedSet(at(args, 1));
    const [one, two] = [set?.score(at(args, 2)), set?.score(at(args, 3))];
    if (one === undefined || two === undefined) return nil(resp);
    return bulk((distance(pointOf(one), pointOf(two)) / unit).toFixed(4));
  }),
  onKey('geohash', -2, 'r', (args, session) =>
    eachMember(args, session, (point, resp) => (point === undefined ? nil(resp) : bulk(standardHash(point)))),
  ),
  onKey('geopos', -2, 'r', (args, session) =>
    eachMember(args, session, (point, resp) =>
      point === undefined ? nilArray(resp) : showPoint(point, resp),
    ),
  ),
  onKey('geosearch', -7, 'r', (args, session) => {
    const set = session.database.sortedSet(at(args, 1));
    const form = { command: at(args, 0), first: 2, isSearch: true, mayStore: false };
    return answer(set, readRequest(args, set, form), session);
  }),
  onKeys('geosearchstore', -8, 'wm', [1, 2, 1], (args, session) => {
    const set = session.database.sortedSet(at(args, 2));
    const command = at(args, 0);
    const form = { command, first: 3, isSearch: true, target: at(args, 1), mayStore: true };
    return answer(set, readRequest(args, set, form), session);
  }),
  onKey('georadius', -6, 'wm', (args, session) => radius(args, session, true)),
  onKey('georadius_ro', -6, 'r', (args, session) => radius(args, session, false)),
  onKey('georadiusbymember', -5, 'wm', (args, session) => radiusByMember(args, session, true)),
  onKey('georadiusbymember_ro', -5, 'r', (args, session) => radiusByMember(args, session, false)),
];

function* add(args: Args, { database }: Session): Generator<undefined, string> {
  let [isNew, isKnown, countsChanges] = [false, false, false];
  let first = 2;
  for (; first < args.length; first += 1) {
    const option = optionAt(args, first);
    if (option === 'NX') isNew = true;
    else if (option === 'XX') isKnown = true;
    else if (option === 'CH') countsChanges = true;
    else break;
  }
  if ((args.length - first) % 3 !== 0 || (isNew && isKnown)) fail(ERRORS.syntax);
  const scored: [member: string, score: number][] = [];
  for (let index = first; index < args.length; index += 3) {
    scored.push([at(args, index + 2), scoreOf(readPoint(args, index))]);
    if (scored.length % STEP === 0) yield;
  }
  const key = at(args, 1);
  const known = database.sortedSet(key);
  if (scored.length === 0 || (known === undefined && isKnown)) return ZERO;
  const set = known ?? database.sortedSetToChange(key);
  let count = 0;
  for (const [index, [member, score]] of scored.entries()) {
    if (index % STEP === STEP - 1) yield;
    const old = set.score(member);
    if (old === undefined ? isKnown : isNew) continue;
    if (old === undefined || (countsChanges && old !== score)) count += 1;
    set.set(member, score);
  }
  database.changed(key);
  return integer(count);
}

function eachMember(
  args: Args,
  { database, resp }: Session,
  show: (point: Point | undefined, resp: Resp) => string,
): Answer {
  const set = database.sortedSet(at(args, 1));
  return gatherList(listHead, showMembers(args, set, resp, show), READY);
}

function* showMembers(
  args: Args,
  set: SortedSetValue | undefined,
  resp: Resp,
  show: (point: Point | undefined, resp: Resp) => string,
): Generator<string, void> {
  for (let index = 2; index < args.length; index += 1) {
    const score = set?.score(at(args, index));
    yield show(score === undefined ? undefined : pointOf(score), resp);
  }
}

function radius(args: Args, session: Session, mayStore: boolean): Answer {
  const set = session.database.sortedSet(at(args, 1));
  const center = readPoint(args, 2);
  const length = readLength(args[4], 'radius');
  const unit = readUnit(args[5]);
  const command = at(args, 0);
  const form = { command, first: 6, center, radius: length, unit, isSearch: false, mayStore };
  return answer(set, readRequest(args, set, form), session);
}

function radiusByMember(args: Args, session: Session, mayStore: boolean): Answer {
  const set = session.database.sortedSet(at(args, 1));
  const center = set && pointOfMember(set, at(args, 2));
  const length = readLength(args[3], 'radius');
  const unit = readUnit(args[4]);
  const command = at(args, 0);
  const form = { command, first: 5, center, radius: length, unit, isSearch: false, mayStore };
  return answer(set, readRequest(args, set, form), session);
}

function* answer(
  set: SortedSetValue | undefined,
  request: GeoRequest,
  { database, resp }: Session,
): Generator<undefined, Encoded> {
  const { shape, target } = request;
  const found = set === undefined || shape === undefined ? [] : yield* search(set, { ...request, shape });
  if (target === undefined) {
    if (found.length === 0) return EMPTY_ARRAY;
    return yield* gatherList(listHead, showAll(found, request, resp), READY);
  }
  const stored = new SortedSetValue();
  for (const { member, score, metres } of found) {
    stored.set(member, request.storesDistances ? metres / request.unit : score);
    if (stored.size % STEP === 0) yield;
  }
  if (stored.size === 0) database.delete(target);
  else database.put(target, stored);
  return integer(stored.size);
}

function* showAll(
  found: readonly Found[],
  { hasDistance, hasHash, hasCoordinates, unit }: GeoRequest,
  resp: Resp,
): Generator<string, void> {
  for (const { member, score, point, metres } of found) {
    const parts = [bulk(member)];
    if (hasDistance) parts.push(bulk((metres / unit).toFixed(4)));
    if (hasHash) parts.push(integer(score));
    if (hasCoordinates) parts.push(showPoint(point, resp));
    yield parts.length === 1 ? (parts[0] ?? '') : array(parts);
  }
}

function showPoint({ longitude, latitude }: Point, resp: Resp): string {
  return array([longitude, latitude].map((value) => showDegrees(value, resp)));
}

/** 17 digits behind the point, without zeros at the end. */
function showDegrees(value: number, resp: Resp): string {
  const text = value.toFixed(17).replace(/\.?0+$/, '');
  return resp === 3 ? `,${text}\r\n` : bulk(text);
}
