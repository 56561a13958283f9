import type { Connection } from '@backlot/kit';
import {
  HttpAnswer,
  makeHeaders,
  type AnswerHeaders,
  type AnswerStream,
  type Replier,
} from '@backlot/kit/http';
import type { Framing } from './framing.js';

/** How often something is written while there is nothing to say, in ms. */
const BEAT = 12_000;

/** Writes results within limits: nobody waits for a reader that does not read. */
export type ResultWriter = Pick<AnswerStream, 'write' | 'push' | 'isChoked' | 'whenDrained' | 'forget'>;

/** The way by which the results of one operation go to the client, one after another. */
export interface ResultChannel {
  readonly framing: Framing;
  /** Whether the way ends with the request, and not with another one that was there before. */
  readonly isOwn: boolean;
  /** Status and headers with which the client is told that results come. */
  readonly head: HttpAnswer;
  /** Tells the client that results come. */
  open(): ResultWriter;
  /** Says that no more come. */
  end(): void;
  /** Calls back once when the client is told no more, or has left. */
  onClose(listener: (isGone: boolean) => void): void;
}

/** The answer to the request itself. */
export class OwnChannel implements ResultChannel {
  readonly isOwn = true;
  readonly framing: Framing;
  readonly head: HttpAnswer;
  readonly #reply: Pick<Replier, 'stream' | 'onClose'>;
  readonly #connection: Connection;
  #stream: AnswerStream | undefined;

  /** @param further - headers beside those of the content */
  constructor(
    reply: Pick<Replier, 'stream' | 'onClose'>,
    connection: Connection,
    framing: Framing,
    further: Readonly<Record<string, string>> = {},
  ) {
    this.#reply = reply;
    this.#connection = connection;
    this.framing = framing;
    const headers: AnswerHeaders = Object.assign(makeHeaders(), further);
    headers['Content-Type'] = framing.type;
    headers['Cache-Control'] = 'no-cache';
    this.head = new HttpAnswer(200, headers);
  }

  open(): AnswerStream {
    const stream = this.#reply.stream(this.head);
    this.#stream = stream;
    stream.write(this.framing.opening);
    const { beat } = this.framing;
    if (beat !== '') {
      const beating = this.#connection.every(BEAT, () => stream.write(beat));
      this.#reply.onClose(() => beating.cancel());
    }
    return stream;
  }

  end(): void {
    this.#stream?.write(this.framing.ending);
    this.#stream?.end();
  }

  onClose(listener: (isGone: boolean) => void): void {
    this.#reply.onClose(() => listener(true));
  }
}
