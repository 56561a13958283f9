import type { ImportFile, ImportNotes } from '@backlot/core/plugin';
import type { Chance, References, Sampler, Tree } from '@backlot/contracts';
import type { Ids } from '../shared/ids.js';

/** A server of a document. */
export interface Server {
  readonly name: string;
  /** The protocol as the document writes it: `kafka-secure`. */
  readonly protocol: string;
  /** The path that stands before addresses; empty for none. */
  readonly path: string;
  readonly bindings: Tree;
}

/** Where messages go. */
export interface Channel {
  readonly name: string;
  /** With its parameters in braces; `undefined` where only the moment knows it. */
  readonly address: string | undefined;
  readonly parameters: Tree;
  readonly bindings: Tree;
  /** The servers that have it. */
  readonly servers: readonly Server[];
  readonly document: ImportFile;
  readonly place: string;
}

/** An example of a message. */
export interface Example {
  readonly name: string;
  readonly payload: unknown;
  readonly headers: Tree;
}

/** A message with a value of its own. */
export interface Message {
  readonly name: string;
  readonly contentType: string;
  /** The first is what is sent where nobody asks for another one. */
  readonly examples: readonly [Example, ...Example[]];
  /** Members of the payload that always have one value, by which messages of a channel are told apart. */
  readonly constants: Tree | undefined;
  /** Where its correlation id stands: `$message.header#/id`. */
  readonly correlation: string | undefined;
  readonly bindings: Tree;
  /** Its schema, where a schema registry can have it. */
  readonly schema: { readonly type: 'avro' | 'json'; readonly value: unknown } | undefined;
  readonly place: string;
}

/** What an application sends or receives: it is the application that Backlot stands for. */
export interface Operation {
  readonly id: string;
  readonly action: 'send' | 'receive';
  readonly channel: Channel;
  readonly messages: readonly Message[];
  readonly bindings: Tree;
  readonly reply: Reply | undefined;
  readonly place: string;
}

/** What an application answers with. */
export interface Reply {
  /** Where it goes; `undefined` where the message says so. */
  readonly channel: Channel | undefined;
  /** Where the message says so: `$message.header#/replyTo`. */
  readonly location: string | undefined;
  readonly messages: readonly Message[];
}

/** What all of a document is read with. */
export interface Tools {
  readonly file: ImportFile;
  readonly root: Tree;
  readonly references: References;
  readonly sampler: Sampler;
  readonly chance: Chance;
  readonly ids: Ids;
  readonly notes: ImportNotes;
}
