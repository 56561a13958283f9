import { isBacklotError, messageOf, type SpaceDoor, type SpaceDoors } from '@backlot/core/plugin';
import { spaceOfRequest } from './space-of-request.js';

/** What becomes of a request that names a space. */
export interface HandOver<T> {
  /** Takes the request in the space; what it throws is the caller's own affair. @param entrance - that of the kind's service there */
  pass(entrance: T): void;
  /** Answers a request for a space that is not there, or in which the kind cannot be started. */
  refuse(status: number, message: string): void;
}

/**
 * Hands a request over to the space that it names; see {@link spaceOfRequest}.
 *
 * @param raw - names and values of its headers in turn
 * @returns whether that was done, or the request was refused; else it is for this world
 */
export function handRequestOver<T>(
  spaces: SpaceDoors,
  raw: readonly string[],
  handOver: HandOver<T>,
): boolean {
  let door: SpaceDoor | undefined;
  try {
    door = spaceOfRequest(spaces, raw);
  } catch (thrown) {
    fail(handOver, thrown);
    return true;
  }
  if (door === undefined) return false;
  enter(door).then(
    (entrance) => handOver.pass(entrance as T),
    (thrown: unknown) => fail(handOver, thrown),
  );
  return true;
}

function fail(handOver: HandOver<never>, thrown: unknown): void {
  handOver.refuse(isBacklotError(thrown) ? thrown.status : 500, messageOf(thrown));
}

async function enter(door: SpaceDoor): Promise<unknown> {
  return door.open();
}
