import type { MatchChanges, SharedChanges } from '@backlot/core';
import { isBacklotError, realElapsed } from '@backlot/core/plugin';
import type { Command, Submission, Submitted } from '@backlot/management';

/** The name of the commands by which matches change something; no route has it. */
export const MATCH = '(match)';

/** What matches are made with. */
export interface MatchChangesParts {
  /** Up to where this replica has come. */
  readonly revision: () => number;
  readonly submit: (command: Command, how: Submission) => Promise<Submitted>;
  /** Resolves when those who live have come to a revision, or the time is over. */
  readonly confirmed: (revision: number, time: number) => Promise<void>;
  /** How long a match may wait, in milliseconds. */
  readonly patience: number;
}

/**
 * What matches change, as commands in the order of all. A match is found at a revision, and what it changes is made when nothing else has
 * changed its world since; otherwise it is found anew. One of each world is under way at a time, so that those of one replica do not hinder
 * each other.
 */
export class ReplicatedMatches implements SharedChanges {
  readonly #parts: MatchChangesParts;
  /** The last that was asked for, by space. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(parts: MatchChangesParts) {
    this.#parts = parts;
  }

  async make(space: string | undefined, decide: () => MatchChanges | undefined): Promise<void> {
    const key = space ?? '';
    const until = realElapsed() + this.#parts.patience;
    const before = this.#last.get(key) ?? Promise.resolve();
    const own = before.then(
      () => this.#makeNow(space, decide, until),
      () => this.#makeNow(space, decide, until),
    );
    this.#last.set(key, own);
    try {
      const revision = await own;
      if (revision !== undefined) await this.#parts.confirmed(revision, Math.max(0, until - realElapsed()));
    } finally {
      if (this.#last.get(key) === own) this.#last.delete(key);
    }
  }

  /** @returns the revision of what was made; undefined when there was nothing to make */
  async #makeNow(
    space: string | undefined,
    decide: () => MatchChanges | undefined,
    until: number,
  ): Promise<number | undefined> {
    const { revision, submit, patience } = this.#parts;
    do {
      const expect = revision();
      const changes = decide();
      if (changes === undefined) return undefined;
      const command: Command = {
        ...{ route: MATCH, params: {}, query: {}, body: changes, expect },
        ...(space === undefined ? {} : { space }),
      };
      try {
        return (await submit(command, { consistency: 'local' })).revision;
      } catch (thrown) {
        // Something was changed meanwhile: the match is found anew.
        if (!isBacklotError(thrown) || thrown.code !== 'precondition_failed') throw thrown;
      }
    } while (realElapsed() < until);
    throw new Error(`others were first for ${patience} ms`);
  }
}

/** The parts of what all have in common that a match changes, as one text; undefined when that cannot be told by names. */
export function placesOf({
  counts = [],
  state = [],
  sequences = [],
  rows,
  answers,
}: MatchChanges): string | undefined {
  if (rows !== undefined || answers !== undefined) return undefined;
  const names = [
    ...counts.map(([kind, id, since]) => ['c', kind, id, since]),
    ...state.map(([key]) => ['s', key]),
    ...sequences.map(([name]) => ['q', name]),
  ];
  return JSON.stringify(names);
}

/** Whether a match changes nothing that stays: what it only pushes is over when all have pushed it. */
export function isPassing({ pushes, ...rest }: MatchChanges): boolean {
  return pushes !== undefined && Object.keys(rest).length === 0;
}
