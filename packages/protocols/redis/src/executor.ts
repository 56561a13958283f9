import { messageOf, type Context, type ExchangeFor, type OutcomeFor } from '@backlot/core/plugin';
import { changedRefusalOf, denialOf, refusalOf } from './acl/access.js';
import type { Args, Command } from './commands/command.js';
import { isEncoded, isWork, type Answer, type Work } from './commands/work.js';
import { checkCount, checkSlots, findCommand, hasRightCount } from './commands/table.js';
import { noteRead } from './commands/reads.js';
import type { Blocking } from './data/waiters.js';
import { RedisMessage } from './message.js';
import type { Session } from './session.js';
import type { RedisShape } from './shape.js';
import type { Access } from './data-queue.js';
import { CommandError, ERRORS, unknownCommand, wrongArity } from './wire/errors.js';
import { joinReplies, weightOf, type Encoded } from './wire/long-reply.js';
import { error, nilArray, QUEUED } from './wire/reply.js';
import { journalReply } from './wire/reply-text.js';
import { toWire } from './wire/text.js';

type Outcome = OutcomeFor<RedisShape>;

/** Replies that say that there is nothing, or that something is wrong. */
const MISS = /^(?:-|_|[$*]-1)/;
/** What a queued argument takes in memory beside its bytes, and a queued command beside its arguments. */
const ARG_BYTES = 32;
const COMMAND_BYTES = 128;
/** Most commands of a transaction. */
const MAX_QUEUED = 262_144;

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

/** Commands by which clients find the nodes of a cluster. */
const OF_CLUSTER = /^(?:cluster\||readonly$|readwrite$|asking$)/;

/** Decides who answers a request: a fault, a mock, the data, or nobody. */
export class Executor {
  readonly #context: Context<RedisShape>;
  /** Of the context, which is an object of so many parts that finding one takes as long as a step of the pipeline. */
  readonly #receive: Context<RedisShape>['receive'];
  readonly #session: Session;
  readonly #isStateful: boolean;
  /** Whether it is the one node of a cluster without data, which a cluster client has to be told of. */
  readonly #tellsCluster: boolean;

  constructor(context: Context<RedisShape>, session: Session) {
    this.#context = context;
    this.#receive = context.receive.bind(context);
    this.#session = session;
    const { isStateful, isCluster } = session.server.settings;
    this.#isStateful = isStateful;
    this.#tellsCluster = isCluster && !isStateful;
  }

