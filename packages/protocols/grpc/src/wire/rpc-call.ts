import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { Connection } from '@backlot/kit';
import type { MakeDecoder } from '../requests.js';

/** What a call does on its wire: the part of grpc-js' own interface that is needed, which every other wire has as well. */
export type Rpc = Pick<
  ServerInterceptingCallInterface,
  'start' | 'startRead' | 'sendMetadata' | 'sendMessage' | 'sendStatus'
>;
/** Who is told what the client does. */
export type RpcListener = Parameters<Rpc['start']>[0];
/** How a call ends. */
export type RpcStatus = Parameters<Rpc['sendStatus']>[0];

/** A call that has come in: its wire frames it, unpacks it and watches over its deadline. */
export interface RpcCall {
  readonly path: string;
  readonly rpc: Rpc;
  readonly connection: Connection;
  /** The client's `grpc-timeout` as it was sent; absent when it waits for ever. */
  readonly timeout: string | undefined;
  /** The status of a request that is no message of its type. */
  readonly malformed: number;
  /** Reads request messages where they are not protobuf, such as JSON. */
  readonly makeDecoder?: MakeDecoder | undefined;
  /** The status that was sent, also by the wire itself: when the deadline is over, or a message was too large. */
  sentStatus(): number | undefined;
  /** Ends the call without a status. */
  reset(): void;
  /** Answers as a proxy that knows nothing of calls does: with an HTTP status and a text. */
  sendHttp(status: number, body: string): void;
}
