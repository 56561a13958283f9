import {
  areaOf,
  cellOf,
  degrees,
  distance,
  EARTH_RADIUS,
  latitudeDistance,
  MAX_STEP,
  radians,
  type Cell,
  type Point,
} from './geo-hash.js';

/** Half of the circumference of the projection, in metres. */
const MERCATOR_MAX = 20_037_726.37;

/** What is searched: a circle, or a box whose sides lie along the meridians. In metres. */
export type Shape =
  | { readonly center: Point; readonly radius: number }
  | { readonly center: Point; readonly width: number; readonly height: number };

/** How far a point is from the center of a shape, in metres; `undefined` when it is outside. */
export function distanceWithin(shape: Shape, point: Point): number | undefined {
  const { center } = shape;
  if ('radius' in shape) {
    const metres = distance(center, point);
    return metres > shape.radius ? undefined : metres;
  }
  if (latitudeDistance(point.latitude, center.latitude) > shape.height / 2) return undefined;
  const across = distance(point, { longitude: center.longitude, latitude: point.latitude });
  return across > shape.width / 2 ? undefined : distance(center, point);
}

/** The cells that cover a shape together: the middle one and up to eight around it, in the order of Redis. */
export function cellsOf(shape: Shape): Cell[] {
  const { center } = shape;
  const bounds = boundsOf(shape);
  const reach = 'radius' in shape ? shape.radius : Math.hypot(shape.width / 2, shape.height / 2);
  let step = estimateStep(reach, center.latitude);
  let middle = cellOf(center, step);
  if (step > 1 && isTooSmall(middle, bounds)) {
    step -= 1;
    middle = cellOf(center, step);
  }
  const area = areaOf(middle);
  // What lies beyond the shape is left out, where the cells are small.
  const spares = step >= 2;
  const hasSouth = !(spares && area.south < bounds.south);
  const hasNorth = !(spares && area.north > bounds.north);
  const hasWest = !(spares && area.west < bounds.west);
  const hasEast = !(spares && area.east > bounds.east);
  const wanted: readonly (readonly [isIn: boolean, columns: number, rows: number])[] = [
    [true, 0, 0],
    [hasNorth, 0, 1],
    [hasSouth, 0, -1],
    [hasEast, 1, 0],
    [hasWest, -1, 0],
    [hasNorth && hasEast, 1, 1],
    [hasNorth && hasWest, -1, 1],
    [hasSouth && hasEast, 1, -1],
    [hasSouth && hasWest, -1, -1],
  ];
  const cells: Cell[] = [];
  for (const [isIn, columns, rows] of wanted) {
    if (!isIn) continue;
    const cell = move(middle, columns, rows);
    // With very large cells the same one lies on both sides.
    if (cells.some(({ column, row }) => column === cell.column && row === cell.row)) continue;
    cells.push(cell);
  }
  return cells;
}

interface Bounds {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

function boundsOf(shape: Shape): Bounds {
  const { longitude, latitude } = shape.center;
  const high = 'radius' in shape ? shape.radius : shape.height / 2;
  const wide = 'radius' in shape ? shape.radius : shape.width / 2;
  const up = degrees(high / EARTH_RADIUS);
  const edge = latitude < 0 ? latitude - up : latitude + up;
  const across = degrees(wide / EARTH_RADIUS / Math.cos(radians(edge)));
  return { west: longitude - across, east: longitude + across, south: latitude - up, north: latitude + up };
}

function estimateStep(metres: number, latitude: number): number {
  if (metres === 0) return MAX_STEP;
  let step = 1;
  for (let range = metres; range < MERCATOR_MAX; range *= 2) step += 1;
  step -= 2;
  const height = Math.abs(latitude);
  if (height > 66) step -= height > 80 ? 2 : 1;
  return Math.min(Math.max(step, 1), MAX_STEP);
}

function isTooSmall(middle: Cell, bounds: Bounds): boolean {
  return (
    areaOf(move(middle, 0, 1)).north < bounds.north ||
    areaOf(move(middle, 0, -1)).south > bounds.south ||
    areaOf(move(middle, 1, 0)).east < bounds.east ||
    areaOf(move(middle, -1, 0)).west > bounds.west
  );
}

/** The cell so many columns and rows away; beyond the edge it goes on at the other. */
function move({ step, column, row }: Cell, columns: number, rows: number): Cell {
  const size = 2 ** step;
  return { step, column: (column + columns + size) % size, row: (row + rows + size) % size };
}
