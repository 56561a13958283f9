import type { Clock } from '@backlot/core/plugin';
import { toMilliseconds } from './dates.js';

/** More ids than this are forgotten before their time, oldest first. */
const MOST = 100_000;

/** The ids of messages by which a second one is known (header `Nats-Msg-Id`), as long as the window is. */
export class Duplicates {
  readonly #clock: Clock;
  readonly #ids = new Map<string, { readonly sequence: number; readonly time: number }>();
  last = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param window - nanoseconds */
  find(id: string, window: number): number | undefined {
    this.#forget(window);
    return this.#ids.get(id)?.sequence;
  }

  add(id: string, sequence: number): void {
    this.last = id;
    this.#ids.delete(id);
    this.#ids.set(id, { sequence, time: this.#clock.now() });
  }

  save(): readonly (readonly [string, number, number])[] {
    return Array.from(this.#ids, ([id, { sequence, time }]) => [id, sequence, time] as const);
  }

  /** Puts back what was saved, in steps, where there is nothing yet. */
  *restore(saved: ReturnType<Duplicates['save']>): Generator<undefined, void> {
    for (const [id, sequence, time] of saved) {
      this.#ids.set(id, { sequence, time });
      yield;
    }
    this.last = saved.at(-1)?.[0] ?? '';
  }

  #forget(window: number): void {
    const oldest = this.#clock.now() - toMilliseconds(window);
    for (const [id, { time }] of this.#ids) {
      if (time > oldest && this.#ids.size <= MOST) return;
      this.#ids.delete(id);
    }
  }
}
