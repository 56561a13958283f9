import { runInSlices } from '@backlot/core/plugin';
import { failureOf, faultFailures, unmatchedFailure, type Failure } from '../answer/failure.js';
import type { GivenResult } from '../answer/result.js';
import { answerRefusal, refusalByContract } from '../contract/gate.js';
import { answerMetaFields } from '../document/introspection.js';
import type { GraphqlMessage } from '../message.js';
import type { Plan, SchemaEngine } from '../schema/engine.js';
import type {
  GraphqlContext,
  GraphqlExchange,
  GraphqlFault,
  GraphqlMatch,
  GraphqlOutcome,
} from '../shape.js';
import type { OperationRelay } from './operation-relay.js';
import type { GraphqlSocket } from './graphql-socket.js';
import { Subscription } from '../answer/subscription.js';

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
  readonly message: GraphqlMessage;
  /** What is asked for by the schema, where there is one. */
  readonly bySchema: { readonly plan: Plan; readonly engine: SchemaEngine } | undefined;
  /** Whether what no mock matches is made by the schema. */
  readonly makesUnmatched: boolean;
  /** What the client subscribes with, as it came. */
  readonly payload: unknown;
  /** Whether no mock is asked, where there is an upstream. */
  readonly isUpstreams: boolean;
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
  /** Gives up what the upstream was asked for. */
  #leaveUpstream: ((isGone: boolean) => void) | undefined;
  /** Looks at the one result before it is sent. */
  #compare: ((result: string) => void) | undefined;

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
    this.#leaveUpstream?.(isGone);
    if (this.#subscription !== undefined) this.#subscription.leave(isGone);
    else if (this.#exchange?.ended === false) this.#exchange.abort();
    this.#complete();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends an open subscription normally. */
  end(): void {
    this.#subscription?.close(undefined);
    if (this.#leaveUpstream === undefined || this.#subscription !== undefined) return;
    this.#leaveUpstream(false);
    this.#complete();
  }

  #begin(): void {
    const { context, message, socket } = this.#parts;
    const { mocks, faults } = context;
    if (socket.relay !== undefined) return this.#ask(socket.relay);
    if (message.asksAboutSchema && !mocks.matches(message) && !faults.isNamed(message)) {
      return this.#whenMade(this.#metaResult(), (text) => {
        this.#send(text);
        this.#complete();
      });
    }
    const exchange = context.receive(message);
    this.#exchange = exchange;
    if (this.#isRefused(exchange)) return;
    this.#attempt(() => {
      const outcome = exchange.resolve();
      this.#whenMade(outcome, (decided) => this.#answer(exchange, decided));
    });
  }

  #ask(relay: OperationRelay): void {
    const { context, message, id, payload, isUpstreams } = this.#parts;
    const exchange = context.receive(message);
    this.#exchange = exchange;
    if (this.#isRefused(exchange)) return;
    this.#leaveUpstream = relay.take({
      id,
      payload,
      exchange,
      isUpstreams: isUpstreams || (message.asksAboutSchema && !context.mocks.matches(message)),
      client: {
        send: (result) => this.#send(result),
        complete: () => this.#complete(),
        fail: (failures) => this.#fail(failures),
        answer: (outcome, compare) => {
          this.#compare = compare;
          this.#attempt(() => this.#answer(exchange, outcome));
        },
      },
    });
  }

  /** Refuses what the contract does not allow. */
  #isRefused(exchange: GraphqlExchange): boolean {
    const errors = refusalByContract(this.#parts.context, exchange);
    if (errors !== undefined) this.#fail(errors.map(failureOf));
    return errors !== undefined;
  }

  #metaResult(): string | Promise<string> {
    const { bySchema, message } = this.#parts;
    const { metaFields = [], method, variables } = message;
    return bySchema
      ? runInSlices(bySchema.engine.introspect(bySchema.plan))
      : answerMetaFields(metaFields, method, variables);
  }

  #whenMade<T>(made: T | Promise<T>, take: (made: T) => void): void {
    if (!(made instanceof Promise)) return take(made);
    const { connection } = this.#parts.socket;
    connection.busy();
    made
      .then(
        (value) => this.#attempt(() => take(value)),
        (thrown: unknown) => this.#crash(thrown),
      )
      .finally(() => connection.idle());
  }

  #answer(exchange: GraphqlExchange, outcome: GraphqlOutcome): void {
    switch (outcome.type) {
      case 'matched':
        return this.#answerMatch(exchange, outcome);
      case 'unmatched':
        // A fault that names the operation has let it pass.
        if (exchange.message.asksAboutSchema) {
          exchange.answeredFromData();
          return this.#answerOnce(exchange, this.#metaResult());
        }
        if (this.#parts.makesUnmatched && exchange.message.method !== 'subscription') {
          exchange.answeredFromData();
          return this.#answerOnce(exchange, this.#made({}) ?? '');
        }
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
    const { context, socket, bySchema } = this.#parts;
    const { stream, result } = match.mock.compiled;
    if (stream === undefined && exchange.message.method !== 'subscription') {
      const made = this.#made(result.value(match)) ?? result.render(match);
      return this.#answerOnce(exchange, made, match.mock.id);
    }
    this.#subscription = new Subscription({
      context,
      exchange,
      match,
      writer: socket.writer,
      frame: (text) => this.#frame(text),
      complete: bySchema && ((given) => bySchema.engine.event(bySchema.plan, given)),
      onEnd: (failure) => (failure === undefined ? this.#complete() : this.#reject([failure])),
    });
    this.#subscription.start();
  }

  #made(given: GivenResult): string | Promise<string> | undefined {
    const { bySchema } = this.#parts;
    return bySchema && runInSlices(bySchema.engine.answer(bySchema.plan, given));
  }

  #answerOnce(exchange: GraphqlExchange, made: string | Promise<string>, id?: string): void {
    this.#whenMade(made, (text) => {
      if (exchange.ended) return;
      const failure = answerRefusal(exchange, id, text);
      if (failure !== undefined) return this.#fail([failure]);
      this.#compare?.(text);
      this.#send(text);
      exchange.done({ body: text });
      this.#complete();
    });
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
    this.#parts.socket.writer.write(this.#frame(result));
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
