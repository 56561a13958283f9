import type { SpaceDoor, SpaceDoors } from '../contract/space-doors.js';
import { spaceIn, userIn } from './space-name.js';

/** Where a kind finds the spaces: those of its own host, or, inside a space, those beside it. */
export interface SpaceFinder {
  readonly size: number;
  find(id: string): EnteredSpace | undefined;
  /** @throws BacklotError `not_found` */
  get(id: string): EnteredSpace;
}

/** A space that is entered. */
export interface EnteredSpace {
  readonly id: string;
  /** Says that somebody uses it. */
  use(): void;
  /** What the service of a kind has as `entrance`, once it runs. @throws BacklotError `not_enabled` when it has none */
  entranceOf(kind: string): unknown;
}

/** The spaces as one kind sees them. */
export class KindDoors implements SpaceDoors {
  readonly #kind: string;
  readonly #finder: SpaceFinder;
  readonly #own: string | undefined;

  /** @param own - the id of the space that the kind itself is in */
  constructor(kind: string, finder: SpaceFinder, own: string | undefined) {
    this.#kind = kind;
    this.#finder = finder;
    this.#own = own;
  }

  find(id: string): SpaceDoor | undefined {
    if (this.#finder.size === 0 || id === this.#own) return undefined;
    const space = this.#finder.find(id);
    return space && this.#doorOf(space);
  }

  get(id: string): SpaceDoor | undefined {
    return id === this.#own ? undefined : this.#doorOf(this.#finder.get(id));
  }

  ofLogin(name: string): SpaceDoor | undefined {
    return this.#finder.size === 0 ? undefined : this.find(spaceIn(name));
  }

  userOf(name: string): string | undefined {
    if (name === this.#own) return undefined;
    return this.#own === undefined ? name : userIn(name, this.#own);
  }

  #doorOf(space: EnteredSpace): SpaceDoor {
    return {
      id: space.id,
      open: () => {
        space.use();
        return space.entranceOf(this.#kind);
      },
    };
  }
}
