import type { TObject, ValueOf } from './shape.js';
import type { Passage } from './passage.js';
import type { CaptureView } from './views.js';

/** What is attached to a captured message. */
export interface Attachment {
  /** The name it was sent with; empty when it has none. */
  readonly filename: string;
  /** The media type it was sent with, such as `application/pdf`. */
  readonly contentType: string;
  /** The decoded content. */
  readonly content: Uint8Array;
}

/** What is attached to a long message, a piece at a time. */
export interface PiecedAttachment {
  readonly filename: string;
  readonly contentType: string;
  /** The bytes of the decoded content. */
  readonly length: number;
  /** The decoded content in pieces, none of which takes long to make. */
  pieces(): Iterator<Uint8Array | undefined, void>;
}

/** The messages that a kind captures: stores, so that people can read them. */
export interface CaptureDeclaration<Capture extends TObject> {
  /** The schema of a captured message as it is shown; it has an `id`. */
  readonly schema: Capture;
  /** The path of the routes; `/api/<kind>/messages` when absent. */
  readonly path?: string;
  /** How many messages are stored, 10,000 when absent; the oldest are dropped beyond that. */
  readonly limit?: number;
  /** The kind's own configuration key that sets another `limit`. */
  readonly limitKey?: string;
  /**
   * How many bytes they may hold together, as told to `context.captures.add`; 256 MiB when absent. A single message may
   * hold more.
   */
  readonly bytes?: number;
  /** The kind's own configuration key that sets another number of `bytes`. */
  readonly bytesKey?: string;
  /** The field that says when a message came, in RFC 3339; `timestamp` when absent. */
  readonly timeField?: string;
  /**
   * What each message is, for kinds that show such messages to clients of their own: a name on which the plugins of both
   * agree, such as one of kit. The stored messages then have `given`, see {@link LazyCapture}.
   */
  readonly gives?: string;
  /**
   * How one stored message passes to another process, for messages that are part of what clients store, such as the mail that another kind shows:
   * as snapshots do. Others stay in the process that took them in.
   */
  readonly passes?: Passage<unknown>;
  /** How a page shows the messages; as a plain list when absent. */
  readonly view?: CaptureView;
  /**
   * Decodes what is attached to a message. Given by kinds whose messages have a field `attachments`, a list in the same
   * order.
   *
   * @param message - the message as it is shown
   * @param index - the place in that list, from 0 on
   * @returns undefined when there is no such attachment; a promise when the message is long
   */
  attachment?(
    message: ValueOf<Capture>,
    index: number,
  ): Attachment | undefined | Promise<Attachment | undefined>;
}
