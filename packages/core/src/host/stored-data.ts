import type { PackedPart, StoredData, TakenPart } from '../contract/stored-data.js';
import type { KindHost } from './kind-host.js';

/** A world: its kinds, and what its spaces have. */
interface World {
  readonly kinds: readonly KindHost[];
  readonly space: string | undefined;
  readonly spaces: {
    list(): readonly { readonly id: string; readonly host: { readonly stored: StoredData } }[];
  };
}

/** What clients have stored in the kinds of a world that have data, and in its spaces. */
export class StoredOfHost implements StoredData {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  get staying(): ReadonlyMap<string, readonly string[]> {
    return new Map(
      this.#kinds().flatMap(({ kind, stored: { staying } }) =>
        staying.length === 0 ? [] : [[kind, staying] as const],
      ),
    );
  }

  take(): readonly TakenPart[] {
    const { space, spaces } = this.#world;
    const place = space === undefined ? {} : { space };
    const own = this.#kinds().flatMap(({ kind, stored }) =>
      stored.take().map((part) => ({ ...place, kind, ...part })),
    );
    const others = space === undefined ? spaces.list().flatMap(({ host }) => host.stored.take()) : [];
    return [...own, ...others];
  }

  put(parts: readonly PackedPart[]): void {
    const { space, spaces } = this.#world;
    for (const each of this.#kinds()) {
      const own = parts.filter(({ kind, space: of }) => of === space && kind === each.kind);
      if (own.length > 0) each.stored.put(new Map(own.map(({ part, data }) => [part, data])));
    }
    if (space !== undefined) return;
    for (const { id, host } of spaces.list()) {
      const own = parts.filter((part) => part.space === id);
      if (own.length > 0) host.stored.put(own);
    }
  }

  #kinds(): readonly KindHost[] {
    return this.#world.kinds.filter(({ hasHome, enabled }) => hasHome && enabled);
  }
}
