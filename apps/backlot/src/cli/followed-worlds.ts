import type { Host } from '@backlot/core';

/** Follows something in the main world and in all spaces, those that are made later as well. */
export class FollowedWorlds {
  readonly #ends = new Set<() => void>();

  /** @param follow - begins to follow a world; gives what ends it */
  constructor(host: Host, follow: (world: Host) => readonly (() => void)[]) {
    const begin = (world: Host): (() => void) => {
      const ends = follow(world);
      const end = (): void => {
        this.#ends.delete(end);
        for (const each of ends) each();
      };
      this.#ends.add(end);
      return end;
    };
    begin(host);
    for (const space of host.spaces.list()) space.onEnd(begin(space.host));
    this.#ends.add(host.spaces.onMade((space) => space.onEnd(begin(space.host))));
  }

  /** Follows no longer. */
  stop(): void {
    for (const end of [...this.#ends]) end();
    this.#ends.clear();
  }
}
