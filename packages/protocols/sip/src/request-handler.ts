import { messageOf } from '@backlot/core/plugin';
import { formatAddress, ProvenAddresses } from '@backlot/kit';
import { answerUnmocked, refuseByHeaders, statusAnswer } from './default-answers.js';
import type { IncomingRequest } from './incoming-request.js';
import { SipMessage } from './message.js';
import { renderResponse, type ResponseTemplate } from './response-template.js';
import type { SipContext, SipExchange, SipOutcome } from './shape.js';
import { TagMaker } from './tag-maker.js';
import { Transaction } from './transactions/transaction.js';
import { TransactionTable } from './transactions/transaction-table.js';
import { reasonOf } from './wire/reasons.js';
import { plainAnswer, writeResponse, type Answer } from './wire/write-response.js';

/** Requests whose answers are delayed at one time, and their octets; further ones are answered with 503. */
const MAX_WAITING = 10_000;
const MAX_WAITING_OCTETS = 64 * 1024 * 1024;

/** Answers requests: what RFC 3261 calls the user agent server. */
export class RequestHandler {
  readonly #context: SipContext;
  readonly #table = new TransactionTable();
  readonly #tags: TagMaker;
  /** What this server's side of a dialog is called tells only who receives the answers. */
  readonly #proven = new ProvenAddresses();
  #waiting = 0;
  #waitingOctets = 0;

  constructor(context: SipContext) {
    this.#context = context;
    const random = context.random('tag');
    this.#tags = new TagMaker(() => random.int(0, 2 ** 32 - 1));
  }

  /** How many transactions are remembered. */
  get transactions(): number {
    return this.#table.size;
  }

  /** Forgets all transactions, and who has shown its address. */
  clear(): void {
    this.#table.clear();
    this.#proven.clear();
  }

  /** @returns what waits for a delay */
  handle(request: IncomingRequest): Waiting | undefined {
    if (request.toTag !== '') this.#learn(request);
    if (request.method === 'ACK') {
      this.#confirm(request);
      return undefined;
    }
    const key = request.transactionKey();
    const acquaintance = this.#table.recognize(key, request.branch);
    if (acquaintance === 'again') {
      this.#table.answerAgain(key, request, this.#proven);
      return undefined;
    }
    const isMerged = acquaintance === 'merged';
    const refusal =
      refuseByHeaders(request) ?? refuseMerged(request, isMerged) ?? this.#refuseByLoad(request);
    if (refusal !== undefined) {
      this.#refuse(request, refusal);
      return undefined;
    }
    if (isMerged) this.#table.forget(key);
    const transaction = this.#begin(request);
    if (request.method === 'CANCEL') {
      this.#cancel(request, transaction);
      return undefined;
    }
    return this.#exchange(request, transaction);
  }

  /** A request within a dialog, such as ACK, brings the tag that was sent to its address. */
  #learn(request: IncomingRequest): void {
    const { source, toTag, refusal } = request;
    if (source.transport === 'tcp' || refusal !== undefined || toTag !== this.#tags.make(request)) return;
    this.#proven.add(formatAddress(source.address, source.port));
  }

