import { afterRealTime, messageOf, realElapsed, type Waiting } from '@backlot/core/plugin';
import { LEASE, type CommandLog } from '../log.js';

/** How often the lease is taken again, in milliseconds. */
const RENEW = 1_000;
/** For how long it is certain that nobody else can have it, counted from before it was asked for: well before it ends. */
const SURE = LEASE - 1_000;

/** What a lease is kept by. */
export interface LeaseParts {
  readonly log: CommandLog;
  /** The process, among all. */
  readonly session: string;
  /** It is the home now. @param before - the process that was it before, itself included; undefined when there was none */
  readonly gained: (before: string | undefined) => void;
  /** It is the home no more. */
  readonly lost: (reason: string) => void;
}

/** Takes the lease of the home, and keeps it as long as the engine answers. Its own clock says how long it holds. */
export class LeaseKeeper {
  readonly #parts: LeaseParts;
  /** Until when it holds, by the clock of this process; undefined while this is not the home. */
  #until: number | undefined;
  #renewing: Waiting | undefined;
  #ending: Waiting | undefined;
  #isAsking = false;
  #isClosed = false;
  #reason = '';

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Whether this process is the home at this moment. One that was paused for too long learns of it here. */
  get holds(): boolean {
    if (this.#until === undefined) return false;
    if (realElapsed() < this.#until) return true;
    this.lose('');
    return false;
  }

  /** Tries to become the home. */
  async take(): Promise<void> {
    if (this.#isAsking || this.#isClosed || this.#until !== undefined) return;
    this.#isAsking = true;
    await this.#ask();
    this.#isAsking = false;
  }

  /** It is the home no more, if it was. @param reason - nothing when the engine has not answered */
  lose(reason: string): void {
    if (this.#until === undefined) return;
    this.#until = undefined;
    this.#renewing?.cancel();
    this.#ending?.cancel();
    this.#parts.lost(reason === '' ? this.#reason : reason);
  }

  /** Takes it no more; one that is held goes on for a while. */
  close(): void {
    this.#isClosed = true;
    this.#renewing?.cancel();
  }

  /** Gives back what is held, so that the next one need not wait. */
  async drop(): Promise<void> {
    const { log, session } = this.#parts;
    this.close();
    if (this.#until === undefined) return;
    this.lose('it stops');
    // When the engine does not answer, it ends by itself.
    await log.dropLease?.(session).catch(() => undefined);
  }

  async #ask(): Promise<void> {
    const { log, session } = this.#parts;
    const asked = realElapsed();
    this.#reason = `${log.engine} has not answered for ${SURE} ms`;
    try {
      const taken = await log.takeLease?.(session);
      if (taken === undefined) this.lose('another one has its lease');
      else if (!this.#isClosed) this.#hold(asked + SURE, taken.before);
    } catch (thrown) {
      this.#reason = `${log.engine} has not answered for ${SURE} ms: ${messageOf(thrown)}`;
    }
  }

  #hold(until: number, before: string | undefined): void {
    // An answer that comes so late says nothing.
    if (until <= realElapsed()) return;
    const isNew = this.#until === undefined;
    this.#until = Math.max(this.#until ?? 0, until);
    this.#ending?.cancel();
    this.#ending = afterRealTime(this.#until - realElapsed(), () => void this.holds);
    if (!isNew) return;
    this.#renewLater();
    this.#parts.gained(before);
  }

  #renewLater(): void {
    this.#renewing = afterRealTime(RENEW, () => {
      this.#renewLater();
      // One that the engine has not answered does not hold up the next one.
      void this.#ask();
    });
  }
}
