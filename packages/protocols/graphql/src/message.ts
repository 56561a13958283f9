import type { Message } from '@backlot/core/plugin';
import { plainRecord, readHeaders } from '@backlot/kit/http';
import type { Document, MetaField, Operation, OperationType } from './document/operation.js';
import { shortestOrText } from './document/shortest-document.js';

/** What a message is made of. */
export interface MessageParts {
  readonly operation: Operation;
  /** The text of the document. */
  readonly query: string;
  /** The document itself, where it was read; what mocks compare is then made once for all its messages. */
  readonly document?: Pick<Document, 'shortest'> | undefined;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  /** Names and values in turn: of the request, or of the one that opened the WebSocket. */
  readonly rawHeaders: readonly string[];
  readonly remote: string;
  readonly transport: 'http' | 'websocket';
  /** The payload of `connection_init`. */
  readonly connectionParams?: Readonly<Record<string, unknown>> | undefined;
  /** How many bytes brought it, as the client sent them. */
  readonly size: number;
}

/** An operation that a client asks for. What is costly is decoded when somebody reads it. */
export class GraphqlMessage implements Message {
  readonly method: OperationType;
  /** The name of the operation; empty when it has none. */
  readonly path: string;
  readonly remote: string;
  /** The document. */
  readonly body: string;
  readonly size: number;
  /** No mock has matched: the index then gives every mock of the name, so that each can say why. */
  isUnmatched = false;
  readonly #parts: MessageParts;
  #document: string | undefined = undefined;
  #headers: Readonly<Record<string, string>> | undefined = undefined;
  #extras: Readonly<Record<string, unknown>> | undefined = undefined;

  constructor(parts: MessageParts) {
    this.method = parts.operation.type;
    this.path = parts.operation.name ?? '';
    this.remote = parts.remote;
    this.body = parts.query;
    this.size = parts.size;
    this.#parts = parts;
  }

  /** The name of the operation, `undefined` when it has none. */
  get name(): string | undefined {
    return this.#parts.operation.name;
  }

  /** The document without what means nothing in it. */
  get document(): string {
    return (this.#document ??= this.#parts.document?.shortest ?? shortestOrText(this.body));
  }

  get variables(): Readonly<Record<string, unknown>> | undefined {
    return this.#parts.variables;
  }

  /** The same message but for some parts. */
  with(parts: Partial<MessageParts>): GraphqlMessage {
    return new GraphqlMessage({ ...this.#parts, ...parts });
  }

  /** What it is made of. */
  get parts(): MessageParts {
    return this.#parts;
  }

  /** Whether it asks about the schema alone, so that it is answered when no mock names it. */
  get asksAboutSchema(): boolean {
    return this.metaFields !== undefined;
  }

  /** The root fields of an operation that asks about the schema alone. */
  get metaFields(): readonly MetaField[] | undefined {
    return this.#parts.operation.metaFields;
  }

  get headers(): Readonly<Record<string, string>> {
    return (this.#headers ??= readHeaders(this.#parts.rawHeaders).joined);
  }

  /** What a GET request for the same would have beside the document (GraphQL over HTTP, section 5.1): the variables. */
  get query(): Readonly<Record<string, string>> {
    const { variables } = this.#parts;
    const fields = plainRecord<string>();
    if (variables !== undefined) fields['variables'] = JSON.stringify(variables);
    return fields;
  }

  /** For templates: `request.variables` and the like. */
  get extras(): Readonly<Record<string, unknown>> {
    const { operation, variables, extensions, transport, connectionParams } = this.#parts;
    return (this.#extras ??= {
      variables: variables ?? {},
      operation_name: operation.name,
      operation_type: operation.type,
      extensions: extensions ?? {},
      transport,
      connection_params: connectionParams ?? {},
    });
  }
}
