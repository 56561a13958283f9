/** The bounds of longitude and latitude of the projection that geo commands use (EPSG:3857). */
export const MAX_LONGITUDE = 180;
/** See {@link MAX_LONGITUDE}. */
export const MAX_LATITUDE = 85.05112878;
/** Most bits of a hash for each of both coordinates. */
export const MAX_STEP = 26;
/** The radius of the earth in metres. */
export const EARTH_RADIUS = 6_372_797.560856;
const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';

/** A place on earth, in degrees. */
export interface Point {
  readonly longitude: number;
  readonly latitude: number;
}

/** A cell of the grid: its column and row, of `2 ** step` each. */
export interface Cell {
  readonly step: number;
  readonly column: number;
  readonly row: number;
}

/** What a cell covers, in degrees. */
export interface Area {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

/** The cell of a point. */
export function cellOf({ longitude, latitude }: Point, step = MAX_STEP, maxLatitude = MAX_LATITUDE): Cell {
  const size = 2 ** step;
  return {
    step,
    column: Math.floor(((longitude + MAX_LONGITUDE) / (2 * MAX_LONGITUDE)) * size),
    row: Math.floor(((latitude + maxLatitude) / (2 * maxLatitude)) * size),
  };
}

/** The hash of a cell: the bits of column and row in turn; at most 52 bits. */
export function hashOf({ step, column, row }: Cell): number {
  let hash = 0;
  for (let bit = step - 1; bit >= 0; bit -= 1)
    hash = hash * 4 + (Math.floor(column / 2 ** bit) % 2) * 2 + (Math.floor(row / 2 ** bit) % 2);
  return hash;
}

/** The cell of a hash. */
export function cellOfHash(hash: number, step = MAX_STEP): Cell {
  let [column, row] = [0, 0];
  for (let bit = step - 1; bit >= 0; bit -= 1) {
    const both = Math.floor(hash / 4 ** bit) % 4;
    column = column * 2 + (both >> 1);
    row = row * 2 + (both & 1);
  }
  return { step, column, row };
}

/** What a cell covers. */
export function areaOf({ step, column, row }: Cell): Area {
  const size = 2 ** step;
  return {
    west: -MAX_LONGITUDE + (column / size) * (2 * MAX_LONGITUDE),
    east: -MAX_LONGITUDE + ((column + 1) / size) * (2 * MAX_LONGITUDE),
    south: -MAX_LATITUDE + (row / size) * (2 * MAX_LATITUDE),
    north: -MAX_LATITUDE + ((row + 1) / size) * (2 * MAX_LATITUDE),
  };
}

/** The point that a score of a sorted set stands for: the middle of its cell. */
export function pointOf(score: number): Point {
  const { west, east, south, north } = areaOf(cellOfHash(score));
  return {
    longitude: Math.min(Math.max((west + east) / 2, -MAX_LONGITUDE), MAX_LONGITUDE),
    latitude: Math.min(Math.max((south + north) / 2, -MAX_LATITUDE), MAX_LATITUDE),
  };
}

/** The score of a point in a sorted set. */
export function scoreOf(point: Point): number {
  return hashOf(cellOf(point));
}

/** The geohash of a point as other systems know it: 11 letters. */
export function standardHash(point: Point): string {
  const hash = hashOf(cellOf(point, MAX_STEP, 90));
  let text = '';
  for (let place = 0; place < 10; place += 1)
    text += ALPHABET[Math.floor(hash / 2 ** (52 - 5 * (place + 1))) % 32] ?? '';
  return `${text}0`;
}

/** Metres between two points. */
export function distance(one: Point, two: Point): number {
  const v = Math.sin((radians(two.longitude) - radians(one.longitude)) / 2);
  if (v === 0) return latitudeDistance(one.latitude, two.latitude);
  const [first, second] = [radians(one.latitude), radians(two.latitude)];
  const u = Math.sin((second - first) / 2);
  const a = u * u + Math.cos(first) * Math.cos(second) * v * v;
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(a));
}

/** Metres between two latitudes. */
export function latitudeDistance(one: number, two: number): number {
  return EARTH_RADIUS * Math.abs(radians(two) - radians(one));
}

/** Degrees as radians. */
export function radians(angle: number): number {
  return angle * (Math.PI / 180);
}

/** Radians as degrees. */
export function degrees(angle: number): number {
  return angle / (Math.PI / 180);
}
