import { afterRealTime, type RouteAnswer } from '@backlot/core/plugin';

/** What became of a command on this replica. */
export type Outcome = { readonly answer: RouteAnswer } | { readonly error: unknown };

/** An outcome with its place in the order. */
export interface Done {
  readonly revision: number;
  readonly outcome: Outcome;
}

/** Who waits for the outcomes of commands, by their ids. */
export class AwaitedOutcomes {
  readonly #awaited = new Map<string, (done: Done | undefined) => void>();

  /** Waits for a command. @returns undefined when it has not come after so many milliseconds, or is not waited for any more */
  add(id: string, time: number): Promise<Done | undefined> {
    return new Promise((resolve) => {
      // Those who are waited for are on other machines, which know nothing of a virtual time.
      const timer = afterRealTime(time, () => this.forget(id));
      this.#awaited.set(id, (done) => {
        timer.cancel();
        this.#awaited.delete(id);
        resolve(done);
      });
    });
  }

  resolve(id: string, done: Done): void {
    this.#awaited.get(id)?.(done);
  }

  forget(id: string): void {
    this.#awaited.get(id)?.(undefined);
  }
}
