/** A millisecond in which messages were captured; all of them share it. */
export interface CaptureMoment {
  /** RFC 3339 in UTC, with milliseconds. */
  readonly timestamp: string;
  newId(): string;
}

/**
 * When messages were captured, for kinds whose captures are made when they are read. Messages come many to the
 * millisecond, and to write a date costs as much as the rest of a message's way.
 */
export class CaptureMoments {
  readonly #newId: () => string;
  #millisecond = Number.NaN;
  #moment: CaptureMoment | undefined;

  /** @param newId - the context's */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** @param time - milliseconds since 1970, such as an exchange's `startedAt` */
  at(time: number): CaptureMoment {
    const millisecond = Math.floor(time);
    if (this.#moment === undefined || millisecond !== this.#millisecond) {
      this.#millisecond = millisecond;
      this.#moment = { timestamp: new Date(millisecond).toISOString(), newId: this.#newId };
    }
    return this.#moment;
  }
}
