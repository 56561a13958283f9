import { randomBytes } from 'node:crypto';
import { NewSpaceSchema, type NewSpace, type Space, type SpaceCollection } from '../contract/spaces.js';
import { BacklotError, checkAt, invalid } from '../errors.js';
import { afterRealTime, realElapsed } from '../time/clock-real.js';
import type { Waiting } from '../time/clock.js';
import { createValidator } from '../validation/validator.js';
import { EndedSpaces } from './ended-spaces.js';
import { HeldSpace, type SpaceHost } from './held-space.js';
import type { SpaceFinder } from './space-doors.js';
import { readTtl, type ReadLimits } from './space-limits.js';

/** A space that was used within this time, in milliseconds, does not end for another one. */
const IN_USE = 60_000;
const GRACE = 500;

/** What makes the hosts of spaces. */
export interface SpaceMaker {
  readonly limits: ReadLimits;
  /** @throws BacklotError `not_enabled` before the start */
  make(id: string, seed: number | undefined): Promise<SpaceHost>;
  /** Told what has gone wrong while nobody waits for it. */
  failed(text: string, thrown: unknown): void;
}

/** The spaces of a host. */
export class SpaceBook implements SpaceCollection, SpaceFinder {
  #maker: SpaceMaker;
  readonly #spaces = new Map<string, HeldSpace>();
  /** The ids of those that are being made. */
  readonly #coming = new Set<string>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #ended = new EndedSpaces();
  readonly #onMade = new Set<(space: Space) => void>();
  #alarm: Waiting | undefined;
  #isClosed = false;
  #keepsIdle = false;

  constructor(maker: SpaceMaker) {
    this.#maker = maker;
  }

  /** Takes other limits, for spaces that are made from now on. */
  set limits(limits: ReadLimits) {
    this.#maker = { ...this.#maker, limits };
  }

  get size(): number {
    return this.#spaces.size;
  }

  list(): readonly Space[] {
    return [...this.#spaces.values()];
  }

  find(id: string): HeldSpace | undefined {
    return this.#spaces.get(id);
  }

  get(id: string): HeldSpace {
    const space = this.#spaces.get(id);
    if (space !== undefined) return space;
    const end = this.#ended.find(id);
    const shown = JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}...` : id);
    throw new BacklotError(
      'not_found',
      end === undefined
        ? `there is no space ${shown}; POST /api/spaces makes one`
        : `the space ${shown} is gone: ${end}`,
    );
  }

  async create(given: NewSpace = {}): Promise<HeldSpace> {
    const problems = createValidator(NewSpaceSchema).check(given);
    const [first] = problems;
    if (first !== undefined) throw invalid(`space ${first.path}: ${first.message}`, problems);
    const { limits } = this.#maker;
    const { ttl: wanted } = given;
    const ttl = wanted === undefined ? limits.ttl : checkAt('/ttl', () => readTtl(wanted));
    const id = given.id ?? this.#newId();
    if (this.#spaces.has(id) || this.#coming.has(id))
      throw new BacklotError(
        'conflict',
        `the space "${id}" is there already; delete it first, or take another id`,
      );
    this.#coming.add(id);
    try {
      this.#makeRoom();
      const host = await this.#maker.make(id, given.seed);
      try {
        await host.wakeKinds(given.protocols ?? []);
        if (this.#isClosed) throw new BacklotError('not_enabled', 'the server stops');
      } catch (thrown) {
        await host.stop(0);
        throw thrown;
      }
      const space = new HeldSpace(id, host, ttl);
      this.#spaces.set(id, space);
      this.#ended.forget(id);
      this.#watch();
      for (const callback of this.#onMade) callback(space);
      return space;
    } finally {
      this.#coming.delete(id);
    }
  }

  onMade(callback: (space: Space) => void): () => void {
    this.#onMade.add(callback);
    return () => this.#onMade.delete(callback);
  }

  async remove(id: string): Promise<void> {
    await this.#end(this.get(id), 'it was deleted');
  }

  keepIdle(): void {
    this.#keepsIdle = true;
    this.#watch();
  }

  idle(): readonly string[] {
    const now = realElapsed();
    return [...this.#spaces.values()].filter(({ endsAt }) => endsAt <= now).map(({ id }) => id);
  }

  /** Ends all of them, for good. */
  async close(grace: number): Promise<void> {
    this.#isClosed = true;
    this.#alarm?.cancel();
    await Promise.all([
      ...this.#leaving,
      ...Array.from(this.#spaces.values(), (space) => this.#end(space, 'the server stopped', grace)),
    ]);
  }

  #newId(): string {
    for (;;) {
      const id = `s-${randomBytes(4).toString('hex')}`;
      if (!this.#spaces.has(id) && !this.#coming.has(id)) return id;
    }
  }

  /** Ends what was not used for longest where there are too many. */
  #makeRoom(): void {
    const { max } = this.#maker.limits;
    if (this.#spaces.size + this.#coming.size <= max) return;
    if (this.#keepsIdle)
      throw new BacklotError(
        'conflict',
        `there are ${max} spaces, which is as many as there may be; delete one, or raise "spaces.max"`,
      );
    let oldest: HeldSpace | undefined;
    for (const space of this.#spaces.values())
      if (oldest === undefined || space.usedAt < oldest.usedAt) oldest = space;
    if (oldest === undefined || realElapsed() - oldest.usedAt < IN_USE)
      throw new BacklotError(
        'conflict',
        `there are ${max} spaces, which is as many as there may be, and each was used within the last minute; delete one, or raise "spaces.max"`,
      );
    this.#endLater(oldest, `of ${max} spaces it was not used for longest, and ended for another one`);
  }

  /** Looks again when the next one may end. */
  #watch(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (this.#isClosed || this.#keepsIdle || this.#spaces.size === 0) return;
    let next = Infinity;
    for (const { endsAt } of this.#spaces.values()) next = Math.min(next, endsAt);
    this.#alarm = afterRealTime(Math.max(1, next - realElapsed()), () => {
      const now = realElapsed();
      for (const space of [...this.#spaces.values()])
        if (space.endsAt <= now) this.#endLater(space, `it was not used for its ttl of ${space.ttl} ms`);
      this.#watch();
    });
  }

  #endLater(space: HeldSpace, how: string): void {
    this.#end(space, how).catch((thrown: unknown) =>
      this.#maker.failed(`the space "${space.id}" could not be ended`, thrown),
    );
  }

  async #end(space: HeldSpace, how: string, grace = GRACE): Promise<void> {
    if (!this.#spaces.delete(space.id)) return;
    this.#ended.add(space.id, how);
    const leaving = space.end(grace).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    await leaving;
  }
}
