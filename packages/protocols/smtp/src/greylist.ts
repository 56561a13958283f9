import { parseDuration, type Context } from '@backlot/core/plugin';
import type { Reply } from './reply.js';
import type { SmtpShape } from './shape.js';

/** More combinations are not remembered: the oldest is forgotten, and deferred anew. */
const MOST = 10_000;

/** When combinations of client, sender and recipient came first: who comes back later is no spammer, who rarely do. */
export class Greylist {
  readonly #context: Context<SmtpShape>;
  readonly #first = new Map<string, number>();

  constructor(context: Context<SmtpShape>) {
    this.#context = context;
    context.faults.onChange(() => {
      if (context.faults.current?.greylist === undefined) this.#first.clear();
    });
  }

  /**
   * What defers a recipient; `undefined` when it is taken, as it is while no fault says otherwise.
   *
   * @param address - the client's, without its port
   */
  refusal(address: string, from: string, to: string): Reply | undefined {
    const wait = this.#context.faults.current?.greylist;
    if (wait === undefined) return undefined;
    const key = JSON.stringify([address, from.toLowerCase(), to.toLowerCase()]);
    const now = this.#context.clock.now();
    const since = this.#first.get(key) ?? now;
    if (since === now) this.#remember(key, now);
    const left = since + parseDuration(wait) - now;
    if (left <= 0) return undefined;
    return { code: 451, text: `4.7.1 Greylisted, try again in ${Math.ceil(left / 1000)} seconds` };
  }

  #remember(key: string, now: number): void {
    if (this.#first.has(key)) return;
    const [oldest] = this.#first.keys();
    if (this.#first.size >= MOST && oldest !== undefined) this.#first.delete(oldest);
    this.#first.set(key, now);
  }
}
