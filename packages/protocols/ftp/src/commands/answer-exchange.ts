import { resolvePath } from '../files/path.js';
import { FtpMessage } from '../ftp-message.js';
import { ReplyError } from '../reply-error.js';
import type { Session } from '../session/session.js';
import type { FtpExchange } from '../shape.js';

/** The last reply to a command. */
export interface LastReply {
  readonly code: number;
  readonly lines: readonly string[];
  /** What was sent over a data connection, for the journal. */
  readonly body?: string | Uint8Array;
}

/** What answers a command that files answer. */
export type Answer = (given: {
  readonly exchange: FtpExchange;
  readonly message: FtpMessage;
  /** The file or directory that is meant, from the root. */
  readonly path: string;
}) => LastReply | Promise<LastReply>;

/** Answers a command that files answer: faults and delays come first, and the journal shows it. */
export async function answerExchange(
  session: Session,
  verb: string,
  argument: string,
  answer: Answer,
): Promise<void> {
  const { context } = session.services;
  const path = resolvePath(session.directory, argument);
  const message = new FtpMessage(verb, path, session.connection.remote, session.username);
  const exchange = context.receive(message);
  try {
    const outcome = await awaitDelay(session, exchange, exchange.resolve());
    if (outcome.type === 'fault') {
      const { code = 421, message: text = 'fault injected' } = outcome.fault;
      session.closeChannel();
      exchange.done({ status: code, body: text });
      return code === 421 ? session.refuse(code, text) : session.reply(code, text);
    }
    const { code, lines, body } = await answer({ exchange, message, path });
    exchange.done({ status: code, body: body ?? lines.join('\n') });
    session.reply(code, ...lines);
  } catch (error) {
    if (session.connection.isClosed) exchange.abort();
    else if (error instanceof ReplyError) exchange.done({ status: error.code, body: error.message });
    else exchange.done({ status: 451 });
    throw error;
  }
}

/**
 * Waits for what a delay holds back.
 *
 * @throws ReplyError 426 when the client leaves or sends ABOR meanwhile
 */
export async function awaitDelay<T>(
  session: Session,
  exchange: FtpExchange,
  held: T | Promise<T>,
): Promise<T> {
  if (!(held instanceof Promise)) return held;
  session.delayed = exchange;
  const value = await held;
  session.delayed = undefined;
  if (exchange.ended) throw new ReplyError(426, 'aborted before the transfer');
  return value;
}
