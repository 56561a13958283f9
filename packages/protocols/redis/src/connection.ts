import { messageOf, turns, type Context } from '@backlot/core/plugin';
import { type Connection, describeClient, enterSpace } from '@backlot/kit';
import type { Args, Command } from './commands/command.js';
import { isLogin, userOfLogin } from './commands/connection.js';
import { findCommand } from './commands/table.js';
import { isEncoded, isWork, type Work } from './commands/work.js';
import type { Blocking } from './data/waiters.js';
import { Executor, type Step } from './executor.js';
import { abortAll, exchangesOf } from './exchanges.js';
import { Holds } from './holds.js';
import { isHttp, KEEP_ALIVE, localAddressOf } from './other-end.js';
import type { ServerState } from './server-state.js';
import { faultLogin } from './fault-login.js';
import { Outlet } from './outlet.js';
import { Session } from './session.js';
import type { RedisShape } from './shape.js';
import type { Access } from './data-queue.js';
import { CommandError } from './wire/errors.js';
import { waitForKeys } from './wait-for-keys.js';
import type { Encoded } from './wire/long-reply.js';
import { journalReply } from './wire/reply-text.js';
import { error } from './wire/reply.js';
import { ProtocolError, RequestParser } from './wire/request-parser.js';

/** Bytes that are read ahead while an answer waits. */
const MAX_AHEAD = 64 * 1024;
/** So many quick commands are taken before somebody asks how long they took. */
const MAX_QUICK = 16;
/** Why work for a client that is gone goes on no further. */
const GONE = new Error('the client is gone');

type Mode = Session['replies'];

/** A client that has come to the port of another world. */
export interface Entering extends Pick<Session, 'resp' | 'name' | 'libraryName' | 'libraryVersion'> {
  /** The request that has named this world. */
  readonly login: Args;
  /** What was received behind it. */
  readonly unread: Buffer;
}

/** One connection. Requests are answered in order: while an answer waits, what follows waits too. */
export class RedisConnection {
  readonly #connection: Connection;
  readonly #context: Context<RedisShape>;
  readonly #server: ServerState;
  readonly #parser: RequestParser;
  readonly #session: Session;
  readonly #executor: Executor;
  readonly #outlet: Outlet;
  #isInTurn = false;
  /** How many quick commands were carried out one behind the other. */
  #quick = 0;
  readonly #holds: Holds;
  /** Whether requests that were received are still to be taken. */
  #isBehind = false;
  #isClosing = false;
  /** Gives up what is being read for it. */
  #giveUp: ((reason: Error) => void) | undefined;

