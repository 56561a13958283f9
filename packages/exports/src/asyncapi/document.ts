import type { Tree } from '../shared/trees.js';

/** What goes through a channel. */
export interface Content {
  readonly contentType: string;
  /** Undefined where any payload is meant, or none. */
  readonly payload: unknown;
  readonly headers: Tree;
  /** Members of the payload by which it is told from others. */
  readonly constants?: Tree;
}

/** Where something goes. */
export interface Target {
  /** With names in braces; `undefined` where the message says it. */
  readonly address: string | undefined;
  readonly bindings?: Tree;
  /** What the channel is called; its address when absent. */
  readonly name?: string;
}

/** A mock, or what a reaction sends. */
export interface Operation {
  readonly id: string;
  readonly action: 'receive' | 'send';
  readonly target: Target;
  readonly message: Content;
  readonly reply?: { readonly target: Target; readonly message: Content; readonly location?: string };
  readonly bindings?: Tree;
}

/** What of a kind becomes operations. */
export interface KindReader {
  readonly kind: string;
  /** The name by which documents call the protocol; that over TLS as well. */
  readonly protocol: string;
  readonly secure: string;
  /** The operations of a mock. */
  mock(mock: Tree, tools: ReaderTools): readonly Operation[];
  /** What is sent by hand, with the fields that the kind takes; `undefined` for what no document can say. */
  sent(id: string, action: Tree, tools: ReaderTools): Operation | undefined;
}

/** What readers note, and look at. */
export interface ReaderTools {
  /** The block of the kind in the configuration. */
  readonly block: Tree;
  approximated(message: string): void;
  refused(message: string): void;
}
