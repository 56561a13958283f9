import type { ContractDesk, ContractViolation } from '@backlot/core/plugin';
import type { Method } from '../schema/model.js';
import type { GrpcExchange } from '../shape.js';
import { Code, nameOfCode } from '../wire/status.js';
import type { GrpcContract } from './grpc-contract.js';

/** Violations of one answer that are kept. */
const MOST_KEPT = 20;

/** How a call is refused. */
export interface CallRefusal {
  readonly code: number;
  readonly message: string;
}

/** Holds one call to the contract. */
export class CallContract {
  readonly #desk: ContractDesk;
  readonly #path: string;
  readonly #isJson: boolean;
  readonly #method: Method | undefined;
  #found: ContractViolation[] = [];
  readonly #answered: ContractViolation[] = [];
  /** Whether a message of one side was too much to be checked, and that is not noted yet. */
  readonly #isUnchecked = { request: false, answer: false };
  #hasBegun = false;
  #isAnswered = false;

  /** @param isJson - whether the client writes JSON */
  constructor(desk: ContractDesk, path: string, isJson: boolean) {
    this.#desk = desk;
    this.#path = path;
    this.#isJson = isJson;
    this.#method = (desk.loaded as GrpcContract).method(path);
  }

  /** A request message has come. */
  add(bytes: Buffer): void {
    if (this.#method === undefined || this.#found.length > 0) return;
    const found = this.#check('request', this.#method, bytes, this.#isJson);
    if (found !== undefined) this.#found.push(found);
  }

  /** Notes what has come, once there is an exchange. @returns how the call is refused; `undefined` when it goes on */
  refusal(exchange: GrpcExchange): CallRefusal | undefined {
    const isFirst = !this.#hasBegun;
    const violations = this.#found;
    if (!isFirst && violations.length === 0) {
      if (this.#takeUnchecked('request')) exchange.noteContract({ unchecked: ['request'] });
      return undefined;
    }
    this.#hasBegun = true;
    this.#found = [];
    const refused = this.#refusalOf(exchange, violations);
    // What refuses a call is no answer of a mock.
    if (refused !== undefined) this.#isAnswered = false;
    return refused;
  }

  #refusalOf(exchange: GrpcExchange, violations: readonly ContractViolation[]): CallRefusal | undefined {
    if (this.#method === undefined) {
      const message = 'must be a method of the contract';
      const unknown = [{ in: 'request' as const, path: '/method', message, value: this.#path }];
      return this.#desk.take(exchange, 'request', { violations: unknown })
        ? { code: Code.UNIMPLEMENTED, message: `${this.#path} ${message}` }
        : undefined;
    }
    const found = { operation: this.#path, violations, isUnchecked: this.#takeUnchecked('request') };
    if (!this.#desk.take(exchange, 'request', found)) return undefined;
    return { code: Code.INVALID_ARGUMENT, message: `the contract does not allow it: ${textOf(violations)}` };
  }

  /** A mock answers, or the answer is made: it counts. */
  beginAnswer(): void {
    this.#isAnswered = true;
  }

  /**
   * Looks at an answer.
   *
   * @param isJson - whether it is the text of a message: that of a mock whose type the server does not know
   * @returns why it must not be sent
   */
  answerRefusal(bytes: Buffer, isJson: boolean): string | undefined {
    if (this.#method === undefined || !this.#isAnswered) return undefined;
    const found = this.#check('answer', this.#method, bytes, isJson);
    if (found === undefined) return undefined;
    if (this.#answered.length < MOST_KEPT) this.#answered.push(found);
    return this.#desk.mode === 'enforce'
      ? `answers what the contract does not allow: ${textOf([found])}`
      : undefined;
  }

  /** The call ends. */
  end(exchange: GrpcExchange, code: number): void {
    if (this.#method === undefined || !this.#isAnswered) return;
    this.#isAnswered = false;
    this.#desk.take(exchange, 'answer', {
      operation: this.#path,
      answer: nameOfCode(code),
      violations: this.#answered,
      isUnchecked: this.#takeUnchecked('answer'),
    });
  }

  #takeUnchecked(side: 'request' | 'answer'): boolean {
    const isUnchecked = this.#isUnchecked[side];
    this.#isUnchecked[side] = false;
    return isUnchecked;
  }

  #check(
    side: 'request' | 'answer',
    { request, response }: Method,
    bytes: Buffer,
    isJson: boolean,
  ): ContractViolation | undefined {
    const type = side === 'request' ? request : response;
    const found = (this.#desk.loaded as GrpcContract).checkMessage(side, type, bytes, isJson);
    if (found !== 'unchecked') return found;
    this.#isUnchecked[side] = true;
    return undefined;
  }
}

function textOf(violations: readonly ContractViolation[]): string {
  return violations.map(({ path, message }) => `${path} ${message}`).join('; ');
}
