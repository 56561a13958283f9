import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpAnswer } from '@backlot/kit/http';
import type { HttpExchange } from './shape.js';
import type { HttpConnection } from './wire/connection.js';
import type { Incoming, Outgoing } from './wire/outgoing.js';

/** One request on its way through the server. */
export interface Call {
  readonly request: Incoming;
  readonly response: Outgoing;
  readonly connection: HttpConnection;
  readonly exchange: HttpExchange;
  /** The operation of the contract that the request is one of. */
  operation?: string | undefined;
  /** Looks at the answer before it is sent, or is told that it is a stream or lost; absent where nobody does. */
  compare?: ((answer: HttpAnswer | undefined) => void) | undefined;
  /** Whether the mock answers by itself, and not by its upstream, which was asked already. */
  isOwn?: boolean;
  /** For a request for an upgrade: gives the client the one that a server has made. */
  readonly upgrade?: (answer: IncomingMessage, far: Socket, farHead: Buffer) => void;
}
