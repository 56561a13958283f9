/** Lines about a kind for the person who runs the server; never for traffic, which the journal has. */
export interface Log {
  info(text: string): void;
  warn(text: string): void;
  /** For an exception that was caught; counted and shown as the kind's `error`. */
  error(text: string, thrown?: unknown): void;
}
