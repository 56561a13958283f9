import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf, type Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { readBody, type GuestServer } from '@backlot/kit/http';
import { hostOf, upgradeHeaders, upstreamConnector } from '@backlot/kit/http-upstream';
import { readAuthorities, UpstreamDesk, UpstreamLog } from '@backlot/kit/upstream';
import { WebSocket, WebSocketServer, type ClientOptions, type ServerOptions } from 'ws';
import type { Handshake } from '../handshake.js';
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
  readonly handshake: Handshake;
  /** Which it is for, where it has come to a proxy. */
  readonly server: GuestServer | undefined;
}

/** A server that connections are passed on to. */
interface Target {
  readonly upstream: Upstream;
  /** Says when it fails. */
  readonly log: UpstreamLog;
}

/** The largest message that passes, in bytes. */
const MAX_MESSAGE = 64 * 1024 * 1024;
/** The most bytes of the answer to a handshake that is refused. */
const MAX_REFUSAL = 64 * 1024;
/** The most servers of which it is remembered how they failed; the one that was asked least recently gives way. */
const MAX_SERVERS = 200;

/** Passes WebSocket connections on to an upstream, or has mocks answer in its place. One for each service. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly #context: WebsocketContext;
  readonly #upstream: Upstream;
  readonly #authorities: Buffer | undefined;
  readonly #known: KnownAnswers = new Map();
  /** By url, in the order of their last use. */
  readonly #targets = new Map<string, Target>();
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

  /** Whether connections for a server can go there, or those for the listener itself to its upstream. */
  leads(server: GuestServer | undefined): boolean {
    return server !== undefined || !this.#upstream.isOpen;
  }

  /** Takes an upgrade. @param opened - told once both sides are connected */
  take(upgrade: Upgrade, opened: (relayed: RelayedConnection) => void): void {
    const { connection, handshake, server } = upgrade;
    const target = this.#targetOf(server);
    // Mocks are for messages as they are.
    Object.assign(handshake, { framing: '', dialect: '' });
    const exchange = this.#context.receive(new WebsocketMessage('CONNECT', handshake));
    connection.busy();
    this.#connect(upgrade, target, exchange, opened)
      .catch((thrown: unknown) => {
        target.log.failed(thrown);
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
    { request, socket, head, connection, handshake }: Upgrade,
    { upstream, log }: Target,
    exchange: WebsocketExchange,
    opened: (relayed: RelayedConnection) => void,
  ): Promise<void> {
    const outcome = await (this.desk.asksMocks(undefined)
      ? exchange.resolve()
      : exchange.resolve({ mocks: false }));
    const kept = handshakeWithoutSecrets(handshake, request.rawHeaders);
    exchange.noteUpstream({}, new WebsocketMessage('CONNECT', kept));
    if (refusedByFault(outcome, connection, exchange)) return;
    const far = this.#open(upstream, request, handshake, connection);
    const early: [data: Buffer, isBinary: boolean][] = [];
    const keepEarly = (data: Buffer, isBinary: boolean): void => void early.push([data, isBinary]);
    far.on('message', keepEarly);
    const refusal = await opening(far);
    if (connection.isClosed) {
      far.terminate();
      if (!exchange.ended) exchange.abort();
      return;
    }
    log.worked();
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
        namesHost: upstream.isOpen,
      });
      opened(relayed);
      relayed.begin(exchange, outcome);
      for (const [data, isBinary] of early) relayed.receive(data, isBinary);
    });
  }

  /** The server that a connection is for, or the only one. */
  #targetOf(server: GuestServer | undefined): Target {
    const upstream =
      this.#upstream.isOpen && server !== undefined ? upstreamOf(this.#upstream, server) : this.#upstream;
    const { url } = upstream;
    const target = this.#targets.get(url) ?? {
      upstream,
      log: new UpstreamLog(upstream, (text) => this.#context.log.warn(text)),
    };
    this.#targets.delete(url);
    this.#targets.set(url, target);
    const [oldest] = this.#targets.keys();
    if (this.#targets.size > MAX_SERVERS && oldest !== undefined) this.#targets.delete(oldest);
    return target;
  }

  #open(
    upstream: Upstream,
    request: IncomingMessage,
    { offers, target }: Handshake,
    connection: Connection,
  ): WebSocket {
    const { host, port, path } = upstream;
    const leaving = new AbortController();
    connection.onClose(() => leaving.abort());
    const options = {
      headers: { ...upgradeHeaders(request.rawHeaders), Host: hostOf(upstream) },
      createConnection: upstreamConnector(upstream, {
        authorities: this.#authorities,
        signal: leaving.signal,
      }),
      maxPayload: MAX_MESSAGE,
      followRedirects: false,
      autoPong: false,
    };
    const name = host.includes(':') ? `[${host}]` : host;
    const url = `ws://${name}:${port}${path}${target}`;
    return new WebSocket(url, [...offers], options as unknown as ClientOptions);
  }
}

function upstreamOf(open: Upstream, { url, host, port, path, isSecure }: GuestServer): Upstream {
  return { ...open, url, host, port, path, isSecure };
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
