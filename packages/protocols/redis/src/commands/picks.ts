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
  const picked: string[] = [];
  // The shuffle of which only the beginning is made; the others stand where they stood.
  const moved = new Map<number, number>();
  const isAll = count >= size;
  const most = count < 0 ? -count : Math.min(count, size);
  for (let place = 0; place < most; place += 1) {
    if (isAll) picked.push(memberAt(place));
    else if (count < 0) picked.push(memberAt(random.int(0, size - 1)));
    else {
      const other = random.int(place, size - 1);
      picked.push(memberAt(moved.get(other) ?? other));
      moved.set(other, moved.get(place) ?? place);
    }
    if (place % STEP === 0) yield;
  }
  return picked;
}
