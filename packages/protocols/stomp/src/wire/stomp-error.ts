/** Something that a client did wrong, or a fault: it is answered with an ERROR frame, and the connection ends. */
export class StompError extends Error {
  /** The body of the ERROR frame; the message itself when there is nothing to add. */
  readonly detail: string;
  /** Further headers of the ERROR frame. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, detail = message, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'StompError';
    this.detail = detail;
    this.headers = headers;
  }
}

/** A value as messages show it: quoted, and not longer than a line. */
export function show(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}...` : value);
}
