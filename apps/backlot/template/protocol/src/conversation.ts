import type { Context, ExchangeFor, OutcomeFor } from '@backlot/core/plugin';
import { LineFramer, readFrames, type Connection } from '@backlot/kit';
import type { __Kind__Shape } from './shape.js';

const MAX_LINE = 64 * 1024;

type __Kind__Exchange = ExchangeFor<__Kind__Shape>;
type __Kind__Outcome = OutcomeFor<__Kind__Shape>;

/** One connection. Lines are answered in order: while an answer waits for its delay, what follows waits too. */
export class Conversation {
  readonly #connection: Connection;
  readonly #context: Context<__Kind__Shape>;
  #pending: __Kind__Exchange | undefined;

  constructor(connection: Connection, context: Context<__Kind__Shape>) {
    this.#connection = connection;
    this.#context = context;
    readFrames(connection, new LineFramer({ maxLength: MAX_LINE }), (line) =>
      this.#take(line.toString('utf8')),
    );
    connection.onClose(() => this.#pending?.abort());
  }

  #take(body: string): void {
    const exchange = this.#context.receive({
      method: 'LINE',
      path: body,
      remote: this.#connection.remote,
      body,
    });
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) this.#wait(exchange, outcome);
    else this.#answer(exchange, outcome);
  }

  #wait(exchange: __Kind__Exchange, outcome: Promise<__Kind__Outcome>): void {
    const connection = this.#connection;
    this.#pending = exchange;
    connection.busy();
    connection.pause();
    outcome.then(
      connection.isolate((late) => {
        this.#pending = undefined;
        this.#answer(exchange, late);
        // The lines behind it first: idle() ends a connection that is to stop.
        connection.resume();
        connection.idle();
      }),
      connection.isolate((error) => {
        throw error;
      }),
    );
  }

  #answer(exchange: __Kind__Exchange, outcome: __Kind__Outcome): void {
    switch (outcome.type) {
      case 'matched':
        return this.#send(exchange, outcome.render(outcome.mock.compiled.response));
      case 'fault':
        if (outcome.fault.close === true) return this.#close(exchange);
        return this.#send(exchange, outcome.fault.response ?? '');
      case 'aborted':
        return;
      default:
        return this.#send(exchange, this.#context.config.unmatched ?? '');
    }
  }

  #send(exchange: __Kind__Exchange, line: string): void {
    this.#connection.write(`${line}\n`);
    exchange.done({ body: line });
  }

  #close(exchange: __Kind__Exchange): void {
    exchange.done();
    this.#connection.end();
  }
}
