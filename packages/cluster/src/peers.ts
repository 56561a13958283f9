import { afterRealTime, type Waiting, realElapsed } from '@backlot/core/plugin';

/** For how long somebody who says nothing is taken to live, in milliseconds. */
export const LIVES_FOR = 2_500;
const MOST_OUTCOMES = 500;
/** For how long one that is not heard of any more, and has not said that it leaves, is asked for what it has, in milliseconds. */
export const MISSED_FOR = 60_000;
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
  /** The statuses of the newest changes, by revision: after a change that one, twice a second more. */
  readonly outcomes: readonly (readonly [revision: number, status: number])[];
  /** The number of those that it has told; it hears itself as well, and knows by that what it has heard before. */
  readonly count: number;
  /** Whether it is the home of what clients store. */
  readonly isHome?: true;
  /** Where it takes connections that others hand over, at the host of its url. */
  readonly handOverPort?: number;
  /** It leaves, and is not to be waited for. */
  readonly leaves?: true;
}

/** Another replica. */
export interface Peer extends Told {
  readonly heardAt: number;
}

/** Another replica that may have something to tell. */
export interface KnownPeer extends Peer {
  /** Whether it was not heard of lately: it has died, or is cut off from the engine. */
  readonly isMissed: boolean;
}

/** The other replicas, as far as they tell of themselves. */
export class Peers {
  readonly #peers = new Map<string, Peer>();
  readonly #missed = new Map<string, Peer>();
  readonly #waiting = new Set<() => void>();
  readonly #followers = new Set<() => void>();

  /** Takes what another one has told. @returns whether it was not known, or is another process than was known */
  hear(told: Told): boolean {
    const known = this.#peers.get(told.from) ?? this.#missed.get(told.from);
    // An older process of the same name has nothing more to say.
    if (known !== undefined && known.session > told.session) return false;
    const isNew = !this.#peers.has(told.from) || known?.session !== told.session;
    this.#missed.delete(told.from);
    if (told.leaves === true) this.#peers.delete(told.from);
    else this.#peers.set(told.from, { ...told, heardAt: realElapsed() });
    for (const look of [...this.#waiting]) look();
    if (isNew || told.leaves === true) this.#tellFollowers();
    return isNew && told.leaves !== true;
  }

  /** Those that may have something to tell, by name: those that live, and those that are missed. */
  known(): readonly KnownPeer[] {
    const live = this.live().map((peer) => ({ ...peer, isMissed: false }));
    const since = realElapsed() - MISSED_FOR;
    for (const [name, { heardAt }] of this.#missed) if (heardAt < since) this.#missed.delete(name);
    const missed = Array.from(this.#missed.values(), (peer) => ({ ...peer, isMissed: true }));
    return [...live, ...missed].sort((a, b) => (a.from < b.from ? -1 : 1));
  }

  /** One that is missed is gone for good. */
  lose(name: string): void {
    if (this.#missed.delete(name)) this.#tellFollowers();
  }

  /** Calls back when others come, go and are missed. @returns ends it */
  onChange(callback: () => void): () => void {
    this.#followers.add(callback);
    return () => this.#followers.delete(callback);
  }

  #tellFollowers(): void {
    for (const callback of [...this.#followers]) callback();
  }

  /** Those that were heard of lately, by name. */
  live(): readonly Peer[] {
    const since = realElapsed() - LIVES_FOR;
    let isMissed = false;
    for (const [name, peer] of this.#peers) {
      if (peer.heardAt >= since) continue;
      this.#peers.delete(name);
      this.#missed.set(name, peer);
      isMissed = true;
    }
    if (isMissed) this.#tellFollowers();
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
  /** The same, the newest last. */
  readonly #newest: (readonly [number, number])[] = [];

  add(revision: number, status: number): void {
    this.#statuses.set(revision, status);
    this.#newest.push([revision, status]);
    if (this.#newest.length <= MOST_OUTCOMES) return;
    const [oldest] = this.#newest.shift() ?? [];
    if (oldest !== undefined) this.#statuses.delete(oldest);
  }

  /** The newest, `most` at most. */
  newest(most: number): readonly (readonly [number, number])[] {
    return this.#newest.slice(-most);
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
