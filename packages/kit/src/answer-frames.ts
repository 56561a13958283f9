import type { Context, ExchangeFor, OutcomeFor, Reply, Shape } from '@backlot/core/plugin';
import type { Connection } from './connection.js';
import type { Framer } from './framing/framer.js';
import type { FramingError } from './framing/framing-error.js';
import { PendingAnswers } from './pending-answers.js';
import { readFrames } from './read-frames.js';

/** An outcome that is to be answered. */
export type Answerable<S extends Shape> = Exclude<OutcomeFor<S>, { readonly type: 'aborted' }>;

/** What a protocol says about the frames of a connection. */
export interface FrameHandlers<S extends Shape> {
  /** Reads a frame; what it gives is matched. `undefined` for one that is none of the kind's messages. */
  message(frame: Buffer): S['message'] | undefined;
  /**
   * Writes the answer. What it throws ends the connection.
   *
   * @returns what the journal says about it
   */
  answer(outcome: Answerable<S>, exchange: ExchangeFor<S>): Reply | undefined;
  /** Answers bytes that cannot be right. Default: the connection ends without an answer. */
  malformed?(error: FramingError): unknown;
}

/**
 * Answers the frames of a connection in order: each is matched and answered, and while an answer waits for its delay, what
 * follows waits too. All that a protocol of requests and answers needs.
 *
 * @param framer - a framer of this connection alone
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
