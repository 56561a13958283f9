/**
 * A message that a mock could answer, as a plain object that the protocol decoded. Matchers, templates and the
 * journal all read it, so that one decoding serves the three. It must not change after `context.receive`.
 */
export interface Message {
  /** The kind's own verb, as the journal shows it: `GET`, `PUBLISH`, `QUERY` ... */
  readonly method: string;
  /** The kind's own target, as the journal shows it: a path, a key, a topic, a name ... */
  readonly path: string;
  /** The peer as `address:port`. */
  readonly remote: string;
  /** Header names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Decoded query parameters. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** The payload: a text, or bytes (which the journal shows as text when they are UTF-8, else as base64). */
  readonly body?: string | Uint8Array;
  /**
   * What templates see as `request.<name>` beyond the common fields, own properties only. May be a getter, so
   * that what nobody reads is never made.
   */
  readonly extras?: Readonly<Record<string, unknown>>;
  /** Bytes that the message holds in memory beside `path` and `body`, for the journal's bound; 0 when absent. */
  readonly size?: number;
}

/** What was answered, for the journal. */
export interface Reply {
  readonly status?: number | string;
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: string | Uint8Array;
  /**
   * Bytes that the reply holds in memory. Given by a reply whose members are getters: they are read only when somebody
   * reads the entry, and make the same each time. It is handed to `done`, never to `started`.
   */
  readonly size?: number;
}
