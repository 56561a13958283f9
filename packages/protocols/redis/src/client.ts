import type { Context, ExchangeFor } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { findCommand } from './commands/table.js';
import { Executor, type Step } from './executor.js';
import type { Hub } from './hub.js';
import { Session } from './session.js';
import type { RedisShape } from './shape.js';
import type { Args, Command } from './commands/command.js';
import { journalReply } from './wire/reply-text.js';
import { error } from './wire/reply.js';
import { ProtocolError, RequestParser } from './wire/request-parser.js';

/** Answers are sent when so much has gathered, or when all that was received has been answered. */
const FLUSH_AT = 64 * 1024;
/** Milliseconds without a byte after which the other end is asked whether it is still there, as Redis does. */
const KEEP_ALIVE = 300_000;
/** Bytes that are read ahead while an answer waits. */
const MOST_AHEAD = 64 * 1024;
/** What browsers, and people who trick them, send: a client of HTTP is not to reach the commands in its body. */
const HTTP_WORDS = new Set(['post', 'host:']);

/** One connection. Requests are answered in order: while an answer waits, what follows waits too. */
export class Client {
  readonly #connection: Connection;
  readonly #context: Context<RedisShape>;
  readonly #hub: Hub;
  readonly #parser: RequestParser;
  readonly #session: Session;
  readonly #executor: Executor;
  #out = '';
  #isInTurn = false;
  #isWaiting = false;
  #isClosing = false;
  /** Exchanges whose answers wait. */
  #pending: readonly ExchangeFor<RedisShape>[] = [];

