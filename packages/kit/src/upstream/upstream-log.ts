import { messageOf, type Upstream } from '@backlot/core/plugin';

/** Says in the log when an upstream fails, and not again before it has worked or fails otherwise. */
export class UpstreamLog {
  readonly #upstream: Upstream;
  readonly #warn: (text: string) => void;
  #last: string | undefined;

  constructor(upstream: Upstream, warn: (text: string) => void) {
    this.#upstream = upstream;
    this.#warn = warn;
  }

  worked(): void {
    this.#last = undefined;
  }

  failed(thrown: unknown): void {
    const text = describeFailure(thrown);
    if (text === this.#last) return;
    this.#last = text;
    this.#warn(`the upstream ${this.#upstream.url} cannot be reached: ${text}`);
  }
}

/** What went wrong with an upstream; of several addresses that were tried, what went wrong with each. */
export function describeFailure(thrown: unknown): string {
  // What node throws when every address of a name failed has no message of its own.
  if (thrown instanceof AggregateError) return [...new Set(thrown.errors.map(messageOf))].join('; ');
  return messageOf(thrown);
}
