import type { Subscription } from '../broker/subscription.js';
import { detach } from '../wire/detach.js';
import type { Frame } from '../wire/frame.js';
import { show, StompError } from '../wire/stomp-error.js';

/** An acknowledgement of a message. */
export interface Settlement {
  readonly subscription: Subscription;
  readonly tag: string;
  readonly isConsumed: boolean;
}

/** What a transaction holds back until it is committed. */
export type Operation =
  | { readonly type: 'send'; readonly frame: Frame }
  | { readonly type: 'settle'; readonly settlement: Settlement };

const MAX_OPEN = 100;
const MAX_OPERATIONS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
const OPERATION_BYTES = 1_000;

/** The open transactions of one session. */
export class Transactions {
  readonly #open = new Map<string, Operation[]>();
  #bytes = 0;

  begin(name: string | undefined): void {
    if (name === undefined) throw noName('BEGIN');
    if (this.#open.has(name))
      throw new StompError(
        'transaction exists',
        `the transaction ${show(name)} is open already; commit or abort it first`,
      );
    if (this.#open.size >= MAX_OPEN)
      throw new StompError(
        'too many transactions',
        `${MAX_OPEN} transactions are open; commit or abort some first`,
      );
    this.#open.set(name, []);
  }

  /** Holds an operation back. */
  add(name: string, operation: Operation): void {
    const operations = this.#get(name);
    this.#bytes += bytesOf(operation);
    if (this.#bytes > MAX_BYTES || operations.length >= MAX_OPERATIONS)
      throw new StompError(
        'transaction too large',
        `open transactions hold more than ${MAX_OPERATIONS} operations or ${MAX_BYTES} bytes`,
      );
    operations.push(
      operation.type === 'send'
        ? { type: 'send', frame: { ...operation.frame, body: detach(operation.frame.body) } }
        : operation,
    );
  }

  /** Ends a transaction, and gives what it held back, in order. */
  end(name: string | undefined, command: 'COMMIT' | 'ABORT'): readonly Operation[] {
    if (name === undefined) throw noName(command);
    const operations = this.#get(name);
    this.#open.delete(name);
    for (const operation of operations) this.#bytes -= bytesOf(operation);
    return operations;
  }

  #get(name: string): Operation[] {
    const operations = this.#open.get(name);
    if (operations === undefined)
      throw new StompError(
        'unknown transaction',
        `the transaction ${show(name)} is not open; BEGIN it first`,
      );
    return operations;
  }
}

function bytesOf(operation: Operation): number {
  return OPERATION_BYTES + (operation.type === 'send' ? operation.frame.body.length : 0);
}

function noName(command: string): StompError {
  return new StompError('missing header', `${command} needs the header transaction`);
}
