/** A wait that was started. */
export interface Waiting {
  /** Ends it without calling back; does nothing when it has called back already. */
  cancel(): void;
}

/** Virtual time: delays, expiry, dates. Real time plus an offset until somebody drives it by hand. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /**
   * Calls back once when so many milliseconds of virtual time have passed; also for 0 not before this method has
   * returned.
   */
  after(milliseconds: number, callback: () => void): Waiting;
}

/** A clock that gives dates cheaply to what has taken a real reading already. */
export interface StampingClock extends Clock {
  /**
   * The date at a moment of real time that has just been.
   *
   * @param elapsed - milliseconds, as {@link realElapsed} gives them
   */
  dateAt(elapsed: number): number;
}

/** The state of a clock, as `GET /api/clock` answers it. */
export interface ClockView {
  /** RFC 3339 UTC with milliseconds. */
  readonly now: string;
  readonly frozen: boolean;
  /** Milliseconds that virtual time is ahead of real time. */
  readonly offset_ms: number;
}

/** A clock that can be driven by hand. */
export interface ControlledClock extends Clock {
  view(): ClockView;
  /**
   * Moves time forward. Waits that become due call back in the order of their time, each at its own time, and what
   * they start in turn is waited for too; resolves when time has arrived.
   */
  advance(milliseconds: number): Promise<void>;
  /** Stops the time or lets it go on. While it is frozen only `advance` and `setNow` move it. */
  freeze(frozen: boolean): void;
  /**
   * Sets the time. A later time is reached as by {@link advance}; an earlier one changes dates, and waits go on as they
   * were.
   */
  setNow(epochMilliseconds: number): Promise<void>;
  /**
   * Takes real time to be behind by so many milliseconds, for a host that does again what was done earlier. When it was further behind
   * before, the time between passes at once, as by {@link advance}; 0 is real time again.
   */
  followFrom(behind: number): Promise<void>;
}
