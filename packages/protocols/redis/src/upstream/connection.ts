import type { Context, Upstream } from '@backlot/core/plugin';
import { PendingAnswers, type Connection } from '@backlot/kit';
import { PairedLine, type LineAnswer } from '@backlot/kit/upstream';
import type { Args } from '../commands/command.js';
import { isLogin } from '../commands/connection.js';
import { findCommand } from '../commands/table.js';
import { faultLogin } from '../fault-login.js';
import { RedisMessage } from '../message.js';
import { readSettings } from '../settings.js';
import type { RedisShape } from '../shape.js';
import { bulks, error, type Resp } from '../wire/reply.js';
import { ProtocolError, RequestParser } from '../wire/request-parser.js';
import { fromWire } from '../wire/text.js';
import type { Relay } from './relay.js';
import { secretsIn, withoutSecrets } from './request-match.js';
import { RespScanner } from './resp-scanner.js';

/** Bytes that are read ahead while an answer waits. */
const MAX_AHEAD = 64 * 1024;
/** Commands after which answers are no longer one for each request: what comes is passed from then on as it comes. */
const SPLICES = /^(?:[ps]?subscribe|monitor|p?sync|client\|reply)$/;

const TRANSACTIONS = new Set(['multi', 'exec', 'discard', 'watch', 'unwatch']);
const MINUS = 0x2d;

/** A client whose commands go to an upstream, over a connection of its own: what it has set there holds for it alone. */
export class RelayedConnection {
  readonly #connection: Connection;
  readonly #context: Context<RedisShape>;
  readonly #relay: Relay;
  readonly #upstream: Upstream;
  readonly #parser: RequestParser;
  readonly #line: PairedLine;
  readonly #pending: PendingAnswers;
  #resp: Resp = 2;
  #database = 0;
  #isInTransaction = false;
  #isTaking = false;

  /** @param upstream - the node that it leads to */
  constructor(connection: Connection, context: Context<RedisShape>, relay: Relay, upstream: Upstream) {
    this.#upstream = upstream;
    this.#connection = connection;
    this.#context = context;
    this.#relay = relay;
    this.#parser = new RequestParser({
      maxRequest: readSettings(context.config).maxRequest,
      isTrusted: () => true,
    });
    const { authorities, desk } = relay;
    this.#line = new PairedLine(connection, upstream, authorities, desk.upstreamLog, new RespScanner());
    // Reading goes on while an answer waits: so a client that leaves is noticed.
    this.#pending = new PendingAnswers(connection, {
      pauses: false,
      onRoom: () => {
        connection.resume();
        this.#process();
      },
    });
    connection.onData((chunk) => {
      this.#parser.feed(chunk);
      if (!this.#pending.isFull) this.#process();
      else if (this.#parser.buffered > MAX_AHEAD) connection.pause();
    });
    connection.onResume(() => this.#process());
  }

  #process(): void {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      while (!this.#pending.isFull && !this.#connection.isPaused && !this.#connection.isEnded) {
        const args = this.#parser.next();
        if (args === undefined) return;
        this.#take(args);
      }
    } catch (thrown) {
      if (!(thrown instanceof ProtocolError)) throw thrown;
      this.#connection.end(error(`ERR Protocol error: ${thrown.message}`));
    } finally {
      this.#isTaking = false;
    }
  }

  #take(args: Args): void {
    const command = findCommand(args);
    const message = new RedisMessage(args, command, this.#connection.remote, this.#database);
    const exchange = this.#context.receive(message);
    const known = { args, command, message, secrets: secretsIn(args, command) };
    const bytes = bulks(args);
    const name = command?.name ?? '';
    if (this.#line.isSpliced || SPLICES.test(name)) {
      if (!this.#line.isSpliced)
        this.#relay.desk.tell(exchange, 'recorded', 'what comes on this connection is passed on as it comes');
      this.#line.splice();
      exchange.noteUpstream({ answered: true }, withoutSecrets(known));
      this.#line.send(bytes);
      exchange.done();
      return;
    }
    const isTransaction = this.#isInTransaction || TRANSACTIONS.has(name);
    const take = async (): Promise<void> => {
      const answer = await this.#relay.take({
        ...known,
        exchange,
        bytes,
        line: this.#line,
        resp: this.#resp,
        unrecorded: isTransaction
          ? 'it belongs to a transaction'
          : command?.isAlwaysAnswered === true || name.startsWith('cluster|')
            ? ''
            : undefined,
        isUpstreams: isTransaction,
        placeOf: (host, port) => this.#relay.placeOf(this.#connection, this.#upstream, host, port),
        refuse: () => this.#connection.reset(),
      });
      if (answer !== undefined) this.#follow(name, args, answer);
    };
    if (!isLogin(command, args)) {
      this.#pending.wait(take(), undefined, exchange);
      return;
    }
    faultLogin(
      this.#context,
      this.#connection,
      (refusal) => {
        if (refusal === undefined) this.#pending.wait(take(), undefined, exchange);
        else {
          exchange.noteUpstream({}, withoutSecrets(known));
          this.#connection.write(refusal, 'latin1');
          exchange.done({ status: fromWire(refusal).slice(1).split(' ', 1)[0] ?? '' });
        }
      },
      () => this.#pending.hold(exchange),
    );
  }

  /** Keeps what an answer means for those that follow. */
  #follow(name: string, args: Args, { bytes }: LineAnswer): void {
    const isError = bytes[0] === MINUS;
    if (name === 'multi' && !isError) this.#isInTransaction = true;
    else if (name === 'exec' || name === 'discard' || name === 'reset') this.#isInTransaction = false;
    if (isError) return;
    if (name === 'hello' && args[1] !== undefined) this.#resp = args[1] === '3' ? 3 : 2;
    else if (name === 'select') this.#database = Number(args[1] ?? 0);
    else if (name === 'reset') {
      this.#resp = 2;
      this.#database = 0;
    }
  }
}
