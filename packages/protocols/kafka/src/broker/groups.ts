import { ERROR } from '../wire/errors.js';
import { Group } from './group.js';
import { Offsets, type SavedOffsets } from './offsets.js';

const MAX_GROUPS = 10_000;

/** A picture of the groups: what they have committed. Members join anew. */
export type SavedGroups = readonly (readonly [string, SavedOffsets])[];

/** All consumer groups. */
export class Groups {
  #groups = new Map<string, Group>();

  find(id: string): Group | undefined {
    return this.#groups.get(id);
  }

  /** The group, made when there is none; `undefined` when there are too many. */
  open(id: string): Group | undefined {
    let group = this.#groups.get(id);
    if (group === undefined && this.#groups.size < MAX_GROUPS) {
      group = new Group(id);
      this.#groups.set(id, group);
    }
    return group;
  }

  values(): Iterable<Group> {
    return this.#groups.values();
  }

  /** Deletes a group without members. @returns an error code */
  delete(id: string): number {
    const group = this.#groups.get(id);
    if (group === undefined) return ERROR.GROUP_ID_NOT_FOUND;
    if (group.state !== 'Empty') return ERROR.NON_EMPTY_GROUP;
    group.dissolve();
    this.#groups.delete(id);
    return ERROR.NONE;
  }

  /** A topic is gone, and with it how far it was read. */
  forgetTopic(topic: string): void {
    for (const group of this.#groups.values()) group.offsets.forget(topic);
  }

  save(): SavedGroups {
    return Array.from(this.#groups, ([id, group]) => [id, group.offsets.save()] as const);
  }

  restore(saved: SavedGroups): void {
    this.dissolve();
    for (const [id, offsets] of saved) {
      const group = new Group(id);
      group.offsets = Offsets.restore(offsets);
      this.#groups.set(id, group);
    }
  }

  /** Ends all groups and their timers. */
  dissolve(): void {
    const groups = [...this.#groups.values()];
    this.#groups = new Map();
    for (const group of groups) group.dissolve();
  }
}
