import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Context, Service } from '@backlot/core/plugin';
import { createService, sniff, type Connection, describeClient } from '@backlot/kit';
import { endWithHttp, HttpAcceptor } from '@backlot/kit/http';
import { WebSocketServer } from 'ws';
import { Broker } from './broker/broker.js';
import { publish } from './sections/publish.js';
import { RetainedSection } from './sections/retained.js';
import { sessionSection } from './sections/sessions.js';
import { MqttConnection, type ServerContext } from './session/connection.js';
import type { MqttShape } from './shape.js';
import type { Relay } from './upstream/relay.js';
import { TcpTransport } from './transport/tcp-transport.js';
import { WebSocketTransport } from './transport/websocket-transport.js';
import { MAX_UNREAD, type Transport } from './transport/transport.js';
import { MAX_PACKET } from './wire/packet-framer.js';

const HTTP = Buffer.from('GET ');
/** In the order of preference; the second is what clients of MQTT 3.1 ask for. */
const SUBPROTOCOLS = ['mqtt', 'mqttv3.1'];

/**
 * The broker's listener: MQTT and, on the same port, MQTT over WebSocket.
 *
 * @param relay - takes clients in its place, where there is an upstream
 */
export function createMqttService(context: Context<MqttShape>, relay?: Relay): Service {
  const broker = new Broker(context);
  const reception = new Reception({ context, broker, byClientId: new Map() }, relay);
  return createService(context, {
    data: { retained: new RetainedSection(broker), sessions: sessionSection(broker) },
    publish: (message) => publish(broker, message),
    stream: {
      limits: { maxBuffered: MAX_UNREAD },
      onConnection: (connection) => reception.take(connection),
      ...(relay === undefined
        ? {
            onEntered: (connection: Connection, client: MqttConnection) =>
              reception.takeOver(connection, client),
          }
        : { allowHalfOpen: true }),
      onStopping: (connection) => reception.sayGoodbye(connection),
    },
    ...(relay !== undefined && { reset: () => relay.desk.reset() }),
    onStarting: () => broker.start(),
    onStarted: () => reception.start(),
    onStopped: async () => {
      reception.stop();
      await broker.stop();
    },
  });
}

/** Takes connections, whichever way MQTT is carried on them. */
class Reception {
  readonly #acceptor: HttpAcceptor;
  readonly #webSockets: WebSocketServer;
  readonly #server: ServerContext;
  readonly #relay: Relay | undefined;
  readonly #byConnection = new WeakMap<Connection, MqttConnection>();

  constructor(server: ServerContext, relay: Relay | undefined) {
    this.#server = server;
    this.#relay = relay;
    this.#acceptor = new HttpAcceptor({
      upgrade: { token: 'websocket', take: (...arrived) => this.#upgrade(...arrived) },
    });
    this.#webSockets = new WebSocketServer({
      noServer: true,
      maxPayload: MAX_PACKET + 16,
      perMessageDeflate: false,
      handleProtocols: (offered) => SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
    });
  }

  start(): void {
    this.#acceptor.start();
  }

  stop(): void {
    this.#acceptor.stop();
  }

  sayGoodbye(connection: Connection): void {
    this.#byConnection.get(connection)?.stop();
  }

  take(connection: Connection): void {
    sniff(connection, {
      bytes: HTTP.length,
      choose: (head) => {
        if (!HTTP.subarray(0, head.length).equals(head)) {
          return () => this.#open(connection, new TcpTransport(connection));
        }
        return head.length < HTTP.length ? 'more' : () => this.#acceptor.take(connection);
      },
    });
  }

  /** Takes a client that came to the port of another world. */
  takeOver(connection: Connection, client: MqttConnection): void {
    client.moveTo(this.#server);
    this.#byConnection.set(connection, client);
  }

  #open(connection: Connection, transport: Transport): void {
    if (this.#relay !== undefined) {
      this.#relay.take(transport);
      return;
    }
    const client = new MqttConnection(transport, this.#server);
    this.#byConnection.set(connection, client);
    describeClient(connection, () => client.describe());
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer, connection: Connection): void {
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (!SUBPROTOCOLS.some((name) => offered.includes(name))) {
      const got = offered.filter((name) => name !== '').join(', ') || 'none';
      endWithHttp(connection, 400, `no subprotocol of MQTT was offered: got ${got}, want mqtt`); // [MQTT-6.0.0-3]
      return;
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      this.#open(connection, new WebSocketTransport(webSocket, connection));
    });
  }
}
