/**
 * A message that a mock could answer, decoded by the protocol into a plain object. Matchers, templates and the journal
 * read the same object. What it says must not change after `context.receive`.
 */
export interface Message {
  /** The kind's own verb, as the journal shows it: `GET`, `PUBLISH`, `QUERY` ... */
  readonly method: string;
  /** The kind's own target, as the journal shows it: a path, a key, a topic, a name ... */
  readonly path: string;
  /** The sender as `address:port`. */
  readonly remote: string;
  /** The headers, with names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The query parameters, decoded. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** The payload: a text, or bytes (which the journal shows as text when they are UTF-8, else as base64). */
  readonly body?: string | Uint8Array;
  /** The length of `body`, of a message that cuts it out when it is asked for: nobody need ask for it to weigh the message. */
  readonly bodyLength?: number;
  /** The media type of the body, where no header `content-type` has it. */
  readonly contentType?: string | undefined;
  /**
   * Further values that templates see as `request.<name>`; only own properties count. It may be a getter, which is
   * called when a template reads one of them.
   */
  readonly extras?: Readonly<Record<string, unknown>>;
  /**
   * How many bytes the message holds in memory beside `path` and `body`; the journal's limit counts them. 0 when
   * absent.
   */
  readonly size?: number;
}

/** What was answered, as the journal shows it. */
export interface Reply {
  readonly status?: number | string;
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: string | Uint8Array;
  /**
   * How many bytes the reply holds in memory. Only a reply whose other members are getters gives it: they are then
   * called when somebody reads the entry, and must give equal values each time. Such a reply is for `done`, not for
   * `started`.
   */
  readonly size?: number;
}
