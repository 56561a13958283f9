import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from '@backlot/kit';
import { endWithHttp, type Claim, type RequestHead } from '@backlot/kit/http';
import { GraphQLError, Kind, OperationTypeNode, type DocumentNode } from 'graphql';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, handleProtocols, makeServer, type Server } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import type { DocumentCache } from '../document/document-cache.js';
import { emptySchema } from '../document/introspection.js';
import { chooseOperation, type Document } from '../document/operation.js';
import { GraphqlMessage } from '../message.js';
import type { Plan, SchemaEngine } from '../schema/engine.js';
import { InvalidOperation } from '../schema/invalid-operation.js';
import type { Settings } from '../settings.js';
import type { GraphqlContext } from '../shape.js';
import type { OperationRelay } from './operation-relay.js';
import { GraphqlSocket } from './graphql-socket.js';
import { OperationFailed, SocketOperation } from './socket-operation.js';

/** Operations of one socket at one time. */
const MAX_OPERATIONS = 1000;

/** Tells graphql-ws that an operation has a stream of results; the document itself was read before. */
const STREAMING: DocumentNode = {
  kind: Kind.DOCUMENT,
  definitions: [
    {
      kind: Kind.OPERATION_DEFINITION,
      operation: OperationTypeNode.SUBSCRIPTION,
      selectionSet: { kind: Kind.SELECTION_SET, selections: [] },
    },
  ],
};

/** What a client subscribes with. */
type Payload = Parameters<NonNullable<Parameters<typeof makeServer>[0]['onSubscribe']>>[2];

/** Asks an upstream about WebSockets. */
export interface Relaying {
  /** What passes on what is said on a socket. */
  relayOf(socket: GraphqlSocket): OperationRelay;
  /** Passes an upgrade on that is not for graphql-transport-ws at the path. */
  passUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, connection: Connection): void;
}

/** Takes WebSockets that speak graphql-transport-ws. */
export class SocketAcceptor {
  readonly #context: GraphqlContext;
  readonly #settings: Settings;
  readonly #engine: SchemaEngine | undefined;
  readonly #documents: DocumentCache<Document>;
  readonly #upgrades: WebSocketServer;
  readonly #server: Server<GraphqlSocket>;
  readonly #sockets = new Map<Connection, GraphqlSocket>();
  readonly #relay: Relaying | undefined;

