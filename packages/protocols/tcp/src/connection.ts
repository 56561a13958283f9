import type { Context, ExchangeFor, MatchOf, OutcomeFor, Reply, ValueOf } from '@backlot/core/plugin';
import { PendingAnswers, type Connection } from '@backlot/kit';
import { changeState, type ConnectionState } from './connection-state.js';
import type { CompiledResponse } from './matcher.js';
import type { Frames } from './frames.js';
import { MAX_MESSAGE, type Framing, type Take } from './framing.js';
import { noHandler } from './nest-framer.js';
import { faultPayload } from './payload.js';
import type { FaultSchema } from './schemas.js';
import type { TcpShape } from './shape.js';
import { TcpMessage } from './message.js';

type TcpExchange = ExchangeFor<TcpShape>;
type TcpOutcome = OutcomeFor<TcpShape>;

/**
 * One connection. Its messages are answered one after the other: while an answer waits for its delay, or for a client
 * that does not read, what follows waits too.
 */
export class TcpConnection {
  readonly #connection: Connection;
  readonly #context: Context<TcpShape>;
  readonly #path: string;
  readonly #frames: Frames | undefined;
  readonly #framing: Framing;
  readonly #pending: PendingAnswers;
  #state: ConnectionState | undefined;
  #isHeld = false;
  #hasEnded = false;
  #isFinished = false;

  constructor(
    connection: Connection,
    context: Context<TcpShape>,
    { port, frames }: { readonly port: number; readonly frames: Frames | undefined },
    makeFraming: (take: Take) => Framing,
  ) {
    this.#connection = connection;
    this.#context = context;
    this.#path = `:${port}`;
    this.#frames = frames;
    this.#framing = makeFraming((message) => this.#takeMessage(message));
    connection.onData((chunk) => {
      this.#framing.push(chunk);
      this.#settle();
    });
    connection.onEnd(() => {
      this.#hasEnded = true;
      this.#settle();
    });
    connection.onResume(() => this.#goOn());
    this.#pending = new PendingAnswers(connection, { pauses: false, onRoom: () => this.#goOn() });
  }

  /** @returns whether the next message may come */
  #takeMessage(bytes: Buffer): boolean {
    const { remote } = this.#connection;
    const exchange = this.#context.receive(new TcpMessage(bytes, this.#path, remote, this.#state));
    const outcome = exchange.resolve();
    // Others are let in: many messages may have come at once.
    if (!(outcome instanceof Promise))
      return this.#answer(exchange, outcome) && !this.#connection.yieldWhenLong();
    this.#pending.wait(outcome, (late) => this.#answer(exchange, late), exchange);
    return false;
  }

  #goOn(): void {
    const connection = this.#connection;
    if (this.#isHeld) {
      this.#isHeld = false;
      connection.resume();
    } else if (this.#pending.isEmpty && !connection.isPaused && !connection.isEnded) {
      this.#framing.resume();
      this.#settle();
    }
  }

  /** After messages were taken: reads no more when too much waits, and ends when the client has and all is answered. */
  #settle(): void {
    const framing = this.#framing;
    if (this.#hasEnded && !this.#isFinished && !framing.isHalted) {
      this.#isFinished = true;
      framing.finish();
    }
    if (framing.isHalted) {
      // Else the kit holds reading up, until what was written has been read.
      if (this.#pending.isEmpty || framing.weight < MAX_MESSAGE) return;
      this.#isHeld = true;
      this.#connection.pause();
    } else if (this.#isFinished) {
      this.#connection.end();
    }
  }

  #answer(exchange: TcpExchange, outcome: TcpOutcome): boolean {
    try {
      switch (outcome.type) {
        case 'matched':
          return this.#respond(exchange, outcome);
        case 'fault':
          return this.#fault(exchange, outcome.fault);
        case 'aborted':
          return false;
        default:
          return this.#miss(exchange);
      }
    } catch (thrown) {
      if (!exchange.ended) exchange.done();
      throw thrown;
    }
  }

  #respond(exchange: TcpExchange, match: MatchOf<TcpShape>): boolean {
    const { response, closes, changes } = match.mock.compiled;
    if (changes !== undefined) this.#state = changeState(this.#state, changes, match);
    const body = response === undefined ? undefined : bodyOf(response, exchange.message, match);
    const canGoOn = body === undefined || this.#write(body);
    exchange.done(replyOf(body));
    return closes ? this.#close() : canGoOn;
  }

  #miss(exchange: TcpExchange): boolean {
    const body = this.#frames?.name === 'nest' ? noHandler(exchange.message.json) : undefined;
    const canGoOn = body === undefined || this.#write(body);
    exchange.done(replyOf(body));
    return this.#context.config.close_unmatched === true ? this.#close() : canGoOn;
  }

  #fault(exchange: TcpExchange, fault: ValueOf<typeof FaultSchema>): boolean {
    const body = faultPayload(fault);
    const canGoOn = body === undefined || this.#write(body);
    exchange.done(replyOf(body));
    if (fault.reset === true) {
      this.#connection.reset();
      return false;
    }
    return body === undefined ? this.#close() : canGoOn;
  }

  #write(body: string | Buffer): boolean {
    return body.length === 0 || this.#connection.write(this.#frames?.frame(body) ?? body);
  }

  #close(): false {
    this.#connection.end();
    return false;
  }
}

function bodyOf(response: CompiledResponse, message: TcpMessage, match: MatchOf<TcpShape>): string | Buffer {
  if ('bytes' in response) return response.bytes;
  return 'isEcho' in response ? message.body : match.render(response.template);
}

function replyOf(body: string | Buffer | undefined): Reply | undefined {
  return body === undefined || body.length === 0 ? undefined : { body };
}