  /** The answer to a request that does not come to be carried out now: it is refused, or queued. */
  refuse(args: Args, command: Command | undefined): string | undefined {
    const session = this.#session;
    const flags = command?.flags ?? '';
    if (!session.isTrusted && !flags.includes('u')) return error(ERRORS.noAuth);
    if (session.subscriptions.size > 0 && session.resp === 2 && !flags.includes('s')) {
      const name = (command?.name ?? args[0] ?? '').toLowerCase();
      return error(
        `ERR Can't execute '${name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
      );
    }
    if (!session.account.isUnlimited && command !== undefined && hasRightCount(command, args)) {
      const refusal = refuseByRules(session, command, args);
      if (refusal !== undefined) return refusal;
    }
    if (session.queue === undefined || AT_ONCE.has(command?.name ?? '')) return undefined;
    return this.#enqueue(args, command, session.queue);
  }

  /** Hands a request to the host, unless the server answers it by itself. */
  begin(args: Args, command: Command | undefined): Step {
    const { remote, database } = this.#session;
    const isOwn = this.#isOwn(command);
    if (isOwn && this.#context.mocks.index.isEmpty && this.#context.faults.current === undefined)
      return { args, command, exchange: undefined, outcome: undefined };
    const message = new RedisMessage(args, command, remote, database.index);
    if (isOwn && !this.#context.mocks.matches(message) && !this.#context.faults.isNamed(message))
      return { args, command, exchange: undefined, outcome: undefined };
    const exchange = this.#receive(message);
    return { args, command, exchange, outcome: exchange.resolve() };
  }

  /** Whether the server answers a command by itself, where no mock does. */
  #isOwn(command: Command | undefined): boolean {
    if (command === undefined) return false;
    return command.isAlwaysAnswered || (this.#tellsCluster && OF_CLUSTER.test(command.name));
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
      case 'aborted':
        return undefined;
      default:
        // What the server answers by itself comes here when a fault names it and lets it pass.
        return this.#isStateful || this.#isOwn(command)
          ? this.#serve(exchange, args, command)
          : error(describeUnmatched(exchange.message));
    }
  }

  /** What carrying out a request does to the data. */
  accessOf({ args, command, exchange, outcome }: Step): Access {
    // What is no command, or has too few arguments, is told so at once.
    if (command === undefined || !hasRightCount(command, args)) return 'none';
    if (exchange !== undefined && (!this.#isStateful || (outcome as Outcome).type !== 'unmatched'))
      return 'none';
    return command.access;
  }

  /** Whether a request has taken no more than some microseconds: what a mock answers may take longer. */
  wasQuick({ command, outcome }: Step): boolean {
    return command?.isQuick === true && (outcome as Outcome).type === 'unmatched';
  }

  /** Whether an EXEC is for the queue of this connection, and not answered by a mock or a fault. */
  opensTransaction({ outcome }: Step): boolean {
    return this.#session.queue !== undefined && (outcome as Outcome).type === 'unmatched';
  }

  /** Hands the queued requests to the host; or gives the answer to EXEC when none is carried out. */
  *beginTransaction(): Generator<undefined, Step[] | string> {
    const session = this.#session;
    const { queue = [], isQueueBroken, resp } = session;
    const isDirty = session.hasChangedKeys();
    if (isQueueBroken || isDirty) {
      session.endTransaction();
      return isQueueBroken ? error(ERRORS.aborted) : nilArray(resp);
    }
    const steps: Step[] = [];
    for (const args of queue) {
      steps.push(this.begin(args, findCommand(args)));
      yield;
    }
    return steps;
  }

  /** Carries the queued requests out, all in one turn at the data, and gives the answer to EXEC. */
  *endTransaction(steps: readonly Step[]): Generator<unknown, Encoded> {
    const session = this.#session;
    const isDirty = session.hasChangedKeys();
    session.endTransaction();
    const { maxMemory } = session.server.settings;
    // CLIENT CACHING holds for the whole transaction.
    if (session.tracking !== undefined) session.tracking.holdsCaching = true;
    const replies: Encoded[] = [];
    let held = 0;
    for (const step of steps) {
      const given = isDirty
        ? nilArray(session.resp)
        : (changedRefusal(session, step) ?? this.answer(step) ?? '');
      const answer = isWork(given) ? yield* given : given;
      // Nothing waits inside of a transaction.
      const made = isEncoded(answer) ? answer : (answer.inTransaction ?? answer.nothing);
      held += weightOf(made);
      const reply = held > maxMemory ? error(ERRORS.memory) : made;
      step.exchange?.done(journalReply(reply));
      replies.push(reply);
      yield;
    }
    if (session.tracking !== undefined) {
      session.tracking.holdsCaching = false;
      session.tracking.caching = undefined;
    }
    return isDirty ? nilArray(session.resp) : joinReplies(`*${replies.length}\r\n`, replies);
  }

  #enqueue(args: Args, command: Command | undefined, queue: Args[]): string {
    const session = this.#session;
    const message = new RedisMessage(args, command, session.remote, session.database.index);
    const { scripting } = session.server;
    const problem =
      (this.#context.mocks.matches(message) ? undefined : whyNotQueued(args, command)) ??
      scripting?.whyBusy(args, command);
    if (problem !== undefined) {
      session.isQueueBroken = true;
      return error(problem);
    }
    session.queueBytes += COMMAND_BYTES;
    for (const arg of args) session.queueBytes += arg.length + ARG_BYTES;
    const isTooLarge = session.queueBytes > session.server.settings.maxRequest;
    if (isTooLarge || queue.length >= MAX_QUEUED) {
      session.isQueueBroken = true;
      queue.length = 0;
      return error(
        isTooLarge
          ? 'ERR the transaction is larger than max_request_bytes'
          : `ERR the transaction has more than ${MAX_QUEUED} commands`,
      );
    }
    queue.push(args);
    return QUEUED;
  }

  /** Lets the data answer. Where there is none, a mock may be what was missed. */
  #serve(exchange: ExchangeFor<RedisShape>, args: Args, command: Command | undefined): Answer {
    const answer = this.#execute(args, command);
    if (isWork(answer)) return serveLater(exchange, answer);
    if (typeof answer !== 'string' || !MISS.test(answer)) exchange.answeredFromData();
    return answer;
  }

  #execute(args: Args, command: Command | undefined): Answer {
    const session = this.#session;
    if (command === undefined) return error(unknownCommand(args));
    try {
      checkCount(command, args);
      const { store, settings } = session.server;
      if (store.used > settings.maxMemory && command.flags.includes('m')) {
        return store.hasExpired ? guard(this.#sweepFirst(args, command)) : error(ERRORS.memory);
      }
      session.server.tellBegin(session, command, args);
      const answer =
        settings.isCluster && command.access !== 'none'
          ? inCluster(command, args, session)
          : command.run(args, session);
      if (session.tracking !== undefined) tracked(session, command, args);
      if (!isWork(answer)) return answer;
      // Most work is done within its first step.
      const step = answer.next();
      return step.done === true ? step.value : guard(answer);
    } catch (thrown) {
      if (thrown instanceof CommandError) return error(thrown.message);
      throw thrown;
    }
  }

  /** Carries a command out if there is room for more once what has expired is gone. */
  *#sweepFirst(args: Args, command: Command): Generator<unknown, Encoded | Blocking> {
    const { store, settings } = this.#session.server;
    yield* store.sweep();
    if (store.used > settings.maxMemory) return error(ERRORS.memory);
    const answer = command.run(args, this.#session);
    return isWork(answer) ? yield* answer : answer;
  }
}

/** The error of a command that its user may not carry out. */
function refuseByRules(session: Session, command: Command, args: Args): string | undefined {
  try {
    const context = session.queue === undefined ? 'toplevel' : 'multi';
    const refused = denialOf(session, command, args, context);
    if (refused === undefined) return undefined;
    const text = refusalOf(refused);
    if (session.queue === undefined) return error(text);
    session.isQueueBroken = true;
    if (command.name !== 'exec') return error(text);
    session.endTransaction();
    return error(`EXECABORT Transaction discarded because of: ${text}`);
  } catch (thrown) {
    if (thrown instanceof CommandError) return error(thrown.message);
    throw thrown;
  }
}

/** The error of a command of a transaction that its user may not carry out any more. */
function changedRefusal(session: Session, { command, args }: Step): string | undefined {
  if (session.account.isUnlimited || command === undefined) return undefined;
  const refused = denialOf(session, command, args, 'multi');
  return refused && error(changedRefusalOf(refused));
}

/** A client that tracks has carried a command out. */
function tracked(session: Session, command: Command, args: Args): void {
  const { server, tracking, queue } = session;
  if (tracking === undefined) return;
  if (command.access !== 'none') noteRead(server, command, args);
  if (!tracking.holdsCaching && queue === undefined && !command.name.startsWith('client|'))
    tracking.caching = undefined;
}

/** Carries a command out whose keys must be in one slot. */
function* inCluster(command: Command, args: Args, session: Session): Generator<unknown, Encoded | Blocking> {
  yield* checkSlots(command, args);
  const answer = command.run(args, session);
  return isWork(answer) ? yield* answer : answer;
}

/** Work whose failure is an answer. */
function* guard(work: Work): Generator<unknown, Encoded | Blocking> {
  try {
    return yield* work;
  } catch (thrown) {
    if (thrown instanceof CommandError) return error(thrown.message);
    throw thrown;
  }
}

function* serveLater(exchange: ExchangeFor<RedisShape>, work: Work): Generator<unknown, Encoded | Blocking> {
  const answer = yield* work;
  if (typeof answer !== 'string' || !MISS.test(answer)) exchange.answeredFromData();
  return answer;
}

function whyNotQueued(args: Args, command: Command | undefined): string | undefined {
  if (command === undefined) return unknownCommand(args);
  const { flags, name } = command;
  if (!hasRightCount(command, args)) return wrongArity(name);
  return flags.includes('n') ? 'ERR Command not allowed inside a transaction' : undefined;
}

function describeUnmatched({ method, path }: RedisMessage): string {
  const command = path === '' ? method : `${method} ${path}`;
  return toWire(`ERR no mock matched for ${command} (mode stateful would keep data)`);
}
