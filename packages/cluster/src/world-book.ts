import type { MatchChanges } from '@backlot/core';
import type { Command } from '@backlot/management';
import { LEAVE } from './legacy.js';
import { isPassing, MATCH, placesOf } from './match-changes.js';

/** Commands that act on the main world and are about a space as a whole. */
const MAKES = 'createSpace';
export const ENDS = 'deleteSpace';
const MAIN = '';

/**
 * For how long it is kept that a space has ended, in milliseconds: whoever was paused before must hear of it, or its space would stay. One
 * that was cut off for half as long gives up.
 */
export const ENDS_KEPT = 3_600_000;

interface World {
  /** The newest change. */
  changed: number;
  /** The entries that made it what it is, in order. */
  revisions: Set<number>;
  /** The newest match that changes each of these parts, since something else has changed the world; see `placesOf`. */
  readonly matches: Map<string, number>;
  /** Changes that were refused since. */
  refused: number[];
  /** Snapshots that may be put back; they need what was before a reset. */
  snapshots: number;
}

/** What the log has of each world: when it changed, and which entries nobody needs any more. */
export class WorldBook {
  readonly #worlds = new Map<string, World>();
  #size = 0;
  #ends: { readonly revision: number; readonly at: number }[] = [];

  /** How many entries are needed. */
  get size(): number {
    return this.#size;
  }

  /** The newest change of the world that a command acts on; 0 when it has not changed. */
  changedAt(command: Command): number {
    return this.#worlds.get(worldOf(command))?.changed ?? 0;
  }

  /**
   * Notes that a command was carried out.
   *
   * @param at - when it was given, in milliseconds since 1970
   * @returns the revisions of entries that are not needed any more, the newest first: whoever reads while they are removed has the
   * beginning of what was
   */
  add(command: Command, revision: number, at: number): readonly number[] {
    const name = worldOf(command);
    // It is for processes that are there.
    if (command.route === LEAVE) return [revision];
    if (command.route === ENDS) {
      const ended = this.#worlds.get(name);
      this.#worlds.delete(name);
      this.#size -= ended?.revisions.size ?? 0;
      this.#worldOf(MAIN).changed = revision;
      this.#ends.push({ revision, at });
      return [...(ended?.revisions ?? [])].toReversed().concat(this.#oldEnds(at));
    }
    const world = this.#worldOf(name);
    if (command.route === MATCH) return this.#addMatch(world, command.body as MatchChanges, revision);
    world.changed = revision;
    world.matches.clear();
    world.refused = [];
    // The list of spaces belongs to the main world.
    if (command.route === MAKES) {
      const main = this.#worldOf(MAIN);
      main.changed = revision;
      main.matches.clear();
      main.refused = [];
    }
    if (command.route === 'createSnapshot') world.snapshots += 1;
    if (command.route === 'deleteSnapshot') world.snapshots -= 1;
    world.revisions.add(revision);
    this.#size += 1;
    if (command.route !== 'reset' || world.snapshots > 0) return [];
    // The first entry of a space makes it.
    const [first = revision] = world.revisions;
    const kept = new Set(name === MAIN ? [revision] : [first, revision]);
    const gone = [...world.revisions].filter((each) => !kept.has(each)).toReversed();
    world.revisions = kept;
    this.#size -= gone.length;
    return gone;
  }

  /** Notes that a command was refused, and changed nothing. */
  refused(command: Command, revision: number): void {
    const world = this.#worlds.get(worldOf(command));
    if (world !== undefined && world.matches.size > 0) world.refused.push(revision);
  }

  /**
   * What a match changes is said as it is afterwards, so that the one before it that has changed the same parts is not needed any more: unless
   * something else has come between, which may build on it. What was refused because of it goes first, or it would not be refused again.
   */
  #addMatch(world: World, changes: MatchChanges, revision: number): readonly number[] {
    if (isPassing(changes)) return [revision];
    world.changed = revision;
    world.revisions.add(revision);
    this.#size += 1;
    const places = placesOf(changes);
    if (places === undefined || world.snapshots > 0) return [];
    const before = world.matches.get(places);
    world.matches.set(places, revision);
    if (before === undefined) return [];
    const gone = [...world.refused, before];
    world.refused = [];
    world.revisions.delete(before);
    this.#size -= 1;
    return gone;
  }

  /** Ends of spaces that every replica has heard of, or has given up. */
  #oldEnds(now: number): readonly number[] {
    const old = this.#ends.filter(({ at }) => at < now - ENDS_KEPT);
    if (old.length > 0) this.#ends = this.#ends.filter(({ at }) => at >= now - ENDS_KEPT);
    return old.map(({ revision }) => revision);
  }

  #worldOf(name: string): World {
    const known = this.#worlds.get(name);
    if (known !== undefined) return known;
    const made: World = {
      ...{ changed: 0, revisions: new Set(), snapshots: 0 },
      ...{ matches: new Map(), refused: [] },
    };
    this.#worlds.set(name, made);
    return made;
  }
}

/** The world that a command acts on: the id of a space, or nothing for the main one. */
export function worldOf({ route, params, body, space }: Command): string {
  if (route === ENDS) return params['id'] ?? MAIN;
  if (route === MAKES) return (body as { readonly id?: string } | undefined)?.id ?? MAIN;
  return space ?? MAIN;
}
