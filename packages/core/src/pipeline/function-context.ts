import type { RespondClock, RespondContext, RespondState } from '../contract/respond.js';
import type { Random } from '../random/random.js';
import { NOTHING_FOUND, type Found } from '../collections/operation.js';
import { DataMatch } from './data-match.js';
import type { MockMatch } from './match.js';
import type { HostServices } from './runtime.js';

/** What the function of a mock is given beside the message. */
export class FunctionContext implements RespondContext {
  readonly mockId: string;
  readonly call: number;
  readonly #match: MockMatch;
  readonly #services: HostServices;
  #abort: AbortController | undefined;
  #hasLeft = false;
  readonly #leaving = new Set<() => void>();

  constructor(match: MockMatch, services: HostServices) {
    this.mockId = match.mock.id;
    this.call = match.call;
    this.#match = match;
    this.#services = services;
  }

  get state(): RespondState {
    return this.#services.state;
  }

  get clock(): RespondClock {
    const { clock } = this.#services;
    return { now: () => clock.now(), wait: (milliseconds) => this.#wait(milliseconds) };
  }

  get row(): unknown {
    return this.#found.row;
  }

  get rows(): readonly unknown[] | undefined {
    return this.#found.rows;
  }

  get collection(): RespondContext['collection'] {
    const { collections } = this.#services;
    return (name) => collections.get(name);
  }

  get random(): Random {
    return this.#match.scope.random();
  }

  get vars(): Readonly<Record<string, unknown>> {
    return this.#services.vars;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#hasLeft) this.#abort.abort();
    return this.#abort.signal;
  }

  get #found(): Found {
    return this.#match instanceof DataMatch ? this.#match.found : NOTHING_FOUND;
  }

  /** Nobody waits for the answer any more. */
  leave(): void {
    this.#hasLeft = true;
    this.#abort?.abort();
    for (const end of [...this.#leaving]) end();
  }

  #wait(milliseconds: number): Promise<boolean> {
    if (this.#hasLeft) return Promise.resolve(false);
    return new Promise((resolve) => {
      const finish = (hasArrived: boolean): void => {
        this.#leaving.delete(end);
        resolve(hasArrived);
      };
      const waiting = this.#services.clock.after(milliseconds, () => finish(true));
      const end = (): void => {
        waiting.cancel();
        finish(false);
      };
      this.#leaving.add(end);
    });
  }
}
