import { runInSlices } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { bytesBeforeEnd, faultAnswer, HeldAnswers, lostFormOf, type HttpAnswer } from '@backlot/kit/http';
import { failureOf, failuresOf, streamFailure, unmatchedFailure } from './answer/failure.js';
import { givenResult } from './answer/given-result.js';
import { failureAnswer } from './answer/failure-answer.js';
import { madeAnswer } from './answer/made-answer.js';
import { PartedAnswer } from './answer/parted-answer.js';
import { resultAnswer } from './answer/result-answer.js';
import { answerRefusal, refusalByContract } from './contract/gate.js';
import type { DocumentCache } from './document/document-cache.js';
import { isUnknownDocument, type PersistedDocuments } from './document/persisted-documents.js';
import type { HttpCall as Call } from './http-call.js';
import { answerMetaFields } from './document/introspection.js';
import { chooseOperation, type Document } from './document/operation.js';
import type { HttpDelivery } from './http-delivery.js';
import type { HttpSender } from './http-sender.js';
import { GraphqlMessage } from './message.js';
import type { SchemaEngine } from './schema/engine.js';
import type { GraphqlContext, GraphqlExchange, GraphqlFault, GraphqlMatch, GraphqlOutcome } from './shape.js';
import type { Settings } from './settings.js';
import { ACCEPTS_ONE } from './wire/accepted.js';
import type { Relay } from './upstream/relay.js';
import { Batch } from './wire/batch-replier.js';
import { RequestProblem, type GraphqlRequest } from './wire/graphql-request.js';
import { tokenOf } from './wire/reserved-streams.js';
import type { ResultChannel } from './wire/result-channel.js';

/** What answering needs. */
export interface HttpHandlerParts {
  readonly context: GraphqlContext;
  readonly settings: Settings;
  readonly documents: DocumentCache<Document>;
  /** Checks and completes by the schema, where there is one. */
  readonly engine: SchemaEngine | undefined;
  readonly persisted: PersistedDocuments;
  readonly delivery: HttpDelivery;
  readonly sender: HttpSender;
  /** Asks the upstream, where there is one. */
  readonly relay: Relay | undefined;
}

/** Answers operations over HTTP. */
export class HttpHandler {
  readonly #context: GraphqlContext;
  readonly #settings: Settings;
  readonly #engine: SchemaEngine | undefined;
  readonly #documents: DocumentCache<Document>;
  readonly #persisted: PersistedDocuments;
  readonly #delivery: HttpDelivery;
  readonly #sender: HttpSender;
  readonly #relay: Relay | undefined;
  /** Operations whose answers were broken. */
  #lost = 0;
  readonly #held = new WeakMap<Connection, HeldAnswers>();

  constructor(parts: HttpHandlerParts) {
    this.#context = parts.context;
    this.#settings = parts.settings;
    this.#documents = parts.documents;
    this.#engine = parts.engine;
    this.#persisted = parts.persisted;
    this.#delivery = parts.delivery;
    this.#sender = parts.sender;
    this.#relay = parts.relay;
  }

  /** Takes what a request asks for: an operation, or a list of them. */
  take(call: Call, request: GraphqlRequest | readonly GraphqlRequest[], size: number): void {
    if ('length' in request) this.#takeBatch(call, request, size);
    else this.#takeOne(call, request, size, true);
  }

