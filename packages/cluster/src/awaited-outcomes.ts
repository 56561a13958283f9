import type { RouteAnswer } from '@backlot/core/plugin';

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
      const timer = setTimeout(() => this.forget(id), time);
      this.#awaited.set(id, (done) => {
        clearTimeout(timer);
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