  constructor(
    context: GraphqlContext,
    settings: Settings,
    documents: DocumentCache<Document>,
    engine: SchemaEngine | undefined,
    relay?: Relaying,
  ) {
    this.#relay = relay;
    this.#engine = engine;
    this.#context = context;
    this.#settings = settings;
    this.#documents = documents;
    this.#upgrades = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: settings.maxBody,
      handleProtocols,
      // So that a message has been taken before the next one comes: an id may be used again after `complete`.
      allowSynchronousEvents: false,
    });
    this.#server = this.#makeServer();
  }

  /** Takes a request for an upgrade to WebSocket. */
  readonly upgrade = (
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    connection: Connection,
  ): void => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '';
    const offered = request.headers['sec-websocket-protocol'];
    const isSpoken = offered === undefined || handleProtocols(offered) !== false;
    if (this.#relay !== undefined && (path !== this.#settings.path || !isSpoken))
      return this.#relay.passUpgrade(request, socket, head, connection);
    if (path !== this.#settings.path) {
      endWithHttp(connection, 404, `nothing is served at ${path}; GraphQL is at ${this.#settings.path}`);
      return;
    }
    // A client that offers others alone would take an answer without any for a broken connection.
    if (!isSpoken) {
      endWithHttp(
        connection,
        400,
        `subprotocol ${JSON.stringify(offered)} is not supported; use ${GRAPHQL_TRANSPORT_WS_PROTOCOL}`,
      );
      return;
    }
    this.#upgrades.handleUpgrade(
      request,
      socket,
      head,
      connection.isolate((opened) => {
        const made = new GraphqlSocket(opened, request, connection, this.#context.log);
        this.#sockets.set(connection, made);
        connection.onClose(() => this.#sockets.delete(connection));
        made.relay = this.#relay?.relayOf(made);
        made.open(this.#server);
      }),
    );
  };

  /** How surely an upgrade is for GraphQL: by its path, and by the subprotocol that nobody else speaks. */
  claim({ url = '/', headers }: RequestHead): Claim {
    if (url.split('?', 1)[0] !== this.#settings.path) return 0;
    const offered = headers['sec-websocket-protocol'];
    return offered !== undefined && handleProtocols(offered) !== false ? 3 : 1;
  }

  /** How many sockets are open. */
  get count(): number {
    return this.#sockets.size;
  }

  /** Ends every open subscription normally. */
  endSubscriptions(): void {
    for (const socket of this.#sockets.values()) socket.endSubscriptions();
  }

  /** Closes the WebSocket of a connection because the server stops. */
  goAway(connection: Connection): void {
    this.#sockets.get(connection)?.goAway();
  }

  #makeServer(): Server<GraphqlSocket> {
    return makeServer<Record<string, unknown>, GraphqlSocket>({
      connectionInitWaitTimeout: this.#settings.initTimeout,
      ...(this.#relay && {
        onConnect: ({ connectionParams, extra }) => extra.relay?.open(connectionParams) ?? true,
      }),
      onSubscribe: ({ extra, connectionParams }, id, payload) => {
        try {
          return {
            schema: emptySchema(),
            document: STREAMING,
            contextValue: this.#makeOperation(extra, connectionParams, id, payload),
          };
        } catch (thrown) {
          if (thrown instanceof GraphQLError) return [thrown];
          if (thrown instanceof InvalidOperation) return thrown.errors;
          throw thrown;
        }
      },
      subscribe: ({ contextValue }) => contextValue as SocketOperation,
      onError: (_socket, _id, _payload, [error]) =>
        error?.originalError instanceof OperationFailed ? error.originalError.failures : undefined,
    });
  }

  /**
   * @throws GraphQLError when the client asks for something that is no operation
   * @throws InvalidOperation when it does not fit the schema
   */
  #makeOperation(
    socket: GraphqlSocket,
    connectionParams: Readonly<Record<string, unknown>> | undefined,
    id: string,
    payload: Payload,
  ): SocketOperation {
    const { query, operationName, variables, extensions } = payload;
    if (socket.operations.size >= MAX_OPERATIONS) {
      throw new GraphQLError(`${MAX_OPERATIONS} operations are open already; complete one first`);
    }
    const name = operationName ?? undefined;
    const document = this.#documents.read(query);
    const operation = chooseOperation(document, name === '' ? undefined : name);
    if (typeof operation === 'string') throw new GraphQLError(operation);
    let plan: Plan | undefined;
    let isUpstreams = false;
    try {
      plan = this.#engine?.plan(document.text, operation.name, variables ?? undefined);
    } catch (thrown) {
      if (socket.relay === undefined) throw thrown;
      // What is wrong with it is for the upstream to say.
      isUpstreams = true;
    }
    const message = new GraphqlMessage({
      operation,
      query: document.text,
      document,
      variables: plan?.variables ?? variables ?? undefined,
      extensions: extensions ?? undefined,
      rawHeaders: socket.request.rawHeaders,
      remote: socket.connection.remote,
      transport: 'websocket',
      connectionParams,
      size: query.length,
    });
    const bySchema = plan && this.#engine && { plan, engine: this.#engine };
    const makesUnmatched = bySchema !== undefined && this.#settings.makesUnmatched;
    return new SocketOperation({
      context: this.#context,
      socket,
      id,
      message,
      bySchema,
      makesUnmatched,
      payload,
      isUpstreams,
    });
  }
}
