import { runInSlices, type LiveMockOf, type OutcomeFor } from '@backlot/core/plugin';
import type { IndexedFile } from '../mock-index.js';
import { resolvePath } from '../files/path.js';
import { FtpMessage } from '../message.js';
import { ReplyError } from '../reply-error.js';
import { formatLongReply, joinLongReply, LONG_REPLY } from '../session/format-reply.js';
import type { CommandContext } from './command-context.js';
import type { FtpExchange, FtpShape } from '../shape.js';

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
}) => LastReply | Promise<LastReply | FtpFault>;

/** A fault that is answered in place of what was found. */
export type FtpFault = Extract<OutcomeFor<FtpShape>, { readonly type: 'fault' }>;

/**
 * Answers a command that files answer: faults and delays come first, and the journal shows it.
 *
 * @param findUsed - the file that the command uses: a fault counts it as well
 */
export async function answerExchange(
  session: CommandContext,
  verb: string,
  argument: string,
  answer: Answer,
  findUsed?: (path: string) => IndexedFile | undefined,
): Promise<void> {
  const { context } = session.services;
  const path = resolvePath(session.directory, argument);
  const message = new FtpMessage(verb, path, session.connection.remote, session.username);
  const exchange = context.receive(message);
  try {
    const outcome = await awaitDelay(session, exchange, exchange.resolve());
    if (outcome.type === 'fault') {
      const file = findUsed?.(path);
      if (file !== undefined)
        await awaitDelay(session, exchange, exchange.used(file as LiveMockOf<FtpShape>));
      return answerFault(session, exchange, outcome);
    }
    const answered = await answer({ exchange, message, path });
    if ('fault' in answered) return answerFault(session, exchange, answered);
    const { code, lines, body } = answered;
    exchange.answeredFromData();
    if (lines.length <= LONG_REPLY) {
      exchange.done({ status: code, body: body ?? lines.join('\n') });
      session.reply(code, ...lines);
      return;
    }
    const text = body ?? (await runInSlices(joinLongReply(lines)));
    const bytes = await runInSlices(formatLongReply(code, lines));
    exchange.done({ status: code, body: text });
    session.connection.write(bytes);
  } catch (error) {
    if (session.connection.isClosed) exchange.abort();
    else if (error instanceof ReplyError) exchange.done({ status: error.code, body: error.message });
    else exchange.done({ status: 451 });
    throw error;
  }
}

function answerFault(session: CommandContext, exchange: FtpExchange, { fault }: FtpFault): void {
  const { code = 421, message: text = 'fault injected' } = fault;
  exchange.done({ status: code, body: text });
  // The reply first: to some clients a data connection that is reset before it is all there is to tell.
  if (code === 421) return session.refuse(code, text);
  session.reply(code, text);
  session.closeChannel();
}

/**
 * Waits for what a delay holds back, or replicas that count together.
 *
 * @throws ReplyError 426 when the client leaves or sends ABOR meanwhile
 */
export async function awaitDelay<T>(
  session: CommandContext,
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
