import type { DialectMessage } from './dialect-message.js';
import type { DialectName } from './fields.js';
import type { Saying } from './saying.js';
import type { Unit } from './unit.js';

/** A message of the transport: a text, or bytes. */
export type Packet = string | Buffer;

/** What a client has said, in the order in which it is to be handled. */
export type Heard =
  /** Something of the protocol itself, which is answered at once. */
  | { readonly type: 'control'; readonly packets: readonly Packet[] }
  /** It enters a namespace, a hub or a topic. */
  | { readonly type: 'join'; readonly unit: Unit; readonly ref?: unknown }
  /** A message that mocks answer. */
  | { readonly type: 'call'; readonly unit: Unit; readonly ref?: unknown }
  /** It wants no more of the answer to a message. */
  | {
      readonly type: 'cancel';
      /** Whether the message with this reference is meant. */
      readonly isFor: (ref: unknown) => boolean;
      readonly packets: readonly Packet[];
    }
  /** It leaves what it has entered. */
  | { readonly type: 'leave'; readonly room: string; readonly packets: readonly Packet[] }
  /** What it has sent is not in the dialect. */
  | { readonly type: 'broken'; readonly error: DialectError }
  /** It closes the connection. */
  | { readonly type: 'bye'; readonly reason: string };

/** What is not in the dialect at all: the connection is closed. */
export class DialectError extends Error {
  /** What the client is sent before. */
  readonly packets: readonly Packet[];

  constructor(message: string, packets: readonly Packet[] = []) {
    super(message);
    this.packets = packets;
  }
}

/** The fields of an event that the server sends. */
export interface EventFields {
  readonly event?: string;
  readonly target?: string;
  readonly args?: readonly unknown[];
  readonly payload?: unknown;
}

/** One connection in a dialect: reads what a client sends, and writes what it is sent. */
export interface Dialect {
  readonly name: DialectName;
  /** Whether the connection of a client that is not let in is closed. */
  readonly closesRefused?: boolean;
  /** Reads one message of the transport. @throws DialectError for what is not in the dialect, behind what is */
  read(packet: Packet): Iterable<Heard>;
  /** The client is let in. @param value - what the mock lets it in with */
  accept(join: DialectMessage, value: unknown): readonly Packet[];
  /** The client is not let in. @param error - why; `undefined` when there is no mock */
  refuse(join: DialectMessage, error: unknown): readonly Packet[];
  /** An event for a client that has entered `room`. @throws BacklotError `invalid` for fields that are not of the dialect */
  event(room: string, fields: EventFields): readonly Packet[];
  /** What answers a message; none when the client has asked for no answer. */
  answer(call: DialectMessage, say: Exclude<Saying['say'], 'event'>, value: unknown): readonly Packet[];
  /** A fault hits a message; `undefined` where the dialect has no word for it, and the connection is closed. */
  fail(call: DialectMessage, text: string): readonly Packet[] | undefined;
  /** No mock answers a message, or it is for what the client has not entered. */
  miss(call: DialectMessage, hasEntered: boolean): readonly Packet[];
  /** The server ends what the client has entered; `undefined` where that needs the connection to be closed. */
  leave(room: string, error: string | undefined): readonly Packet[] | undefined;
  /** What is sent before the connection is closed because the server stops. */
  goodbye?(): readonly Packet[];
  /** Sent every so many milliseconds, once the client has entered something. */
  readonly beat?: { readonly every: number; readonly packets: readonly Packet[] };
}
