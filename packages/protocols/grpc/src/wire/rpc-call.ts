import type { Metadata } from '@grpc/grpc-js';
import type { Connection } from '@backlot/kit';
import type { MakeDecoder } from '../requests.js';
import type { CallHeaders } from './call-headers.js';
import type { Code } from './status.js';

/** How a call ends. */
export interface RpcStatus {
  readonly code: Code;
  readonly details: string;
  /** The trailers beside the status. */
  readonly metadata?: Metadata | null | undefined;
}

/** Who is told what the client does. What a member throws ends the connection of the call, and nothing else. */
export interface RpcListener {
  /** The call has begun. @param headers - may be kept */
  onReceiveMetadata(headers: CallHeaders): void;
  /** A message has come that was asked for. */
  onReceiveMessage(bytes: Buffer): void;
  /** The client has sent its last message. */
  onReceiveHalfClose(): void;
  /** The client has left, or the wire itself has ended the call. */
  onCancel(): void;
}

/** What a call does on its wire. */
export interface Rpc {
  /** Begins the call; nothing is read yet. */
  start(listener: RpcListener): void;
  /** Asks for the next message, or for the end. */
  startRead(): void;
  /** Begins the answer. */
  sendMetadata(metadata: Metadata): void;
  /** @param sent - called once the message was handed to the connection */
  sendMessage(bytes: Buffer, sent?: () => void): void;
  /** Ends the call. */
  sendStatus(status: RpcStatus): void;
}

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
