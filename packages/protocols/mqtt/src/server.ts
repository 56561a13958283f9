import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import {
  admitBy,
  createStreamServer,
  endWithHttp,
  HttpDoor,
  sniff,
  type Connection,
  type StreamServer,
} from '@backlot/kit';
import { WebSocketServer } from 'ws';
import { Broker } from './broker/broker.js';
import { Gate, type Gates } from './session/gate.js';
import type { MqttShape } from './shape.js';
import { TcpTransport } from './transport/tcp-transport.js';
import { WebSocketTransport } from './transport/websocket-transport.js';
import { MAX_UNREAD, type Transport } from './transport/transport.js';
import { MAX_PACKET } from './wire/packet-framer.js';

const HTTP = Buffer.from('GET ');
/** In the order of preference; the second is what clients of MQTT 3.1 ask for. */
const SUBPROTOCOLS = ['mqtt', 'mqttv3.1'];

/** The broker's listener: MQTT and, on the same port, MQTT over WebSocket. */
export class MqttServer implements Service {
  readonly #context: Context<MqttShape>;
  readonly #streams: StreamServer;
  readonly #door: HttpDoor;
  readonly #webSockets: WebSocketServer;
  readonly #gates: Gates;
  readonly #byConnection = new WeakMap<Connection, Gate>();
  readonly #isEncrypted: boolean;
  #error: string | undefined;

  constructor(context: Context<MqttShape>) {
    const { host, port, tls } = context.config;
    this.#context = context;
    this.#gates = { context, broker: new Broker(context), byClientId: new Map() };
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#door = new HttpDoor({ onUpgrade: (...upgrade) => this.#upgrade(...upgrade) });
    this.#webSockets = new WebSocketServer({
      noServer: true,
      maxPayload: MAX_PACKET + 16,
      perMessageDeflate: false,
      handleProtocols: (offered) => SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
    });
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      limits: { maxBuffered: MAX_UNREAD },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#take(connection),
      onStopping: (connection) => this.#byConnection.get(connection)?.stop(),
      onError: (error, where) => {
        // What clients do wrong in a handshake is theirs.
        if (where !== 'tls') context.log.error(`a connection failed (${where})`, error);
      },
      onFailure: (error) => {
        this.#error = messageOf(error);
      },
    });
  }

  async start(port: number): Promise<Listening> {
    await this.#gates.broker.start();
    try {
      const place = await this.#streams.start(port);
      this.#door.start();
      return place;
    } catch (error) {
      await this.#gates.broker.stop();
      throw error;
    }
  }

  async stop(graceMilliseconds: number): Promise<void> {
    await this.#streams.stop(graceMilliseconds);
    this.#door.stop();
    await this.#gates.broker.stop();
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#isEncrypted };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  #take(connection: Connection): void {
    sniff(connection, {
      bytes: HTTP.length,
      choose: (head) => {
        if (!HTTP.subarray(0, head.length).equals(head)) {
          return () => this.#open(connection, new TcpTransport(connection));
        }
        return head.length < HTTP.length ? 'more' : () => this.#door.take(connection);
      },
    });
  }

  #open(connection: Connection, transport: Transport): void {
    this.#byConnection.set(connection, new Gate(transport, this.#gates));
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
