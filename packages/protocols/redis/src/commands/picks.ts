import type { Random } from '@backlot/core/plugin';
import type { Places } from '../data/places.js';
import { ERRORS, fail } from '../wire/errors.js';
import { STEP } from './work.js';

/** Members of so small a collection are not laid out in places: they are counted. */
const FEW = 64;
/** Most elements that a command with a negative count answers. */
const MAX_PICKED = 1024 * 1024;

/** What members are picked from. */
interface Collection {
  readonly size: number;
  readonly places: Places;
}

/** One member by chance; `undefined` of a collection that is empty. */
export function* pickOne(
  { size, places }: Collection,
  all: Iterable<string>,
  random: Random,
): Generator<undefined, string | undefined> {
  if (size === 0) return undefined;
  if (size > FEW) {
    yield* places.lay();
    return places.at(random.int(0, size - 1));
  }
  return random.pick([...all]);
}

/**
 * Picks members by chance: as many different ones as there are for a positive count, the same one again and again
 * for a negative one.
 */
export function* pickMany(
  { size, places }: Collection,
  all: Iterable<string>,
  count: number,
  random: Random,
): Generator<undefined, string[]> {
  if (size === 0) return [];
  if (-count > MAX_PICKED) fail(ERRORS.notInteger);
  const few = size <= FEW ? [...all] : undefined;
  if (few === undefined) yield* places.lay();
  const memberAt = (place: number): string => (few === undefined ? places.at(place) : few[place]) ?? '';
  const isAll = count >= size;
  const most = count < 0 ? -count : Math.min(count, size);
  // An array that grows by itself leaves several times its size behind.
  const picked = new Array<string>(most);
  // The shuffle of which only the beginning is made; the others stand where they stood.
  const moved = new Moved(size, most);
  for (let place = 0; place < most; place += 1) {
    if (isAll) picked[place] = memberAt(place);
    else if (count < 0) picked[place] = memberAt(random.int(0, size - 1));
    else {
      const other = random.int(place, size - 1);
      picked[place] = memberAt(moved.at(other));
      moved.set(other, moved.at(place));
    }
    if (place % STEP === 0) yield;
  }
  return picked;
}

/** Of a collection this part at least has to be picked for its places to be a column: it takes less than a map of them. */
const COLUMN_FROM = 1 / 8;

/** What stands at places that something was moved to; at all others stands what stood there. */
class Moved {
  /** One more than what stands at a place; 0 where nothing was moved to. */
  readonly #column: Uint32Array | undefined;
  readonly #map = new Map<number, number>();

  constructor(size: number, most: number) {
    if (most >= size * COLUMN_FROM) this.#column = new Uint32Array(size);
  }

  at(place: number): number {
    if (this.#column === undefined) return this.#map.get(place) ?? place;
    return (this.#column[place] || place + 1) - 1;
  }

  set(place: number, what: number): void {
    if (this.#column === undefined) this.#map.set(place, what);
    else this.#column[place] = what + 1;
  }
}
