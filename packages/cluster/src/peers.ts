import { afterRealTime, type Waiting } from '@backlot/core/plugin';
import { performance } from 'node:perf_hooks';

/** For how long somebody who says nothing is taken to live, in milliseconds. */
export const LIVES_FOR = 2_500;
const MOST_OUTCOMES = 500;
/** Milliseconds after which it is looked who still lives. */
const LOOK_AGAIN = 100;

/** What a replica tells all others, twice a second and whenever it has made changes. */
export interface Told {
  readonly from: string;
  /** Tells apart processes of the same name; later ones are greater. */
  readonly session: string;
  /** The revision up to which it has made all changes. */
  readonly revision: number;
  readonly isReady: boolean;
  /** Where its management API is; absent until it listens. */
  readonly url?: string;
  /** The spaces that were not used for their time there. */
  readonly idle: readonly string[];
  /** The statuses of the newest changes, by revision. */
  readonly outcomes: readonly (readonly [revision: number, status: number])[];
  /** It leaves, and is not to be waited for. */
  readonly leaves?: true;
}

/** Another replica. */
export interface Peer extends Told {
  readonly heardAt: number;
}

/** The other replicas, as far as they tell of themselves. */
export class Peers {
  readonly #peers = new Map<string, Peer>();
  readonly #waiting = new Set<() => void>();

  /** Takes what another one has told. */
  hear(told: Told): void {
    const known = this.#peers.get(told.from);
    // An older process of the same name has nothing more to say.
    if (known !== undefined && known.session > told.session) return;
    if (told.leaves === true) this.#peers.delete(told.from);
    else this.#peers.set(told.from, { ...told, heardAt: performance.now() });
    for (const look of [...this.#waiting]) look();
  }

  /** Those that were heard of lately, by name. */
  live(): readonly Peer[] {
    const since = performance.now() - LIVES_FOR;
    for (const [name, { heardAt }] of this.#peers) if (heardAt < since) this.#peers.delete(name);
    return [...this.#peers.values()].sort((a, b) => (a.from < b.from ? -1 : 1));
  }

  /** Those that live and have not come to a revision. */
  behind(revision: number): readonly Peer[] {
    return this.live().filter((peer) => peer.revision < revision);
  }

  /**
   * Waits until all that live have come to a revision.
   *
   * @returns those that have not when the time, in milliseconds, is over; none when all have
   */
  async waitForAll(revision: number, time: number): Promise<readonly Peer[]> {
    if (this.behind(revision).length === 0) return [];
    return await new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        again.cancel();
        this.#waiting.delete(look);
        resolve(this.behind(revision));
      };
      const look = (): void => {
        if (this.behind(revision).length === 0) end();
      };
      // One that has died says nothing; it is missed when its time is over.
      const lookAgain = (): Waiting =>
        afterRealTime(LOOK_AGAIN, () => {
          again = lookAgain();
          look();
        });
      let again = lookAgain();
      const timer = afterRealTime(time, end);
      this.#waiting.add(look);
    });
  }
}

/** The statuses of the newest changes. */
export class Outcomes {
  readonly #statuses = new Map<number, number>();

  add(revision: number, status: number): void {
    this.#statuses.set(revision, status);
    if (this.#statuses.size <= MOST_OUTCOMES) return;
    const [oldest] = this.#statuses.keys();
    if (oldest !== undefined) this.#statuses.delete(oldest);
  }

  /** The newest, `most` at most. */
  newest(most: number): readonly (readonly [number, number])[] {
    return [...this.#statuses].slice(-most);
  }

  /** Which changes had another status elsewhere than here. */
  differing(
    told: Told,
  ): readonly { readonly revision: number; readonly here: number; readonly there: number }[] {
    return told.outcomes.flatMap(([revision, there]) => {
      const here = this.#statuses.get(revision);
      return here === undefined || here === there ? [] : [{ revision, here, there }];
    });
  }
}
