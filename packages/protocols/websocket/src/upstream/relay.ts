import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf, type Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { readBody } from '@backlot/kit/http';
import { upgradeHeaders, upstreamConnector } from '@backlot/kit/http-upstream';
import { readAuthorities, UpstreamDesk } from '@backlot/kit/upstream';
import { WebSocket, WebSocketServer, type ClientOptions, type ServerOptions } from 'ws';
import { Handshake } from '../handshake.js';
import { WebsocketMessage } from '../message.js';
import type { WebsocketContext, WebsocketExchange, WebsocketOutcome } from '../shape.js';
import { refuseHandshake } from '../wire/refuse.js';
import { RelayedConnection } from './connection.js';
import { handshakeWithoutSecrets, scopeOfMock } from './message-match.js';
import type { KnownAnswers } from './turn.js';

/** A request for an upgrade. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly connection: Connection;
}

/** The largest message that passes, in bytes. */
const MAX_MESSAGE = 64 * 1024 * 1024;
/** The most bytes of the answer to a handshake that is refused. */
const MAX_REFUSAL = 64 * 1024;

/** Passes WebSocket connections on to an upstream, or has mocks answer in its place. One for each service. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly #context: WebsocketContext;
  readonly #upstream: Upstream;
  readonly #authorities: Buffer | undefined;
  readonly #known: KnownAnswers = new Map();
  readonly #protocols = new WeakMap<IncomingMessage, string>();
  readonly #upgrader: WebSocketServer;

  constructor(context: WebsocketContext, upstream: Upstream) {
    this.#context = context;
    this.#upstream = upstream;
    this.#authorities = readAuthorities(upstream);
    this.desk = new UpstreamDesk(context, upstream, {
      form: {
        as: 'times',
        answer: (fields) => fields as Readonly<Record<string, unknown>>,
        scope: scopeOfMock,
      },
      keepsState: true,
    });
    // Pings are passed on, so that they keep their place among the messages.
    const options: ServerOptions & { readonly autoPong: boolean } = {
      noServer: true,
      clientTracking: false,
      maxPayload: MAX_MESSAGE,
      perMessageDeflate: true,
      autoPong: false,
      handleProtocols: (_offers, request) => this.#protocols.get(request) ?? false,
    };
    this.#upgrader = new WebSocketServer(options);
  }

  /** Takes an upgrade. @param opened - told once both sides are connected */
  take(upgrade: Upgrade, opened: (relayed: RelayedConnection) => void): void {
    const { request, connection } = upgrade;
    const { url = '/', rawHeaders } = request;
    const handshake = new Handshake({ target: url, rawHeaders, remote: connection.remote });
    // Mocks are for messages as they are.
    Object.assign(handshake, { framing: '', dialect: '' });
    const exchange = this.#context.receive(new WebsocketMessage('CONNECT', handshake));
    connection.busy();
    this.#connect(upgrade, handshake, exchange, opened)
      .catch((thrown: unknown) => {
        this.desk.upstreamLog.failed(thrown);
        if (!exchange.ended) exchange.done({ status: `the upstream gave no answer: ${messageOf(thrown)}` });
        connection.reset();
      })
      .finally(() => connection.idle());
  }

  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void {
    this.desk.reset();
    this.#known.clear();
  }

  async #connect(
    { request, socket, head, connection }: Upgrade,
    handshake: Handshake,
    exchange: WebsocketExchange,
    opened: (relayed: RelayedConnection) => void,
  ): Promise<void> {
    const outcome = await (this.desk.asksMocks(undefined)
      ? exchange.resolve()
      : exchange.resolve({ mocks: false }));
    const kept = handshakeWithoutSecrets(handshake, request.url ?? '/', request.rawHeaders);
    exchange.noteUpstream({}, new WebsocketMessage('CONNECT', kept));
    if (refusedByFault(outcome, connection, exchange)) return;
    const far = this.#open(request, handshake, connection);
    const early: [data: Buffer, isBinary: boolean][] = [];
    const keepEarly = (data: Buffer, isBinary: boolean): void => void early.push([data, isBinary]);
    far.on('message', keepEarly);
    const refusal = await opening(far);
    if (connection.isClosed) {
      far.terminate();
      if (!exchange.ended) exchange.abort();
      return;
    }
    this.desk.upstreamLog.worked();
    if (refusal !== undefined) {
      exchange.noteUpstream({ answered: true });
      refuseHandshake(connection, refusal.status, refusal.body);
      exchange.done(refusal);
      return;
    }
    this.#protocols.set(request, far.protocol);
    handshake.subprotocol = far.protocol;
    kept.subprotocol = far.protocol;
    this.#upgrader.handleUpgrade(request, socket, head, (near) => {
      far.off('message', keepEarly);
      const relayed = new RelayedConnection({
        near,
        far,
        connection,
        handshake,
        kept,
        context: this.#context,
        desk: this.desk,
        known: this.#known,
      });
      opened(relayed);
      relayed.begin(exchange, outcome);
      for (const [data, isBinary] of early) relayed.receive(data, isBinary);
    });
  }

  #open(request: IncomingMessage, { offers }: Handshake, connection: Connection): WebSocket {
    const { host, port, path } = this.#upstream;
    const leaving = new AbortController();
    connection.onClose(() => leaving.abort());
    const options = {
      headers: upgradeHeaders(request.rawHeaders),
      createConnection: upstreamConnector(this.#upstream, {
        authorities: this.#authorities,
        signal: leaving.signal,
      }),
      maxPayload: MAX_MESSAGE,
      followRedirects: false,
      autoPong: false,
    };
    const name = host.includes(':') ? `[${host}]` : host;
    const url = `ws://${name}:${port}${path}${request.url ?? '/'}`;
    return new WebSocket(url, [...offers], options as unknown as ClientOptions);
  }
}

/** Waits until a socket is open. @returns how the handshake was refused, where it was */
function opening(far: WebSocket): Promise<{ readonly status: number; readonly body: string } | undefined> {
  return new Promise((resolve, reject) => {
    far.once('open', () => resolve(undefined));
    far.on('error', reject);
    far.once('unexpected-response', (request, response: IncomingMessage) =>
      readBody(response, MAX_REFUSAL, (body) => {
        resolve({ status: response.statusCode ?? 502, body: body?.toString() ?? '' });
        request.destroy();
      }),
    );
  });
}

/** Refuses a client whose handshake a fault has met. */
function refusedByFault(
  outcome: WebsocketOutcome,
  connection: Connection,
  exchange: WebsocketExchange,
): boolean {
  if (outcome.type !== 'fault') return outcome.type === 'aborted';
  const { status = 503, body = JSON.stringify({ error: 'fault injected' }) } = outcome.given;
  refuseHandshake(connection, status, body);
  exchange.done({ status, body });
  return true;
}
