import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Connection } from '@backlot/kit';

/** Headers of an answer; names in lower case. */
export type AnswerHeaders = Record<string, string | readonly string[]>;

/** One HTTP request and its answer, in the version of HTTP in which it came. */
export interface Carrier {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The body, as far as it has been read. */
  readonly body: Readable;
  readonly connection: Connection;
  /** Whether messages can go in both directions at the same time, as in HTTP/2. */
  readonly isDuplex: boolean;
  /** Whether the client has left: then the end of the body is not the end of what it wanted to send. */
  readonly hasLeft: boolean;
  /** Begins the answer. */
  respond(status: number, headers: AnswerHeaders): void;
  /** Sends a part of the body. @param sent - called once it was handed to the connection */
  write(bytes: Buffer, sent?: () => void): void;
  /** Ends the answer; what the client still sends is read and thrown away. */
  end(bytes?: Buffer): void;
  /** Gives the answer up, so that the client sees that it is not whole. */
  reset(): void;
  /** Calls back when the client leaves before the answer was ended. */
  onLeave(listener: () => void): void;
}
