/** A millisecond in which messages were captured, shared by all of them. */
export interface CaptureMoment {
  /** RFC 3339 in UTC, with milliseconds. */
  readonly timestamp: string;
  newId(): string;
}

/**
 * Gives captured messages their time, for kinds that make the shown form when it is read. Messages of the same
 * millisecond share one object, since writing a date costs as much as everything else that is done with a message.
 */
export class CaptureMoments {
  readonly #newId: () => string;
  #millisecond = Number.NaN;
  #moment: CaptureMoment | undefined;

  /** @param newId - `newId` of the plugin's context */
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