  #takeBatch(call: Call, requests: readonly GraphqlRequest[], size: number): void {
    const { type } = call;
    const batch = new Batch(requests.length, call.reply, (list) =>
      this.#sender.send(call, resultAnswer(list, type)),
    );
    const each = Math.ceil(size / requests.length);
    requests.forEach((request, index) => {
      const reply = batch.parts[index] ?? call.reply;
      // Mocks may answer some of them, so that the upstream is asked for each by itself.
      const arrived = this.#relay && { body: Buffer.from(JSON.stringify(request)), isDecoded: true, reply };
      this.#takeOne(
        { ...call, reply, accepted: ACCEPTS_ONE, ...(arrived && { arrived }) },
        request,
        each,
        false,
      );
    });
  }

  /** @param isAlone - whether the request is no part of a list, which is one answer */
  #takeOne(given: Call, request: GraphqlRequest, size: number, isAlone: boolean): void {
    const relay = this.#relay;
    // An event stream that the upstream has reserved is not known here.
    const isOnStream = relay !== undefined && tokenOf(given.head) !== undefined;
    const through = isAlone && !isOnStream ? this.#delivery.throughEvents(given, request) : given;
    if ('status' in through) return this.#sender.refuse(given, through.status, through.message);
    let call = through;
    let document;
    let chosen;
    let isUpstreams = isOnStream;
    try {
      document = this.#documents.read(this.#persisted.textOf(request));
      chosen = chooseOperation(document, request.operationName);
      if (typeof chosen === 'string') throw new RequestProblem(chosen);
      if (isAlone) call = this.#delivery.prepare(call, chosen, document, request);
      try {
        const plan = this.#engine?.plan(document.text, chosen.name, request.variables);
        if (plan !== undefined) call.plan = plan;
      } catch (thrown) {
        if (relay === undefined) throw thrown;
        // What is wrong with it is for the upstream to say.
        isUpstreams = true;
      }
    } catch (thrown) {
      if (relay !== undefined && !(isUnknownDocument(thrown) && relay.desk.mode !== 'passthrough'))
        return relay.pass(given);
      // GraphQL over HTTP, sections 6.4.1 and 6.4.2: only the newer media type tells by the status.
      const status = call.type === 'application/json' ? 200 : 400;
      return this.#sender.send(call, failureAnswer(failuresOf(thrown), call.type, status));
    }
    if (call.head.method === 'GET' && chosen.type === 'mutation') {
      if (relay !== undefined) return relay.pass(given);
      return this.#sender.refuse(call, 405, 'a mutation cannot be sent with GET; use POST', {
        Allow: 'POST',
      });
    }
    const { extensions } = request;
    const variables = call.plan?.variables ?? request.variables;
    const message = new GraphqlMessage({
      operation: chosen,
      // The text that is kept anyway, since the journal holds thousands of messages.
      query: document.text,
      document,
      variables,
      extensions,
      rawHeaders: call.head.rawHeaders,
      remote: call.connection.remote,
      transport: 'http',
      size,
    });
    if (relay === undefined) this.#operate(call, message);
    else this.#ask(relay, call, message, isUpstreams);
  }

  #operate(call: Call, message: GraphqlMessage): void {
    const { mocks, faults } = this.#context;
    if (message.asksAboutSchema && !mocks.matches(message) && !faults.isNamed(message))
      return this.#answerMeta(call, message);
    const exchange = this.#context.receive(message);
    if (this.#isRefused(call, exchange)) return;
    try {
      const outcome = exchange.resolve();
      if (outcome instanceof Promise)
        this.#later(call, exchange, outcome, (decided) => this.#answer(call, exchange, decided));
      else this.#answer(call, exchange, outcome);
    } catch (thrown) {
      this.#fail(call, exchange, thrown);
    }
  }

  /** Has an operation answered by mocks, by the upstream, or by both. */
  #ask(relay: Relay, call: Call, message: GraphqlMessage, isUpstreams: boolean): void {
    const { mocks } = this.#context;
    const exchange = this.#context.receive(message);
    if (this.#isRefused(call, exchange)) return;
    this.#hold(call, exchange);
    relay
      .take({
        call,
        exchange,
        isUpstreams: isUpstreams || (message.asksAboutSchema && !mocks.matches(message)),
        answer: (outcome) => this.#answer(call, exchange, outcome),
      })
      .catch((thrown: unknown) => this.#fail(call, exchange, thrown));
  }

  /** Refuses what the contract does not allow. */
  #isRefused(call: Call, exchange: GraphqlExchange): boolean {
    const errors = refusalByContract(this.#context, exchange);
    if (errors === undefined) return false;
    const status = call.type === 'application/json' ? 200 : 400;
    this.#finish(call, exchange, failureAnswer(errors.map(failureOf), call.type, status));
    return true;
  }

  #answerMeta(call: Call, message: GraphqlMessage): void {
    const send = (text: string): void => this.#sender.send(call, resultAnswer(text, call.type));
    const made = this.#metaResult(call, message);
    if (typeof made === 'string') return send(made);
    const { connection } = call;
    connection.busy();
    void made.then(send).finally(() => connection.idle());
  }

  #metaResult(
    { plan }: Call,
    { metaFields = [], method, variables }: GraphqlMessage,
  ): string | Promise<string> {
    return plan === undefined || this.#engine === undefined
      ? answerMetaFields(metaFields, method, variables)
      : runInSlices(this.#engine.introspect(plan));
  }

  /** @param outcome - what is waited for before there is an answer */
  #later<T>(call: Call, exchange: GraphqlExchange, outcome: Promise<T>, answer: (value: T) => void): void {
    this.#hold(call, exchange);
    outcome.then(answer).catch((thrown: unknown) => this.#fail(call, exchange, thrown));
  }

  #hold({ connection, reply }: Call, exchange: GraphqlExchange): void {
    const known = this.#held.get(connection);
    const held = known ?? new HeldAnswers(connection);
    if (known === undefined) this.#held.set(connection, held);
    if (held.isHolding(exchange)) return;
    held.hold(exchange);
    reply.onClose(() => held.release(exchange));
  }

  #answer(call: Call, exchange: GraphqlExchange, outcome: GraphqlOutcome): void {
    const { plan, incremental, channel } = call;
    if (channel !== undefined && outcome.type === 'matched' && isSubscription(exchange, outcome)) {
      this.#holdFor(channel, call, exchange);
      return this.#delivery.subscribe(call, channel, exchange, outcome);
    }
    // A fault that names the operation has let it pass.
    if (outcome.type === 'unmatched' && exchange.message.asksAboutSchema)
      return this.#answerWhenMade(call, exchange, outcome, this.#metaAnswer(call, exchange));
    const isMade = plan !== undefined && this.#settings.makesUnmatched;
    const given = (plan ?? incremental) && givenResult(exchange, outcome, isMade);
    if (given === undefined) return this.#answerWith(call, exchange, outcome);
    this.#answerWhenMade(call, exchange, outcome, runInSlices(madeAnswer(call, this.#engine, given)));
  }

  #answerWhenMade(
    call: Call,
    exchange: GraphqlExchange,
    outcome: GraphqlOutcome,
    made: HttpAnswer | undefined | Promise<HttpAnswer | undefined>,
  ): void {
    if (!(made instanceof Promise)) return this.#answerWith(call, exchange, outcome, made);
    this.#later(call, exchange, made, (answer) => {
      if (!exchange.ended) this.#answerWith(call, exchange, outcome, answer);
    });
  }

  #metaAnswer(call: Call, { message }: GraphqlExchange): HttpAnswer | Promise<HttpAnswer> {
    const made = this.#metaResult(call, message);
    return typeof made === 'string'
      ? resultAnswer(made, call.type)
      : made.then((text) => resultAnswer(text, call.type));
  }

  /** Results that go another way than the answer do not end with it. */
  #holdFor(channel: ResultChannel, call: Call, exchange: GraphqlExchange): void {
    if (channel.isOwn) this.#hold(call, exchange);
    else this.#held.get(call.connection)?.forget(exchange);
  }

  /** @param made - the answer that was made by the schema, or in parts */
  #answerWith(call: Call, exchange: GraphqlExchange, outcome: GraphqlOutcome, made?: HttpAnswer): void {
    switch (outcome.type) {
      case 'matched':
        return this.#finish(
          call,
          exchange,
          this.#allowed(call, exchange, this.#matchAnswer(call, exchange, outcome, made), outcome.mock.id),
          outcome,
        );
      case 'unmatched':
        if (made !== undefined) {
          exchange.answeredFromData();
          return this.#finish(call, exchange, this.#allowed(call, exchange, made));
        }
        return this.#finish(call, exchange, failureAnswer([unmatchedFailure(exchange)], call.type, 200));
      case 'fault':
        return this.#answerFault(call, exchange, outcome, made);
      case 'aborted':
        return;
      default:
        throw new Error(`outcome ${outcome.type} has no meaning for GraphQL`);
    }
  }

  /** An answer, or what is answered in its place when the contract does not allow it. One in parts is not checked. */
  #allowed(call: Call, exchange: GraphqlExchange, answer: HttpAnswer, id?: string): HttpAnswer {
    const { body } = answer;
    if (answer instanceof PartedAnswer || body === undefined) return answer;
    const failure = answerRefusal(exchange, id, body.toString());
    return failure === undefined ? answer : failureAnswer([failure], call.type, 500);
  }

  #matchAnswer(
    { type }: Call,
    exchange: GraphqlExchange,
    match: GraphqlMatch,
    made?: HttpAnswer,
  ): HttpAnswer {
    if (made !== undefined) return made;
    const { only, stream, result } = match.mock.compiled;
    if (only !== undefined && type === 'application/json') return only;
    return stream === undefined
      ? result.answer(match, type)
      : failureAnswer([streamFailure(exchange)], type, 200);
  }

  #answerFault(call: Call, exchange: GraphqlExchange, outcome: GraphqlFault, made?: HttpAnswer): void {
    const { fault, given, match } = outcome;
    const form = lostFormOf(given);
    if (form !== undefined) {
      exchange.done({});
      this.#lost += 1;
      call.reply.lose(form, this.#context.random('garbage', this.#lost));
      return;
    }
    const answer = faultAnswer(fault, given, () => {
      if (match !== undefined) return this.#matchAnswer(call, exchange, match, made);
      return made;
    });
    const bytes = bytesBeforeEnd(given, answer);
    if (bytes === undefined) return this.#finish(call, exchange, answer);
    exchange.done(answer);
    call.reply.truncate(answer, bytes);
  }

  #finish(call: Call, exchange: GraphqlExchange, answer: HttpAnswer, match?: GraphqlMatch): void {
    const { incremental } = call;
    if (answer instanceof PartedAnswer && incremental !== undefined) {
      this.#holdFor(incremental.channel, call, exchange);
      return this.#delivery.sendParts(incremental.channel, exchange, answer, match);
    }
    call.compare?.(answer);
    this.#sender.send(call, answer);
    exchange.done(answer);
  }

  /** An answer could not be made. */
  #fail(call: Call, exchange: GraphqlExchange, thrown: unknown): void {
    const { method, path } = exchange.message;
    this.#context.log.error(`${method} ${path} could not be answered`, thrown);
    const answer = failureAnswer([failureOf(thrown)], call.type, 500);
    if (call.reply.hasBegun) call.reply.lose('reset', this.#context.random('reset'));
    else this.#sender.send(call, answer);
    if (!exchange.ended) exchange.done(answer);
  }
}

function isSubscription(exchange: GraphqlExchange, { mock }: GraphqlMatch): boolean {
  return mock.compiled.stream !== undefined || exchange.message.method === 'subscription';
}
