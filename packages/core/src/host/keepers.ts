import type { Keeper } from '../contract/context.js';

/** Pictures of what plugins keep beside their mocks, by name. */
export type SavedKept = readonly (readonly [string, unknown])[];

/** The data that a plugin registered for reset and snapshots. */
export class Keepers {
  readonly #keepers = new Map<string, Keeper<unknown>>();

  add(name: string, keeper: Keeper<unknown>): void {
    if (this.#keepers.has(name)) throw new TypeError(`data "${name}" is registered twice`);
    this.#keepers.set(name, keeper);
  }

  save(): SavedKept {
    return Array.from(this.#keepers, ([name, keeper]) => [name, keeper.save()] as const);
  }

  restore(saved: SavedKept): void {
    for (const [name, data] of saved) this.#keepers.get(name)?.restore(data);
  }
}