  constructor(connection: Connection, context: Context<RedisShape>, hub: Hub) {
    this.#connection = connection;
    this.#context = context;
    this.#hub = hub;
    this.#session = new Session(hub, {
      remote: connection.remote,
      push: (text) => this.#push(text),
      close: () => {
        this.#isClosing = true;
      },
      cut: () => connection.destroy(),
    });
    this.#parser = new RequestParser({
      maxRequest: hub.settings.maxRequest,
      isTrusted: () => this.#session.isTrusted,
    });
    this.#executor = new Executor(context, this.#session);
  }

  /** Begins to read. */
  start(): void {
    const connection = this.#connection;
    connection.socket.setKeepAlive(true, KEEP_ALIVE);
    connection.onData((chunk) => {
      this.#parser.feed(chunk);
      // While an answer waits reading goes on, since a client that leaves is to be noticed; but not without end.
      if (!this.#isWaiting) this.#process();
      else if (this.#parser.buffered > MOST_AHEAD) connection.pause();
    });
    connection.onResume(() => this.#process());
    // As Redis has it there is no half-open client: who sends nothing more waits for nothing.
    connection.onEnd(() => {
      if (this.#isWaiting) connection.destroy();
    });
    connection.onClose(() => {
      this.#session.leave();
      for (const exchange of this.#pending) exchange.abort();
      this.#pending = [];
    });
  }

  #process(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    const connection = this.#connection;
    try {
      while (!this.#isWaiting && !connection.isPaused && !connection.isEnded) {
        const args = this.#parser.next();
        if (args === undefined) break;
        this.#take(args);
        if (this.#isClosing) break;
        if (this.#out.length >= FLUSH_AT) this.#flush();
      }
    } catch (thrown) {
      if (!(thrown instanceof ProtocolError)) throw thrown;
      this.#out += error(`ERR Protocol error: ${thrown.message}`);
      this.#isClosing = true;
    } finally {
      this.#isInTurn = false;
      this.#flush();
    }
    if (this.#isClosing) connection.end();
  }

  #flush(): void {
    if (this.#out === '') return;
    const text = this.#out;
    this.#out = '';
    this.#connection.write(text, 'latin1');
  }

  #push(text: string): void {
    if (this.#isInTurn) this.#out += text;
    else this.#connection.push(text, 'latin1');
  }

  #take(args: Args): void {
    const session = this.#session;
    this.#hub.requests += 1;
    const command = findCommand(args);
    if (command === undefined && HTTP_WORDS.has((args[0] ?? '').toLowerCase())) {
      this.#context.log.warn(`${session.remote} speaks HTTP to the Redis port; its connection was cut`);
      this.#connection.destroy();
      return;
    }
    session.lastCommand = command?.name ?? 'unknown';
    const mode = session.replies;
    const refusal = this.#executor.refuse(args, command);
    if (refusal !== undefined) this.#send(refusal, mode);
    else this.#run(args, command, mode);
  }

  #run(args: Args, command: Command | undefined, mode: Session['replies']): void {
    const step = this.#executor.begin(args, command);
    if (step.outcome instanceof Promise) {
      void this.#later([step], step.outcome, () => this.#settle(step, mode));
      return;
    }
    this.#settle(step, mode);
  }

  /** Carries out what has been decided. */
  #settle(step: Step, mode: Session['replies']): void {
    if (step.command?.name === 'exec' && this.#executor.opensTransaction(step)) {
      this.#runTransaction(step, mode);
      return;
    }
    const answer = this.#executor.answer(step);
    if (answer === undefined) return;
    if (typeof answer === 'string') {
      this.#finish(step, answer, mode);
      if (this.#hub.waiters.count > 0) this.#hub.waiters.serve();
      return;
    }
    const resume = this.#hold(step.exchange === undefined ? [] : [step.exchange]);
    // Isolated: it is called in the turn of the client that brings what this one waits for.
    const goOn = this.#connection.isolate((reply: string) => {
      this.#session.wait = undefined;
      this.#finish(step, reply, mode);
      resume();
    });
    this.#session.wait = this.#hub.waiters.wait(answer, goOn);
  }

  #runTransaction(exec: Step, mode: Session['replies']): void {
    const steps = this.#executor.beginTransaction();
    if (typeof steps === 'string') {
      this.#finish(exec, steps, mode);
      return;
    }
    exec.exchange?.served();
    const finish = (): void => {
      this.#finish(exec, this.#executor.endTransaction(steps), mode);
      if (this.#hub.waiters.count > 0) this.#hub.waiters.serve();
    };
    const waits = steps.map(({ outcome }) => outcome).filter((outcome) => outcome instanceof Promise);
    if (waits.length === 0) finish();
    else void this.#later([exec, ...steps], Promise.all(waits), finish);
  }

  /** Goes on when the outcomes of these steps are there. */
  async #later(steps: readonly Step[], outcomes: Promise<unknown>, goOn: () => void): Promise<void> {
    const resume = this.#hold(steps.flatMap(({ exchange }) => exchange ?? []));
    await outcomes;
    for (const step of steps) step.outcome = await step.outcome;
    this.#connection.isolate(() => {
      goOn();
      resume();
    })();
  }

  /** Reads no further until what it gives is called. */
  #hold(exchanges: readonly ExchangeFor<RedisShape>[]): () => void {
    const connection = this.#connection;
    this.#pending = exchanges;
    this.#isWaiting = true;
    connection.busy();
    return () => {
      // What `goOn` began to wait for in turn is still under way.
      if (this.#pending !== exchanges) {
        connection.idle();
        return;
      }
      this.#pending = [];
      this.#isWaiting = false;
      if (!this.#isInTurn) this.#flush();
      if (this.#isClosing && !this.#isInTurn) connection.end();
      // The requests behind it first: idle() ends a connection that is to stop.
      connection.resume();
      if (!this.#isInTurn) this.#process();
      connection.idle();
    };
  }

  #finish({ exchange }: Step, reply: string, mode: Session['replies']): void {
    this.#send(reply, mode);
    exchange?.done(journalReply(reply));
  }

  #send(reply: string, mode: Session['replies']): void {
    const session = this.#session;
    if (mode === 'on') this.#out += reply;
    else if (mode === 'skip' && session.replies === 'skip') session.replies = 'on';
    else if (session.replies === 'on') this.#out += reply;
  }
}
