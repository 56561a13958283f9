import { createHash } from 'node:crypto';
import type { CountedMock, SharedCounts } from '@backlot/core';
import { messageOf } from '@backlot/core/plugin';
import type { Command } from '@backlot/management';
import type { CommandLog, CountPlace } from './log.js';
import { ENDS_KEPT, ENDS, worldOf } from './world-book.js';

/** What counts are kept of. */
export interface CountsParts {
  readonly log: CommandLog;
  /** Of the first entry of the log. */
  readonly founding: string;
  /** The change that is being made, or was made last. */
  readonly revision: () => number;
  /** Why this replica does not count any more; undefined while it does. */
  readonly obstacle: () => string | undefined;
}

interface Asking {
  readonly resolve: (number: number | undefined) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Counts that nobody needs any more: those of a world that began before a change. */
interface Ended {
  readonly world: string;
  readonly before: number;
  readonly at: number;
}

/**
 * The matches that all replicas count together, in the engine. Those that come while the engine is asked for one mock are counted by the
 * next question together.
 */
export class Counts implements SharedCounts {
  readonly #parts: CountsParts;
  readonly #asking = new Map<string, Asking[]>();
  #ended: Ended[] = [];

  constructor(parts: CountsParts) {
    this.#parts = parts;
  }

  get revision(): number {
    return this.#parts.revision();
  }

  async read(mock: CountedMock): Promise<number> {
    return (await this.#add(this.#placeOf(mock), 0, mock.limit)).before;
  }

  #placeOf({ space = '', kind, id, since }: CountedMock): CountPlace {
    return { world: this.#hashOf(space), since, name: this.#hashOf(`${kind} ${id}`) };
  }

  count(mock: CountedMock): Promise<number | undefined> {
    const { limit } = mock;
    const place = this.#placeOf(mock);
    const key = Object.values(place).join('.');
    return new Promise((resolve, reject) => {
      const waiting = this.#asking.get(key);
      if (waiting !== undefined) {
        waiting.push({ resolve, reject });
        return;
      }
      const asking = [{ resolve, reject }];
      this.#asking.set(key, asking);
      void this.#ask(key, place, limit, asking);
    });
  }

  async #ask(key: string, place: CountPlace, limit: number, asking: Asking[]): Promise<void> {
    while (asking.length > 0) {
      const batch = asking.splice(0);
      try {
        const { before, after } = await this.#add(place, batch.length, limit);
        for (const [index, { resolve }] of batch.entries()) {
          const number = before + index + 1;
          resolve(number <= after ? number : undefined);
        }
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
    }
    this.#asking.delete(key);
  }

  async #add(place: CountPlace, by: number, limit: number): Promise<{ before: number; after: number }> {
    const { log, obstacle } = this.#parts;
    const reason = obstacle();
    if (reason !== undefined) throw new Error(reason);
    if (!log.isReached) throw new Error(`${log.engine}, which counts for all replicas, is not reached`);
    try {
      return await log.count(place, by, limit);
    } catch (thrown) {
      throw new Error(`${log.engine} has not counted: ${messageOf(thrown)}`, { cause: thrown });
    }
  }

  /**
   * Notes a change that was made.
   *
   * @returns removes from the engine what even a replica that was cut off does not need any more; undefined when there is nothing
   */
  note(command: Command, revision: number, at: number): (() => Promise<void>) | undefined {
    if (command.route === 'reset' || command.route === ENDS)
      this.#ended.push({ world: this.#hashOf(worldOf(command)), before: revision, at });
    const old = this.#ended.filter((each) => each.at < at - ENDS_KEPT);
    if (old.length === 0) return undefined;
    this.#ended = this.#ended.filter((each) => each.at >= at - ENDS_KEPT);
    return async () => {
      for (const { world, before } of old) await this.#parts.log.forgetCounts(world, before);
    };
  }

  /** Names of engines have few letters. Another cluster that has taken the name of this one counts elsewhere. */
  #hashOf(text: string): string {
    return createHash('sha256').update(`${this.#parts.founding} ${text}`).digest('hex').slice(0, 32);
  }
}
