import { messageOf, type Context, type ExchangeFor, type OutcomeFor } from '@backlot/core/plugin';
import type { Answer, Args, Command } from './commands/command.js';
import { checkCount, findCommand, hasRightCount } from './commands/table.js';
import { RedisMessage } from './redis-message.js';
import type { Session } from './session.js';
import type { RedisShape } from './shape.js';
import { CommandError, ERRORS, unknownCommand, wrongArity } from './wire/errors.js';
import { array, error, nilArray, QUEUED } from './wire/reply.js';
import { journalReply } from './wire/reply-text.js';
import { toWire } from './wire/text.js';

type Outcome = OutcomeFor<RedisShape>;

/** Replies that say that there is nothing, or that something is wrong. */
const MISS = /^(?:-|_|[$*]-1)/;
/** What a queued argument takes in memory beside its bytes. */
const ARG_BYTES = 32;

/** A request on its way. */
export interface Step {
  readonly args: Args;
  readonly command: Command | undefined;
  /** Absent for what the server answers by itself: handshake and probing. */
  readonly exchange: ExchangeFor<RedisShape> | undefined;
  outcome: Outcome | Promise<Outcome> | undefined;
}

/** Commands that are carried out inside of a transaction at once. */
const AT_ONCE = new Set(['exec', 'discard', 'multi', 'watch', 'quit', 'reset']);

/** Decides who answers a request: a fault, a mock, the data, or nobody. */
export class Executor {
  readonly #context: Context<RedisShape>;
  readonly #session: Session;
  readonly #isStateful: boolean;

  constructor(context: Context<RedisShape>, session: Session) {
    this.#context = context;
    this.#session = session;
    this.#isStateful = session.hub.settings.isStateful;
  }

  /** The answer to a request that does not come to be carried out now: it is refused, or queued. */
  refuse(args: Args, command: Command | undefined): string | undefined {
    const session = this.#session;
    const flags = command?.flags ?? '';
    if (!session.isTrusted && !flags.includes('u')) return error(ERRORS.noAuth);
    if (session.subscriptionCount > 0 && session.resp === 2 && !flags.includes('s')) {
      const name = (command?.name ?? args[0] ?? '').toLowerCase();
      return error(
        `ERR Can't execute '${name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
      );
    }
    if (session.queue === undefined || AT_ONCE.has(command?.name ?? '')) return undefined;
    return this.#enqueue(args, command, session.queue);
  }

  /** Hands a request to the host, unless the server answers it by itself. */
  begin(args: Args, command: Command | undefined): Step {
    const { remote, database } = this.#session;
    const isOwn = command?.isAlwaysAnswered === true;
    if (isOwn && this.#context.mocks.index.isEmpty)
      return { args, command, exchange: undefined, outcome: undefined };
    const message = new RedisMessage(args, command, remote, database.index);
    if (isOwn && !this.#context.mocks.matches(message))
      return { args, command, exchange: undefined, outcome: undefined };
    const exchange = this.#context.receive(message);
    return { args, command, exchange, outcome: exchange.resolve() };
  }

  /** The answer to a request, once its outcome is there; `undefined` when its client has left. */
  answer({ args, command, exchange, outcome }: Step): Answer | undefined {
    if (exchange === undefined) return this.#execute(args, command);
    const decided = outcome as Outcome;
    switch (decided.type) {
      case 'matched':
        try {
          return decided.mock.compiled.reply(decided, this.#session.resp);
        } catch (thrown) {
          return error(toWire(`ERR mock "${decided.mock.id}" failed: ${messageOf(thrown)}`));
        }
      case 'fault':
        return error(toWire(decided.fault.error ?? ''));
      case 'left':
        return undefined;
      default:
        return this.#isStateful
          ? this.#serve(exchange, args, command)
          : error(describeUnmatched(exchange.message));
    }
  }

  /** Whether an EXEC is for the queue of this connection, and not answered by a mock or a fault. */
  opensTransaction({ outcome }: Step): boolean {
    return this.#session.queue !== undefined && (outcome as Outcome).type === 'unmatched';
  }

  /** Hands the queued requests to the host; or gives the answer to EXEC when none is carried out. */
  beginTransaction(): Step[] | string {
    const session = this.#session;
    const { queue = [], isQueueBroken, resp } = session;
    const isDirty = session.hasChangedKeys();
    if (isQueueBroken || isDirty) {
      session.endTransaction();
      return isQueueBroken ? error(ERRORS.aborted) : nilArray(resp);
    }
    return queue.map((args) => this.begin(args, findCommand(args)));
  }

  /** Carries the queued requests out, all at once, and gives the answer to EXEC. */
  endTransaction(steps: readonly Step[]): string {
    const session = this.#session;
    const isDirty = session.hasChangedKeys();
    session.endTransaction();
    const answers = steps.map((step) => {
      const answer = isDirty ? nilArray(session.resp) : this.answer(step);
      // Nothing waits inside of a transaction.
      const reply = typeof answer === 'object' ? (answer.inTransaction ?? answer.nothing) : (answer ?? '');
      step.exchange?.done(journalReply(reply));
      return reply;
    });
    return isDirty ? nilArray(session.resp) : array(answers);
  }

  #enqueue(args: Args, command: Command | undefined, queue: Args[]): string {
    const session = this.#session;
    const message = new RedisMessage(args, command, session.remote, session.database.index);
    const problem = this.#context.mocks.matches(message) ? undefined : whyNotQueued(args, command);
    if (problem !== undefined) {
      session.isQueueBroken = true;
      return error(problem);
    }
    for (const arg of args) session.queueBytes += arg.length + ARG_BYTES;
    if (session.queueBytes > session.hub.settings.maxRequest) {
      session.isQueueBroken = true;
      queue.length = 0;
      return error('ERR the transaction is larger than max_request_bytes');
    }
    queue.push(args);
    return QUEUED;
  }

  /** Lets the data answer. Where there is none, a mock may be what was missed. */
  #serve(exchange: ExchangeFor<RedisShape>, args: Args, command: Command | undefined): Answer {
    const answer = this.#execute(args, command);
    if (typeof answer !== 'string' || !MISS.test(answer)) exchange.served();
    return answer;
  }

  #execute(args: Args, command: Command | undefined): Answer {
    const session = this.#session;
    if (command === undefined) return error(unknownCommand(args));
    try {
      checkCount(command, args);
      const { store, settings } = session.hub;
      if (
        store.used > settings.maxMemory &&
        command.flags.includes('m') &&
        store.isFull(settings.maxMemory)
      ) {
        return error(ERRORS.memory);
      }
      return command.run(args, session);
    } catch (thrown) {
      if (thrown instanceof CommandError) return error(thrown.message);
      throw thrown;
    }
  }
}

function whyNotQueued(args: Args, command: Command | undefined): string | undefined {
  if (command === undefined) return unknownCommand(args);
  const { flags, name } = command;
  if (!hasRightCount(command, args)) return wrongArity(name);
  return flags.includes('n') ? 'ERR Command not allowed inside a transaction' : undefined;
}

function describeUnmatched({ method, path }: RedisMessage): string {
  return toWire(`ERR no mock matched for ${method}${path === '' ? '' : ` ${path}`}`);
}
