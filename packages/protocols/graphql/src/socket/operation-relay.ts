import type { OutcomeOf } from '@backlot/kit/upstream';
import type { Failure } from '../answer/failure.js';
import type { GraphqlExchange } from '../shape.js';

/** How an operation of a client is answered. */
export interface SocketClient {
  /** Sends a result, which is JSON. */
  send(result: string): void;
  complete(): void;
  fail(failures: readonly Failure[]): void;
  /** Answers without the upstream, and ends the exchange; a result that is one alone is looked at before. */
  answer(outcome: OutcomeOf<GraphqlExchange>, compare: ((result: string) => void) | undefined): void;
}

/** An operation on its way to the upstream, by the socket. */
export interface SocketOperationParts {
  readonly id: string;
  /** What the client subscribes with, as it came. */
  readonly payload: unknown;
  readonly exchange: GraphqlExchange;
  readonly isUpstreams: boolean;
  readonly client: SocketClient;
}

/** Asks an upstream for what one client says on its socket. */
export interface OperationRelay {
  /**
   * Opens the socket to the upstream as the client has opened its own one.
   *
   * @returns a promise of the payload of its acknowledgement; `true` where it has none, or mocks may answer without it
   */
  open(connectionParams: unknown): Promise<Record<string, unknown> | true>;
  /**
   * Takes an operation.
   *
   * @returns a function that gives it up: the client completes it, or has left
   */
  take(parts: SocketOperationParts): (isGone: boolean) => void;
}