  #refuseByLoad({ method }: IncomingRequest): Answer | undefined {
    if (method === 'CANCEL') return undefined;
    const isFull = this.#waiting >= MAX_WAITING || this.#waitingOctets >= MAX_WAITING_OCTETS;
    return isFull ? statusAnswer(503) : undefined;
  }

  /** RFC 3261 sections 17.2.1 and 13.3.1.4: an ACK has no answer, it only ends repetitions. */
  #confirm(request: IncomingRequest): void {
    if (request.refusal !== undefined) return;
    const transaction =
      this.#table.find(request.transactionKey('INVITE'), request.branch) ??
      this.#table.findByDialog(request.dialogKey);
    transaction?.confirm();
    this.#context.receive(new SipMessage(request)).done();
  }

  /** Without a transaction: what is not as it should be is no reason to remember anything. */
  #refuse(request: IncomingRequest, answer: Answer): void {
    const exchange = this.#context.receive(new SipMessage(request));
    request.source.send(writeResponse(request, answer, this.#tags.make(request)));
    exchange.done(answer.reply);
  }

  /** RFC 3261 section 9.2. */
  #cancel(request: IncomingRequest, transaction: Transaction): void {
    const exchange = this.#context.receive(new SipMessage(request));
    const invite = this.#table.find(request.transactionKey('INVITE'), request.branch);
    this.#send({ request, transaction, exchange }, statusAnswer(invite === undefined ? 481 : 200));
    invite?.cancel?.();
  }

  #exchange(request: IncomingRequest, transaction: Transaction): Waiting | undefined {
    const exchange = this.#context.receive(new SipMessage(request));
    const served: Served = { request, transaction, exchange };
    const outcome = exchange.resolve();
    if (!(outcome instanceof Promise)) {
      this.#answer(served, outcome);
      return undefined;
    }
    if (transaction.isInvite) {
      transaction.cancel = () => this.#terminate(served);
      if (!exchange.faulted) this.#announce(served);
    }
    this.#waiting += 1;
    this.#waitingOctets += request.size;
    const answered = outcome
      .then((late) => this.#answer(served, late))
      .finally(() => {
        this.#waiting -= 1;
        this.#waitingOctets -= request.size;
      });
    return { exchange, answered };
  }

  /** The client has cancelled. */
  #terminate({ transaction, exchange }: Served): void {
    const answer = statusAnswer(487);
    transaction.answer(answer);
    this.#table.settle(transaction);
    exchange.started(answer.reply);
    exchange.abort();
  }

  /** What an INVITE is told while its answer waits. */
  #announce({ transaction, exchange }: Served): void {
    const { message, matched } = exchange;
    const provisional = matched ? (message.fitting?.provisional ?? []) : [];
    if (provisional.length === 0) return transaction.tryLater();
    const { templates, log } = this.#context;
    const scope = templates.scope(message);
    try {
      provide(transaction, message, provisional, (template) => templates.render(template, scope));
    } catch (thrown) {
      log.error(`a provisional answer could not be rendered: ${messageOf(thrown)}`, thrown);
      transaction.tryLater();
    }
  }

  #answer(served: Served, outcome: SipOutcome): void {
    try {
      this.#decide(served, outcome);
    } catch (thrown) {
      this.#context.log.error(`a request could not be answered: ${messageOf(thrown)}`, thrown);
      this.#send(served, statusAnswer(500));
    }
  }

  #decide(served: Served, outcome: SipOutcome): void {
    const { transaction, exchange } = served;
    const { message } = exchange;
    switch (outcome.type) {
      case 'matched': {
        const { response, provisional } = outcome.mock.compiled;
        const render: Render = (template) => outcome.render(template);
        if (transaction.isInvite && message.fitting !== undefined) {
          provide(transaction, message, provisional, render);
        }
        return this.#send(served, renderResponse(response, render, message));
      }
      case 'fault': {
        const { drop, status = 503, reason } = outcome.fault;
        if (drop !== true) return this.#send(served, plainAnswer(status, reason ?? reasonOf(status)));
        this.#drop(transaction);
        return exchange.done();
      }
      case 'aborted':
        // A client that cancels has its answer; one that is gone gets none.
        if (!transaction.isAnswered) this.#drop(transaction);
        return exchange.done();
      default:
        return this.#answerUnmocked(served);
    }
  }

  #answerUnmocked(served: Served): void {
    const { request } = served;
    const endsOwnCall = request.method === 'BYE' && this.#tags.isWithinOwnDialog(request);
    const answer = answerUnmocked(request, endsOwnCall);
    // What needs no mock misses none: clients ask for OPTIONS all the time.
    if (answer.status === 200) served.exchange.answeredFromData();
    this.#send(served, answer);
  }

  #begin(request: IncomingRequest): Transaction {
    const transaction = new Transaction(request, this.#tags.make(request), this.#proven);
    this.#table.add(request.transactionKey(), request.branch, transaction);
    return transaction;
  }

  #drop(transaction: Transaction): void {
    transaction.drop();
    this.#table.settle(transaction);
  }

  #send({ transaction, exchange }: Served, wanted: Answer): void {
    const { reply } = transaction.answer(wanted);
    this.#table.settle(transaction);
    exchange.done(reply);
  }
}

/** RFC 3261 section 8.2.2.2: a request outside of a dialog that has come by another way already. */
function refuseMerged({ toTag, method }: IncomingRequest, isMerged: boolean): Answer | undefined {
  return isMerged && toTag === '' && method !== 'CANCEL' ? statusAnswer(482) : undefined;
}

/** A request on its way to its answer. */
interface Served {
  readonly request: IncomingRequest;
  readonly transaction: Transaction;
  readonly exchange: SipExchange;
}

type Render = Parameters<typeof renderResponse>[1];

/** Sends provisional answers, once. */
function provide(
  transaction: Transaction,
  message: SipMessage,
  provisional: readonly ResponseTemplate[],
  render: Render,
): void {
  message.fitting = undefined;
  for (const each of provisional) transaction.provide(renderResponse(each, render, message));
}

/** An exchange whose answer waits for a delay. */
export interface Waiting {
  readonly exchange: SipExchange;
  readonly answered: Promise<void>;
}
