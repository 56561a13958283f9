import type { SortedSetValue } from '../../data/sorted-set-value.js';
import { ERRORS, fail } from '../../wire/errors.js';
import { at, optionAt, toFloat, toInteger, type Args } from '../command.js';
import type { Shape } from './geo-cells.js';
import { MAX_LATITUDE, MAX_LONGITUDE, pointOf, type Point } from './geo-hash.js';
import type { SearchOptions } from './geo-search.js';

const UNITS = new Map([
  ['M', 1],
  ['KM', 1000],
  ['FT', 0.3048],
  ['MI', 1609.34],
]);

/** What a search of GEOSEARCH, GEORADIUS and the like asks for. */
export interface GeoRequest extends Omit<SearchOptions, 'shape'> {
  readonly shape: Shape | undefined;
  /** Metres of the unit in which distances are shown. */
  readonly unit: number;
  readonly hasCoordinates: boolean;
  readonly hasDistance: boolean;
  readonly hasHash: boolean;
  readonly target: string | undefined;
  /** Whether distances are stored in place of hashes. */
  readonly storesDistances: boolean;
}

/** What the forms of a search differ in. */
interface Form {
  readonly command: string;
  /** The first option. */
  readonly first: number;
  /** GEORADIUS: its center, radius and unit stand before the options. */
  readonly center?: Point | undefined;
  readonly radius?: number;
  readonly unit?: number;
  readonly isSearch: boolean;
  /** GEOSEARCHSTORE. */
  readonly target?: string;
  readonly mayStore: boolean;
}

/** Metres of a unit. @throws CommandError */
export function readUnit(text: string | undefined): number {
  return (
    UNITS.get((text ?? '').slice(0, 3).toUpperCase()) ??
    fail('ERR unsupported unit provided. please use M, KM, FT, MI')
  );
}

/** A longitude and a latitude. @throws CommandError */
export function readPoint(args: Args, index: number): Point {
  const longitude = toFloat(args[index]);
  const latitude = toFloat(args[index + 1]);
  if (Math.abs(longitude) > MAX_LONGITUDE || Math.abs(latitude) > MAX_LATITUDE)
    fail(`ERR invalid longitude,latitude pair ${longitude.toFixed(6)},${latitude.toFixed(6)}`);
  return { longitude, latitude };
}

/** A length of at least zero. @throws CommandError */
export function readLength(text: string | undefined, name: string): number {
  const length = toFloat(text, `ERR need numeric ${name}`);
  return length < 0 ? fail(`ERR ${name} cannot be negative`) : length;
}

/** The point of a member. @throws CommandError */
export function pointOfMember(set: SortedSetValue | undefined, member: string): Point {
  return pointOf(set?.score(member) ?? fail('ERR could not decode requested zset member'));
}

/** Reads the options of a search. @throws CommandError */
export function readRequest(args: Args, set: SortedSetValue | undefined, form: Form): GeoRequest {
  let center = form.center;
  let hasCenter = !form.isSearch;
  let hasShape = !form.isSearch;
  let [radius, width, height, unit] = [form.radius ?? 0, 0, 0, form.unit ?? 1];
  let isBox = false;
  let order: 'ASC' | 'DESC' | undefined;
  let [count, isAny, hasCoordinates, hasDistance, hasHash] = [0, false, false, false, false];
  let target = form.target;
  let storesDistances = false;
  for (let index = form.first; index < args.length; index += 1) {
    const option = optionAt(args, index);
    const more = args.length - index - 1;
    if (option === 'WITHDIST') hasDistance = true;
    else if (option === 'WITHHASH') hasHash = true;
    else if (option === 'WITHCOORD') hasCoordinates = true;
    else if (option === 'ANY') isAny = true;
    else if (option === 'ASC' || option === 'DESC') order = option;
    else if (option === 'COUNT' && more >= 1) {
      count = toInteger(args[(index += 1)]);
      if (count <= 0) fail('ERR COUNT must be > 0');
    } else if (
      !form.isSearch &&
      form.mayStore &&
      (option === 'STORE' || option === 'STOREDIST') &&
      more >= 1
    ) {
      target = at(args, (index += 1));
      storesDistances = option === 'STOREDIST';
    } else if (form.isSearch && !hasCenter && option === 'FROMMEMBER' && more >= 1) {
      index += 1;
      if (set !== undefined) center = pointOfMember(set, at(args, index));
      hasCenter = true;
    } else if (form.isSearch && !hasCenter && option === 'FROMLONLAT' && more >= 2) {
      center = readPoint(args, index + 1);
      hasCenter = true;
      index += 2;
    } else if (form.isSearch && !hasShape && option === 'BYRADIUS' && more >= 2) {
      radius = readLength(args[index + 1], 'radius');
      unit = readUnit(args[index + 2]);
      hasShape = true;
      index += 2;
    } else if (form.isSearch && !hasShape && option === 'BYBOX' && more >= 3) {
      width = toFloat(args[index + 1], 'ERR need numeric width');
      height = toFloat(args[index + 2], 'ERR need numeric height');
      if (width < 0 || height < 0) fail('ERR height or width cannot be negative');
      unit = readUnit(args[index + 3]);
      [hasShape, isBox] = [true, true];
      index += 3;
    } else if (form.target !== undefined && option === 'STOREDIST') storesDistances = true;
    else fail(ERRORS.syntax);
  }
  if (target !== undefined && (hasDistance || hasHash || hasCoordinates))
    fail(
      form.isSearch
        ? 'ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options'
        : 'ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options',
    );
  if (!hasCenter) fail(`ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ${form.command}`);
  if (!hasShape) fail(`ERR exactly one of BYRADIUS and BYBOX can be specified for ${form.command}`);
  if (isAny && count === 0) fail('ERR the ANY argument requires COUNT argument');
  const box = center && { center, width: width * unit, height: height * unit };
  const circle = center && { center, radius: radius * unit };
  return {
    shape: isBox ? box : circle,
    // Whoever wants some of them wants the nearest.
    order: order ?? (count > 0 && !isAny ? 'ASC' : undefined),
    count,
    isAny,
    unit,
    hasCoordinates,
    hasDistance,
    hasHash,
    target,
    storesDistances,
  };
}
