import { GraphQLError } from 'graphql';
import { messageOf } from '@backlot/core/plugin';
import { faultText } from '@backlot/kit/http';
import { InvalidOperation } from '../schema/invalid-operation.js';
import type { GraphqlExchange, GraphqlFault } from '../shape.js';

/** An error as clients see it (GraphQL, section 7.1.2). */
export interface Failure {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Of something that was thrown. */
export function failureOf(thrown: unknown): Failure {
  return thrown instanceof GraphQLError ? thrown.toJSON() : { message: messageOf(thrown) };
}

/** Of what was thrown when an operation was read. */
export function failuresOf(thrown: unknown): readonly Failure[] {
  return thrown instanceof InvalidOperation ? thrown.errors.map(failureOf) : [failureOf(thrown)];
}

/** Of an operation that no mock matches. */
export function unmatchedFailure(exchange: GraphqlExchange): Failure {
  const { method, path } = exchange.message;
  exchange.message.isUnmatched = true;
  const misses = exchange.nearMisses();
  return {
    message:
      path === '' ? `no mock matched the ${method} without a name` : `no mock matched ${method} ${path}`,
    extensions: { code: 'NO_MOCK_MATCHED', near_misses: misses },
  };
}

/** Of a stream mock that is asked for over plain HTTP. */
export function streamFailure(exchange: GraphqlExchange): Failure {
  const { method, path } = exchange.message;
  return {
    message: `${method} ${path} is a stream: connect over WebSocket with the subprotocol graphql-transport-ws, or accept text/event-stream`,
    extensions: { code: 'WEBSOCKET_REQUIRED' },
  };
}

/** Of a fault, over a WebSocket: the errors that its body holds, or one with the text of it. */
export function faultFailures({ fault }: GraphqlFault): readonly Failure[] {
  const text = faultText(fault) ?? '';
  const extensions = { status: fault.status };
  try {
    const body = JSON.parse(text) as { errors?: unknown; error?: unknown } | null;
    if (Array.isArray(body?.errors) && body.errors.length > 0 && body.errors.every(hasMessage))
      return body.errors as Failure[];
    if (typeof body?.error === 'string') return [{ message: body.error, extensions }];
  } catch {
    // Not JSON, so a text.
  }
  return [{ message: text === '' ? 'fault injected' : text, extensions }];
}

function hasMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'message' in value;
}
