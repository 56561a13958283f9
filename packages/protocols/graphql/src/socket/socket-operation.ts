import { failureOf, faultFailures, unmatchedFailure, type Failure } from '../answer/failure.js';
import { answerMetaFields } from '../document/introspection.js';
import type { Operation } from '../document/operation.js';
import type { GraphqlMessage } from '../message.js';
import type {
  GraphqlContext,
  GraphqlExchange,
  GraphqlFault,
  GraphqlMatch,
  GraphqlOutcome,
} from '../shape.js';
import type { GraphqlSocket } from './graphql-socket.js';
import { Subscription } from './subscription.js';

/** Errors that end an operation over a socket, thrown through graphql-ws as one. */
export class OperationFailed extends Error {
  constructor(readonly failures: readonly Failure[]) {
    super(failures[0]?.message ?? 'the operation failed');
  }
}

/** What an operation over a socket is made of. */
export interface OperationParts {
  readonly context: GraphqlContext;
  readonly socket: GraphqlSocket;
  /** The id that the client has given it. */
  readonly id: string;
  readonly operation: Operation;
  readonly message: GraphqlMessage;
}

/**
 * One operation over a socket, in the form that graphql-ws drives: it asks for the next result once, and takes the end
 * as `complete` and an exception as `error`. The results themselves go out beside it, as the text that they are.
 */
export class SocketOperation implements AsyncIterableIterator<never, undefined> {
  readonly #parts: OperationParts;
  readonly #ended: Promise<IteratorResult<never, undefined>>;
  #settle: { readonly resolve: () => void; readonly reject: (failed: OperationFailed) => void } | undefined;
  #hasBegun = false;
  #exchange: GraphqlExchange | undefined;
  #subscription: Subscription | undefined;

  constructor(parts: OperationParts) {
    this.#parts = parts;
    this.#ended = new Promise((resolve, reject) => {
      this.#settle = { resolve: () => resolve({ done: true, value: undefined }), reject };
    });
    parts.socket.operations.add(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<never, undefined>> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#begin();
    }
    return this.#ended;
  }

  /** The client has completed it, or has left. */
  return(): Promise<IteratorResult<never, undefined>> {
    const { isGone } = this.#parts.socket;
    if (this.#subscription !== undefined) this.#subscription.leave(isGone);
    else if (this.#exchange?.ended === false) this.#exchange.abort();
    this.#complete();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends an open subscription normally. */
  end(): void {
    this.#subscription?.close(undefined);
  }

  #begin(): void {
    const { context, operation, message } = this.#parts;
    const { metaFields, type } = operation;
    if (metaFields !== undefined && !context.mocks.matches(message)) {
      this.#send(answerMetaFields(metaFields, type, message.variables));
      return this.#complete();
    }
    const exchange = context.receive(message);
    this.#exchange = exchange;
    this.#attempt(() => {
      const outcome = exchange.resolve();
      if (!(outcome instanceof Promise)) return this.#answer(exchange, outcome);
      const { connection } = this.#parts.socket;
      connection.busy();
      outcome
        .then(
          (decided) => this.#attempt(() => this.#answer(exchange, decided)),
          (thrown: unknown) => this.#crash(thrown),
        )
        .finally(() => connection.idle());
    });
  }

  #answer(exchange: GraphqlExchange, outcome: GraphqlOutcome): void {
    switch (outcome.type) {
      case 'matched':
        return this.#answerMatch(exchange, outcome);
      case 'unmatched':
        return this.#fail([unmatchedFailure(exchange)]);
      case 'fault':
        return this.#answerFault(exchange, outcome);
      case 'aborted':
        return;
      default:
        throw new Error(`outcome ${outcome.type} has no meaning for GraphQL`);
    }
  }

  #answerMatch(exchange: GraphqlExchange, match: GraphqlMatch): void {
    const { context, socket } = this.#parts;
    const { stream, result } = match.mock.compiled;
    if (stream === undefined && exchange.message.method !== 'subscription') {
      const text = result.render(match);
      this.#send(text);
      exchange.done({ body: text });
      return this.#complete();
    }
    this.#subscription = new Subscription({
      context,
      exchange,
      match,
      writer: socket.writer,
      frame: (text) => this.#frame(text),
      onEnd: (failure) => (failure === undefined ? this.#complete() : this.#reject([failure])),
    });
    this.#subscription.start();
  }

  #answerFault(exchange: GraphqlExchange, outcome: GraphqlFault): void {
    const { abort, broken, truncate_body: truncated } = outcome.given;
    const isReset = abort === true || broken === 'reset';
    if (!isReset && broken === undefined && truncated === undefined)
      return this.#fail(faultFailures(outcome));
    exchange.done({});
    const { connection } = this.#parts.socket;
    if (isReset) connection.reset();
    else connection.destroy();
  }

  #attempt(answer: () => void): void {
    try {
      answer();
    } catch (thrown) {
      this.#crash(thrown);
    }
  }

  /** An answer could not be made. */
  #crash(thrown: unknown): void {
    const { context, message } = this.#parts;
    context.log.error(`${message.method} ${message.path} could not be answered`, thrown);
    this.#fail([failureOf(thrown)]);
  }

  #fail(failures: readonly Failure[]): void {
    const exchange = this.#exchange;
    if (exchange?.ended === false) exchange.done({ body: JSON.stringify({ errors: failures }) });
    this.#reject(failures);
  }

  #send(result: string): void {
    this.#parts.socket.writer.send(this.#frame(result));
  }

  #frame(result: string): string {
    return `{"id":${JSON.stringify(this.#parts.id)},"type":"next","payload":${result}}`;
  }

  #complete(): void {
    this.#parts.socket.operations.delete(this);
    this.#settle?.resolve();
  }

  #reject(failures: readonly Failure[]): void {
    this.#parts.socket.operations.delete(this);
    this.#settle?.reject(new OperationFailed(failures));
  }
}