  constructor(connection: Connection, context: Context<RedisShape>, server: ServerState) {
    this.#connection = connection;
    this.#context = context;
    this.#server = server;
    this.#holds = new Holds(connection, () => this.#process());
    this.#outlet = new Outlet(connection, server.unsent);
    this.#session = new Session(server, {
      remote: connection.remote,
      get local() {
        return localAddressOf(connection);
      },
      push: (message) => this.#outlet.push(message, this.#isInTurn),
      close: () => {
        this.#isClosing = true;
      },
      cut: () => connection.destroy(),
    });
    describeClient(connection, () => this.#session.describe());
    this.#parser = new RequestParser({
      maxRequest: server.settings.maxRequest,
      isTrusted: () => this.#session.isTrusted,
    });
    this.#executor = new Executor(context, this.#session);
  }

  /**
   * Serves a client that has come to the port of another world, as far as it has got there; its login, which has named this
   * one, is carried out here.
   */
  enter({ login, unread, ...known }: Entering): void {
    const session = this.#session;
    Object.assign(session, known);
    this.#parser.feed(unread);
    this.start();
    this.#isInTurn = true;
    this.#take(login);
    this.#isInTurn = false;
    this.#process();
  }

  /** Begins to read. */
  start(): void {
    const connection = this.#connection;
    connection.socket.setKeepAlive(true, KEEP_ALIVE);
    connection.onData((chunk) => {
      this.#parser.feed(chunk);
      // While an answer waits reading goes on, since a client that leaves is to be noticed; but not without end.
      if (this.#holds.isEmpty) this.#process();
      else if (this.#parser.buffered > MAX_AHEAD) connection.pause();
    });
    connection.onResume(() => this.#process());
    // As Redis has it there is no half-open client: who sends nothing more waits for nothing.
    connection.onEnd(() => {
      if (this.#holds.hasExchanges || this.#session.wait !== undefined) connection.destroy();
    });
    connection.onClose(() => {
      this.#outlet.close();
      this.#giveUp?.(GONE);
      this.#session.leave();
      this.#holds.abort();
    });
  }

  #process(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    let hasMore = true;
    try {
      hasMore = this.#takeAll();
    } catch (thrown) {
      if (!(thrown instanceof ProtocolError)) throw thrown;
      this.#outlet.answer(error(`ERR Protocol error: ${thrown.message}`));
      this.#isClosing = true;
    } finally {
      this.#isInTurn = false;
      this.#outlet.flush();
    }
    if (this.#isClosing && this.#holds.isEmpty && !this.#outlet.isStreaming) this.#connection.end();
    else if (hasMore !== this.#isBehind) this.#noteBehind(hasMore);
  }

  /** Takes requests until others have to be let in, or something has to be waited for; whether there may be more. */
  #takeAll(): boolean {
    const connection = this.#connection;
    const outlet = this.#outlet;
    while (this.#holds.isEmpty && !connection.isPaused && !connection.isEnded) {
      if (outlet.isStreaming) outlet.sendPart();
      else {
        const args = this.#isClosing ? undefined : this.#parser.next();
        if (args === undefined) return false;
        const quick = this.#quick;
        const { isLong } = this.#parser;
        // Looking at it as a whole takes a good part of the slice, which has to have begun for that to be seen.
        if (isLong) turns.sliceEnd();
        this.#take(args);
        outlet.flushFull();
        // Asking for the time costs as much as a tenth of such a command.
        if (!isLong && this.#quick > quick && quick < MAX_QUICK) continue;
      }
      this.#quick = 0;
      if (connection.yieldWhenLong(outlet.isStreaming || this.#parser.buffered > 0)) return true;
    }
    return true;
  }

  /** A connection that is to end as soon as it is idle first gets the answers to what it has sent. */
  #noteBehind(isBehind: boolean): void {
    this.#isBehind = isBehind;
    if (isBehind) this.#connection.busy();
    else this.#connection.idle();
  }

  #take(args: Args): void {
    const session = this.#session;
    this.#server.requests += 1;
    const command = findCommand(args);
    if (command === undefined && isHttp(args)) {
      this.#context.log.warn(`${session.remote} speaks HTTP to the Redis port; its connection was cut`);
      this.#connection.destroy();
      return;
    }
    if (this.#server.monitors.isOn && command !== undefined && session.isTrusted)
      this.#server.monitors.tell(session, args);
    session.lastCommand = command?.name ?? 'unknown';
    const mode = session.replies;
    const refusal = this.#executor.refuse(args, command);
    if (refusal !== undefined) this.#send(refusal, mode);
    else if (!isLogin(command, args)) this.#run(args, command, mode);
    else if (!this.#hasLeftFor(args, command)) this.#logIn(args, command, mode);
  }

  /** Hands the connection over when a login names a space. */
  #hasLeftFor(login: Args, command: Command | undefined): boolean {
    const user = userOfLogin(command, login);
    const door = user === undefined ? undefined : this.#context.spaces.ofLogin(user);
    if (door === undefined) return false;
    const { resp, name, libraryName, libraryVersion } = this.#session;
    const unread = this.#parser.takeRest();
    this.#outlet.flush();
    const known = { resp, name, libraryName, libraryVersion };
    void enterSpace(door, this.#connection, { login, unread, ...known } satisfies Entering);
    return true;
  }

  /** A login may be delayed and refused by a fault before anything else answers it. */
  #logIn(args: Args, command: Command | undefined, mode: Mode): void {
    const goOn = (refusal: string | undefined): void => {
      if (refusal === undefined) this.#run(args, command, mode);
      else this.#send(refusal, mode);
    };
    faultLogin(this.#context, this.#connection, goOn, () => {
      const resume = this.#holds.add([]);
      return () => {
        this.#outlet.flush();
        resume();
      };
    });
  }

  #run(args: Args, command: Command | undefined, mode: Mode): void {
    const step = this.#executor.begin(args, command);
    if (step.outcome instanceof Promise) void this.#later([step], () => this.#settle(step, mode));
    else this.#settle(step, mode);
  }

  /** Carries out what has been decided, when it is its turn. */
  #settle(step: Step, mode: Mode): void {
    const { dataQueue: line } = this.#server;
    if (line.isIdle) this.#carryOut(step, mode);
    else if (this.#isTurnedAway([step], mode)) return;
    else {
      const access = this.#executor.accessOf(step);
      // What is answered though a script runs for too long (WATCH) does not wait for its end.
      if (line.isOpenTo(access) || this.#server.scripting?.running?.isBusy === true)
        this.#carryOut(step, mode);
      else this.#wait(access, [step], mode, () => this.#carryOut(step, mode));
    }
  }

  #carryOut(step: Step, mode: Mode): void {
    if (step.command?.name === 'exec' && this.#executor.opensTransaction(step)) {
      this.#work(step, this.#beginTransaction(step, mode), mode, 'write');
      return;
    }
    const answer = this.#executor.answer(step);
    if (answer === undefined) return;
    if (typeof answer !== 'string' && isWork(answer)) {
      this.#work(step, this.#concludeAfter(step, answer, mode), mode, this.#executor.accessOf(step));
      return;
    }
    if (this.#executor.wasQuick(step)) this.#quick += 1;
    this.#conclude(step, answer, mode);
    if (this.#server.hasFollowing) this.#server.followUp();
  }

  /** Whether a script runs for so long that a command is refused, which has been answered then. */
  #isTurnedAway(steps: readonly [Step, ...Step[]], mode: Mode): boolean {
    const [first] = steps;
    const why = this.#server.scripting?.whyBusy(first.args, first.command);
    if (why === undefined) return false;
    const isExec = first.command?.name === 'exec';
    if (isExec) this.#session.endTransaction();
    abortAll(exchangesOf(steps.slice(1)));
    this.#finish(first, error(isExec ? `EXECABORT Transaction discarded because of: ${why}` : why), mode);
    this.#outlet.flush();
    return true;
  }

  /** Waits in line for the data. */
  #wait(access: Access, steps: readonly [Step, ...Step[]], mode: Mode, begin: () => void): void {
    const resume = this.#holds.add([]);
    const goOn = this.#connection.isolate(() => {
      if (this.#connection.isClosed) abortAll(exchangesOf(steps));
      else if (!this.#isTurnedAway(steps, mode)) begin();
      resume();
    });
    this.#server.dataQueue.wait(access, goOn);
  }

  /** Goes through work, which sends its answer itself; what does not fit into one slice goes on later. */
  #work(step: Step, work: Iterator<unknown, void>, mode: Mode, access: Access): void {
    const done = this.#server.dataQueue.run(work, access === 'write', (giveUp) => {
      // What is written is written to its end, whoever has left.
      if (access !== 'write') this.#giveUp = giveUp;
    });
    if (!(done instanceof Promise)) return;
    const resume = this.#holds.add([]);
    const end = this.#connection.isolate((thrown?: unknown) => {
      this.#giveUp = undefined;
      if (thrown === GONE) step.exchange?.abort();
      else if (thrown instanceof CommandError) this.#fail(step, thrown, mode);
      else if (thrown !== undefined) throw thrown instanceof Error ? thrown : new Error(messageOf(thrown));
      resume();
    });
    done.then(() => end(), end);
  }

  *#concludeAfter(step: Step, work: Work, mode: Mode): Generator<unknown, void> {
    this.#conclude(step, yield* work, mode);
    yield* this.#server.follow();
  }

  #conclude(step: Step, answer: Encoded | Blocking, mode: Mode): void {
    if (isEncoded(answer)) {
      this.#finish(step, answer, mode);
      return;
    }
    if (this.#connection.isClosed) {
      step.exchange?.abort();
      return;
    }
    const resume = this.#holds.add(exchangesOf([step]));
    // Isolated: it is called in the turn of the client that brings what this one waits for.
    const goOn = this.#connection.isolate((reply: Encoded) => {
      this.#finish(step, reply, mode);
      this.#outlet.flush();
      // What it has sent behind it comes in a turn of its own: others may be waiting for that, and so on.
      turns.wait(this.#connection.isolate(resume));
    });
    waitForKeys(this.#session, step, answer, goOn);
  }

  *#beginTransaction(exec: Step, mode: Mode): Generator<unknown, void> {
    const steps = yield* this.#executor.beginTransaction();
    if (typeof steps === 'string') {
      this.#finish(exec, steps, mode);
      return;
    }
    exec.exchange?.answeredFromData();
    if (!steps.some(({ outcome }) => outcome instanceof Promise)) {
      yield* this.#endTransaction(exec, steps, mode);
      return;
    }
    const all = [exec, ...steps] as const;
    const carryOut = (): void => this.#work(exec, this.#endTransaction(exec, steps, mode), mode, 'write');
    void this.#later(all, () => {
      if (this.#server.dataQueue.isOpenTo('write')) carryOut();
      else this.#wait('write', all, mode, carryOut);
    });
  }

  *#endTransaction(exec: Step, steps: readonly Step[], mode: Mode): Generator<unknown, void> {
    this.#finish(exec, yield* this.#executor.endTransaction(steps), mode);
    yield* this.#server.follow();
  }

  /** Goes on when the outcomes of these steps are there. */
  async #later(steps: readonly Step[], goOn: () => void): Promise<void> {
    const resume = this.#holds.add(exchangesOf(steps));
    for (const step of steps) if (step.outcome instanceof Promise) step.outcome = await step.outcome;
    this.#connection.isolate(() => {
      goOn();
      resume();
    })();
  }

  /** Work was given up half done. */
  #fail(step: Step, { message }: CommandError, mode: Mode): void {
    if (step.command?.name === 'exec') this.#session.endTransaction();
    this.#finish(step, error(message), mode);
  }

  #finish({ exchange }: Step, reply: Encoded, mode: Mode): void {
    this.#send(reply, mode);
    exchange?.done(journalReply(reply));
  }

  #send(reply: Encoded, mode: Mode): void {
    const session = this.#session;
    if (mode === 'skip' && session.replies === 'skip') session.replies = 'on';
    else if (mode === 'on' || session.replies === 'on') this.#outlet.answer(reply);
  }
}
