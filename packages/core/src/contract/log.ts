/**
 * Writes lines for the person who runs the server, each about one kind. Messages of clients are not logged: the journal
 * has them.
 */
export interface Log {
  info(text: string): void;
  warn(text: string): void;
  /**
   * Logs an exception that was caught. `GET /api/protocols` counts such lines as the kind's `exceptions`.
   *
   * @param thrown - what was thrown; its message is added to the text
   */
  error(text: string, thrown?: unknown): void;
}
