import { ERROR } from '../wire/errors.js';
import { Group } from './group.js';
import { GroupMemory } from './group-memory.js';
import { Offsets, sizeOf, type CommittedOffset, type SavedOffsets } from './offsets.js';

const MAX_GROUPS = 10_000;

/** A snapshot of the groups: what they have committed. Members join anew. */
export type SavedGroups = readonly (readonly [string, SavedOffsets])[];

/** All consumer groups. */
export class Groups {
  /** Its snapshots are plain data. */
  readonly passes = 'plain';
  #groups = new Map<string, Group>();
  /** The groups that have committed something of a topic. */
  readonly #byTopic = new Map<string, Set<Group>>();
  readonly #memory = new GroupMemory();

  /** How many groups there are. */
  get size(): number {
    return this.#groups.size;
  }

  find(id: string): Group | undefined {
    return this.#groups.get(id);
  }

  /** The group, made when there is none; `undefined` when there are too many. */
  open(id: string): Group | undefined {
    let group = this.#groups.get(id);
    if (group === undefined && this.#groups.size < MAX_GROUPS) {
      group = new Group(id, this.#memory);
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
    for (const topic of group.offsets.topics) this.#unlink(topic, group);
    this.#memory.offsetBytes -= group.offsets.bytes;
    this.#groups.delete(id);
    return ERROR.NONE;
  }

  /** A topic is gone, and with it how far it was read. */
  forgetTopic(topic: string): void {
    for (const group of this.#byTopic.get(topic) ?? []) {
      this.#memory.offsetBytes -= group.offsets.forget(topic);
    }
    this.#byTopic.delete(topic);
  }

  /** Notes how far a group has read. @returns whether there was room for it */
  commit(group: Group, topic: string, partition: number, committed: CommittedOffset): boolean {
    if (this.#memory.hasNoOffsetsFor(sizeOf(committed))) return false;
    this.#memory.offsetBytes += group.offsets.commit(topic, partition, committed);
    this.#link(topic, group);
    return true;
  }

  /** Drops how far a group has read one partition. */
  deleteOffset(group: Group, topic: string, partition: number): void {
    this.#memory.offsetBytes -= group.offsets.delete(topic, partition);
    if (!group.offsets.has(topic)) this.#unlink(topic, group);
  }

  /** Keeps room for offsets that may be committed. @returns whether there was any */
  reserve(bytes: number): boolean {
    if (this.#memory.hasNoOffsetsFor(bytes)) return false;
    this.#memory.offsetBytes += bytes;
    return true;
  }

  /** Gives back what was kept. */
  release(bytes: number): void {
    this.#memory.offsetBytes -= bytes;
  }

  save(): SavedGroups {
    return Array.from(this.#groups, ([id, group]) => [id, group.offsets.save()] as const);
  }

  restore(saved: SavedGroups): void {
    this.dissolve();
    for (const [id, offsets] of saved) {
      const group = new Group(id, this.#memory);
      group.offsets = Offsets.restore(offsets);
      this.#memory.offsetBytes += group.offsets.bytes;
      for (const topic of group.offsets.topics) this.#link(topic, group);
      this.#groups.set(id, group);
    }
  }

  /** Ends all groups and their timers. */
  dissolve(): void {
    const groups = [...this.#groups.values()];
    this.#groups = new Map();
    for (const group of groups) group.dissolve();
    this.#byTopic.clear();
    this.#memory.offsetBytes = 0;
  }

  #link(topic: string, group: Group): void {
    const groups = this.#byTopic.get(topic);
    if (groups === undefined) this.#byTopic.set(topic, new Set([group]));
    else groups.add(group);
  }

  #unlink(topic: string, group: Group): void {
    const groups = this.#byTopic.get(topic);
    groups?.delete(group);
    if (groups?.size === 0) this.#byTopic.delete(topic);
  }
}
