import type { Tree } from '../shared/values.js';

/** The parts of an address. In those of a document `{name}` stands for anything. */
export type Place = readonly string[];

/** What a mock answers, as far as it is the same each time. */
export interface MockMessage {
  /** A JSON pointer into the mock. */
  readonly at: string;
  /** Where it goes, see {@link MessageForm.placesOf}; absent where that is only known when it answers. */
  readonly places: readonly Place[] | undefined;
  /** Absent where it is made when the mock answers. */
  readonly payload: Uint8Array | undefined;
}

/** How a protocol calls what an AsyncAPI document speaks of, which is all that it has to say to be held to one. */
export interface MessageForm {
  /** What the protocol calls an address, for a pointer into a message: `topic`. */
  readonly word: string;
  /** The bindings that a document has for the protocol: `kafka`. */
  readonly bindings: string;
  /** Whether what clients send and what they are sent are told apart; else everybody may send whatever a channel has. */
  readonly isDirected?: boolean;
  /** Whether the paths of servers stand before addresses. */
  readonly hasBases?: boolean;
  /** Where a channel is found. @param binding - what the document says of it for this protocol */
  placesOf(address: string, binding: Tree): readonly Place[];
  /** What a mock answers. */
  messagesOf(mock: Tree, compiled: unknown): Iterable<MockMessage>;
}
