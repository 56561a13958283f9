import type { AnswerFindings, RequestFindings } from '@backlot/contracts';
import type { ContractViolation } from '@backlot/core/plugin';
import { encodeBody, HttpAnswer, makeHeaders } from '@backlot/kit/http';
import type { Call } from '../call.js';
import type { HttpContext } from '../shape.js';
import { answerOf, requestOf, type HttpContract } from './http-contract.js';

/** Violations that an answer tells the client. */
const MOST_TOLD = 20;

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not what the contract allows',
  404: 'Not found',
  405: 'The path does not have this method',
  406: 'There is no answer of a type that is accepted',
  415: 'The request body has a type that the contract does not have',
  422: 'The request body is not what the contract allows',
  500: 'The answer is not what the contract allows',
};

/** Holds requests and answers to the contract, and makes answers of it. */
export class ContractGate {
  readonly #context: HttpContext;
  /** Answers that were made of each operation. */
  readonly #made = new Map<string, number>();

  constructor(context: HttpContext) {
    this.#context = context;
  }

  get #document(): HttpContract['document'] | undefined {
    return (this.#context.contract?.loaded as HttpContract | undefined)?.document;
  }

  /** The answer to a request that the contract does not allow; `undefined` for one that goes on. */
  refuse(call: Call): HttpAnswer | undefined | Promise<HttpAnswer | undefined> {
    const { contract } = this.#context;
    const { exchange } = call;
    // A preflight is the browser's own question, and no document has it.
    if (contract === undefined || exchange.message.preflight) return undefined;
    const document = this.#document;
    if (document === undefined) return undefined;
    const request = requestOf(exchange.message);
    return then(
      document.inTurns(() => document.checkRequest(request)),
      (found) => this.#refused(call, found),
    );
  }

  #refused(call: Call, found: RequestFindings): HttpAnswer | undefined {
    const { contract } = this.#context;
    const { exchange } = call;
    if (contract === undefined || exchange.ended) return undefined;
    call.operation = found.operation;
    if (!contract.take(exchange, 'request', found)) return undefined;
    const answer = problem(found.status, describe(found.violations), found.violations);
    return found.allowed === undefined ? answer : answer.withHeaders({ Allow: found.allowed.join(', ') });
  }

  /** The answer of a mock, or what is answered in its place when the contract does not allow it. */
  checked(call: Call, answer: HttpAnswer): HttpAnswer | Promise<HttpAnswer> {
    const { operation } = call;
    const document = this.#document;
    if (operation === undefined || document === undefined) return answer;
    const given = answerOf(answer);
    return then(
      document.inTurns(() => document.checkAnswer(operation, given)),
      (found) => this.#allowed(call, answer, found),
    );
  }

  #allowed({ exchange, operation }: Call, answer: HttpAnswer, found: AnswerFindings): HttpAnswer {
    const { contract } = this.#context;
    if (contract === undefined || exchange.ended) return answer;
    if (!contract.take(exchange, 'answer', { ...found, operation })) return answer;
    const { matchedId } = exchange as { readonly matchedId?: string };
    const who =
      matchedId === undefined ? 'the answer' : `mock "${matchedId}" answers what the contract does not allow`;
    return problem(500, `${who}: ${describe(found.violations)}`, found.violations);
  }

  /** An answer that is made of the contract; `undefined` where it has no operation for the request. */
  make(call: Call): HttpAnswer | undefined | Promise<HttpAnswer> {
    const { exchange, operation } = call;
    if (this.#context.config.unmatched !== 'made' || operation === undefined) return undefined;
    const document = this.#document;
    if (document === undefined) return undefined;
    const number = (this.#made.get(operation) ?? 0) + 1;
    this.#made.set(operation, number);
    const { headers } = exchange.message;
    exchange.answeredFromData();
    return then(
      document.inTurns(() => document.make(operation, headers, number)),
      (made) => this.#answerMade(call, made),
    );
  }

  #answerMade(
    call: Call,
    made: ReturnType<HttpContract['document']['make']>,
  ): HttpAnswer | Promise<HttpAnswer> {
    if (made === undefined) return problem(404, 'the contract has no such operation any more', []);
    if ('reason' in made) return problem(made.status, made.reason, []);
    const headers = makeHeaders();
    for (const [name, value] of made.headers) headers[name] = value;
    const body = made.body === undefined ? undefined : encodeBody(made.body);
    if (made.status !== 204 && made.status !== 304) headers['Content-Length'] = body?.length ?? 0;
    return this.checked(call, new HttpAnswer(made.status, headers, body));
  }

  /** Begins anew with answers that differ each time. */
  reset(): void {
    this.#made.clear();
  }
}

/** Goes on at once with what is there at once. */
function then<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function describe(violations: readonly ContractViolation[]): string {
  return violations
    .slice(0, MOST_TOLD)
    .map(({ path, message }) => `${path} ${message}`)
    .join('; ');
}

/** An answer that says what is wrong (RFC 9457). */
function problem(status: number, detail: string, violations: readonly ContractViolation[]): HttpAnswer {
  const told = violations
    .slice(0, MOST_TOLD)
    .map(({ path, message }) => ({ pointer: path, detail: message }));
  const body = encodeBody(
    JSON.stringify({
      title: TITLES[status] ?? 'The contract does not allow it',
      status,
      detail,
      ...(told.length === 0 ? {} : { errors: told }),
    }),
  );
  const headers = makeHeaders();
  headers['Content-Type'] = 'application/problem+json';
  headers['Content-Length'] = body.length;
  return new HttpAnswer(status, headers, body);
}
