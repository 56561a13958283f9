import type { Context, ExchangeFor, OutcomeFor, Reply, Shape } from '@backlot/core/plugin';
import type { Connection } from './connection.js';
import type { Framer } from './framing/framer.js';
import type { FramingError } from './framing/framing-error.js';
import { PendingAnswers } from './pending-answers.js';
import { readFrames } from './read-frames.js';

/** An outcome that is answered: any but `aborted`. */
export type Answerable<S extends Shape> = Exclude<OutcomeFor<S>, { readonly type: 'aborted' }>;

/** How a protocol reads and answers the frames of a connection. */
export interface FrameHandlers<S extends Shape> {
  /**
   * Decodes a frame into a message, which is then matched; `undefined` for one that no mock answers: then nothing more
   * is done with it.
   */
  message(frame: Buffer): S['message'] | undefined;
  /**
   * Writes the answer to the connection. What it throws ends the connection.
   *
   * @returns the answer as the journal shows it; `undefined` shows none
   */
  answer(outcome: Answerable<S>, exchange: ExchangeFor<S>): Reply | undefined;
  /**
   * Called for bytes that cannot be a frame, to answer them and end the connection. Default: the connection ends
   * without an answer.
   */
  malformed?(error: FramingError): unknown;
}

/**
 * Reads a connection frame by frame and answers each frame: it is decoded, matched (an exchange per frame) and
 * answered. Answers leave in the order of frames: while one waits for its delay, the frames behind it wait too. When
 * the client leaves, the exchange that waits is aborted. A protocol of requests and answers needs no more than this.
 *
 * @param framer - cuts the bytes of this connection into frames; no other connection may use it
 */
export function answerFrames<S extends Shape>(
  connection: Connection,
  context: Context<S>,
  framer: Framer,
  handlers: FrameHandlers<S>,
): void {
  const pending = new PendingAnswers(connection);
  const answer = (exchange: ExchangeFor<S>, outcome: OutcomeFor<S>): void => {
    if (outcome.type === 'aborted') return;
    let reply: Reply | undefined;
    try {
      reply = handlers.answer(outcome, exchange);
    } finally {
      if (!exchange.ended) exchange.done(reply);
    }
  };
  const take = (frame: Buffer): void => {
    const message = handlers.message(frame);
    if (message === undefined) return;
    const exchange = context.receive(message);
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) pending.wait(outcome, (late) => answer(exchange, late), exchange);
    else answer(exchange, outcome);
  };
  readFrames(connection, framer, take, handlers.malformed?.bind(handlers));
}
