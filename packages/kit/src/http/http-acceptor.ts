import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stalls, type SpaceDoors } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import type { ConnectionEntrance } from '../enter-space.js';
import { jsonAnswer } from './answer.js';
import { handRequestOver } from './hand-over.js';
import { handToHttp1 } from './hand-to-http1.js';
import { RequestTurns } from './request-turns.js';
import { endWithHttp, refuseHttpBytes, refuseHttpTunnel } from './refusals.js';
import { sendHttp1Answer } from './send-answer.js';

/** An upgrade of a connection to another protocol (RFC 9110, section 7.8). */
export interface HttpUpgrade {
  /** The protocol's token in the Upgrade header, in lower case; a request may write it in any. */
  readonly token: string;
  /**
   * Called for each request with that token and `Connection: upgrade`. The socket is that of the connection, and its
   * errors have a listener.
   */
  readonly take: (request: IncomingMessage, socket: Socket, head: Buffer, connection: Connection) => void;
}

/** How requests on connections that speak HTTP/1.1 are answered: `onRequest`, `upgrade` or both are given. */
export interface HttpAcceptorOptions {
  /**
   * Called for each request. Without it every request is answered with 426 (Upgrade Required), since the port is for
   * upgrades alone.
   */
  readonly onRequest?: (request: IncomingMessage, response: ServerResponse, connection: Connection) => void;
  /**
   * The upgrade that connections can have; one to anything else is answered with 426. Without it, requests for an
   * upgrade are passed to `onRequest`.
   */
  readonly upgrade?: HttpUpgrade;
  /**
   * The spaces that requests may name: each is handed to the acceptor of the kind's service there, which has to have
   * {@link HttpAcceptor.entrance} among its own, and {@link HttpAcceptor.enter} as `onEntered`.
   */
  readonly spaces?: SpaceDoors;
  /** Answers a request for a space that is not there; when absent it is answered with JSON, `{"error": ...}`. */
  readonly onRefused?: (
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    refusal: { readonly status: number; readonly message: string },
  ) => void;
}

/** What takes requests that came to the port of another world, as a part of a service's `entrance`. */
export interface RequestEntrance {
  readonly request: NonNullable<HttpAcceptorOptions['onRequest']>;
}

/** A request for an upgrade that came to the port of another world. */
export interface EnteringUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
}

/** The newest answers of a connection. */
interface Owed {
  readonly latest: ServerResponse;
  readonly before: ServerResponse | undefined;
}

const HEADERS_TIMEOUT = 60_000;
const REQUEST_TIMEOUT = 300_000;
const CHECKING_INTERVAL = 5_000;

/**
 * Serves HTTP/1.1 with node:http on connections that were accepted elsewhere, such as by a stream server; it does not
 * listen itself. Bytes that are not a request are answered with the fitting 4xx, and end that connection.
 */
export class HttpAcceptor {
  readonly #server: http.Server;
  readonly #bySocket = new WeakMap<Socket, Connection>();
  readonly #owed = new WeakMap<Connection, Owed>();
  readonly #turns = new WeakMap<Connection, RequestTurns>();
  readonly #options: HttpAcceptorOptions;

  constructor(options: HttpAcceptorOptions) {
    this.#options = options;
    this.#server = http.createServer({
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: CHECKING_INTERVAL,
    });
    const { onRequest, upgrade } = options;
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = this.#bySocket.get(request.socket);
      if (connection === undefined) return;
      this.#owed.set(connection, { latest: response, before: this.#owed.get(connection)?.latest });
      if (onRequest === undefined) return requireUpgrade(connection, upgrade);
      this.#inTurn(connection, () => {
        if (this.#handOver(request, response, connection)) return;
        stalls.measure(
          () => onRequest(request, response, connection),
          () => ({ remote: connection.remote, port: request.socket.localPort ?? 0 }),
        );
      });
    });
    if (upgrade !== undefined) {
      this.#server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
        const connection = this.#bySocket.get(socket);
        if (connection === undefined) return;
        this.#inTurn(connection, () => {
          if (request.headers.upgrade?.toLowerCase() !== upgrade.token) requireUpgrade(connection, upgrade);
          else if (!this.#handUpgradeOver({ request, socket, head }, connection))
            upgrade.take(request, socket, head, connection);
        });
      });
    }
    this.#server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      const connection = this.#bySocket.get(socket);
      if (connection !== undefined) this.#inTurn(connection, () => refuseHttpTunnel(connection));
    });
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const connection = this.#bySocket.get(socket as Socket);
      if (connection === undefined) socket.destroy();
      else {
        this.#inTurn(connection, () =>
          refuseHttpBytes(error, connection, newestOf(this.#owed.get(connection))),
        );
      }
    });
  }

  /** What takes requests that came to the port of another world: members of the service's `entrance`. */
  get entrance(): Partial<RequestEntrance> {
    const { onRequest } = this.#options;
    return onRequest === undefined ? {} : { request: onRequest };
  }

  /** Takes a request for an upgrade that came to the port of another world. */
  enter(connection: Connection, { request, socket, head }: EnteringUpgrade): void {
    if (!socket.destroyed) this.#options.upgrade?.take(request, socket, head, connection);
  }

  #handOver(request: IncomingMessage, response: ServerResponse, connection: Connection): boolean {
    const { spaces } = this.#options;
    if (spaces === undefined) return false;
    return handRequestOver<RequestEntrance>(spaces, request.rawHeaders, {
      pass: (entrance) => connection.isolate(() => entrance.request(request, response, connection))(),
      refuse: (status, message) => {
        const { onRefused } = this.#options;
        if (response.headersSent) return;
        if (onRefused === undefined) sendHttp1Answer(response, jsonAnswer(status, { error: message }));
        else onRefused(request, response, connection, { status, message });
      },
    });
  }

  #handUpgradeOver(arrived: EnteringUpgrade, connection: Connection): boolean {
    const { spaces } = this.#options;
    if (spaces === undefined) return false;
    return handRequestOver<ConnectionEntrance>(spaces, arrived.request.rawHeaders, {
      pass: (entrance) => connection.isolate(() => entrance.takeConnection(connection, arrived))(),
      refuse: (status, error) => endWithHttp(connection, status, error),
    });
  }

  /** Handles what a connection has sent in order, and lets other connections in between. */
  #inTurn(connection: Connection, handle: () => void): void {
    this.#turns.get(connection)?.take(handle);
  }

  /**
   * Call when the stream server has started. It begins node:http's watch over time-outs, which waits for the event
   * `listening`.
   */
  start(): void {
    this.#server.emit('listening');
  }

  /** Serves the requests of a connection from now on, beginning with bytes that were put back into its socket. */
  take(connection: Connection): void {
    this.#bySocket.set(connection.socket, connection);
    this.#turns.set(connection, new RequestTurns(connection, true));
    handToHttp1(connection, this.#server);
  }

  /** Ends the watch over time-outs. Connections stay open: the stream server closes them. */
  stop(): void {
    this.#server.close(() => undefined);
  }
}

/** The newest answer whose request has arrived wholly: that of a request that was cut off will never be made. */
function newestOf(owed: Owed | undefined): ServerResponse | undefined {
  return owed?.latest.req.complete === true ? owed.latest : owed?.before;
}

function requireUpgrade(connection: Connection, upgrade: HttpUpgrade | undefined): void {
  if (upgrade === undefined) return endWithHttp(connection, 501, 'this port takes no requests');
  const { token } = upgrade;
  endWithHttp(connection, 426, `this port takes an upgrade to ${token} alone`, { Upgrade: token });
}
