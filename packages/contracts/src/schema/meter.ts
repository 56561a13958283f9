/** What the check of one message may cost, in units of 10 to 50 nanoseconds: below 50 milliseconds on one core. */
const MOST_COST = 1_000_000;

/** Thrown on the way when a check costs more than it may. */
export class TooCostly extends Error {}

/** Counts what the check of one message costs. What it counts is the same each time, whatever else the machine does. */
export class Meter {
  #left = MOST_COST;

  /** Begins with another message. */
  restart(): void {
    this.#left = MOST_COST;
  }

  /** @throws TooCostly */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new TooCostly();
  }
}
