import { enterSpace, rollLogin } from '@backlot/kit';
import { isFramingError } from '@backlot/kit/framing';
import type { Broker } from '../broker/broker.js';
import type { Transport } from '../transport/transport.js';
import { MqttMessage } from '../message.js';
import { decodePacket } from '../wire/decode.js';
import { connackCode, encodeConnack, encodeDisconnect, PINGRESP } from '../wire/encode.js';
import { PacketFramer } from '../wire/packet-framer.js';
import type { Version } from '../wire/packet-type.js';
import type { ClientPacket, ConnectPacket, DisconnectPacket } from '../wire/packets.js';
import { PROPERTY } from '../wire/properties.js';
import { ProtocolError, REASON, RefusedConnect } from '../wire/protocol-error.js';
import { loginReason, refuseConnect } from './admit.js';
import { checkSubscribe, limitsOf, refuseWill } from './limits.js';
import { ClientSession } from './session.js';
import type { MqttContext } from './peer.js';

/** How long a client has for its CONNECT, in ms. */
const CONNECT_TIME = 10_000;

/** What the server of one server share. */
export interface ServerContext {
  readonly context: MqttContext;
  readonly broker: Broker;
  /** Who is connected under which client id. */
  readonly byClientId: Map<string, MqttConnection>;
}

/** One connection: cuts its bytes into packets, checks them and their order, and leaves them to the client's session. */
export class MqttConnection {
  readonly transport: Transport;
  #server: ServerContext;
  readonly #framer = new PacketFramer('with-connect');
  #session: ClientSession | undefined;
  #version: Version = 4;
  #user = '';
  #holds = 0;
  #isClosed = false;
  readonly #limit: { cancel(): void };

  constructor(transport: Transport, server: ServerContext) {
    this.transport = transport;
    this.#server = server;
    this.#limit = transport.after(CONNECT_TIME, () => {
      if (this.#session === undefined) transport.destroy();
    });
    transport.onClose(() => {
      this.#limit.cancel();
      this.#isClosed = true;
      this.#session?.lose();
    });
    transport.onGoOn(() => this.#goOn());
    transport.onData((chunk) => this.#read(() => this.#framer.push(chunk, this.#take)));
  }

  /** Reads no further packets until {@link release}; the two are counted. */
  hold(): void {
    this.#holds += 1;
    if (this.#holds > 1) return;
    this.#session?.isHeld(true);
    this.transport.pause();
  }

  release(): void {
    this.#holds -= 1;
    if (this.#holds > 0 || this.#isClosed) return;
    this.#session?.isHeld(false);
    this.transport.resume();
    this.#goOn();
  }

  /** Closes for a reason that an MQTT 5 client is told. */
  close(code: number): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const isTold = this.#version === 5 && this.#session?.isOpen === true;
    if (isTold) this.transport.push(encodeDisconnect(code));
    this.transport.end();
    this.#session?.lose();
  }

  /** Who it is, and what it has subscribed to. */
  describe(): { readonly user: string; readonly client?: string; readonly subscriptions: Iterable<string> } {
    const session = this.#session;
    return session === undefined
      ? { user: '', subscriptions: [] }
      : { user: this.#user, client: session.clientId, subscriptions: session.subscriber.filters };
  }

  /** Its client has named the world of this server. */
  moveTo(server: ServerContext): void {
    this.#server = server;
  }

  /** The server stops: wills are not for that. */
  stop(): void {
    this.#session?.endOrderly();
    this.close(REASON.SERVER_SHUTTING_DOWN);
  }

  readonly #take = (frame: Buffer): 'halt' | undefined => {
    if (this.#isClosed) return 'halt';
    const session = this.#session;
    const packet = decodePacket(frame, this.#version);
    if (session === undefined) this.#connect(packet);
    else this.#handle(session, packet);
    return this.#holds > 0 || this.#isClosed || this.transport.yieldWhenLong() ? 'halt' : undefined;
  };

  #goOn(): void {
    if (this.#holds === 0 && this.#framer.isHalted) this.#read(() => this.#framer.resume(this.#take));
  }

  #read(feed: () => void): void {
    if (this.#isClosed) return;
    try {
      feed();
    } catch (error) {
      if (error instanceof RefusedConnect && this.#session === undefined) {
        this.transport.push(encodeConnack(5, error.code));
        this.close(error.code);
      } else if (error instanceof ProtocolError) this.#refuse(error.code);
      else if (isFramingError(error)) {
        this.#refuse(error.code === 'too_long' ? REASON.PACKET_TOO_LARGE : REASON.MALFORMED);
      } else throw error;
    }
  }

  #refuse(code: number): void {
    // Only a level that is not served has an answer before there is a session [MQTT-3.1.2-2].
    if (this.#session === undefined && code === REASON.UNSUPPORTED_VERSION) {
      this.transport.push(encodeConnack(4, code));
    }
    this.close(code);
  }

  #connect(packet: ClientPacket): void {
    if (packet.type !== 'connect') {
      throw new ProtocolError(REASON.PROTOCOL_ERROR, `the first packet is a ${packet.type}; want a CONNECT`);
    }
    this.#version = packet.version;
    const { username } = packet;
    const door = username === undefined ? undefined : this.#server.context.spaces.ofLogin(username);
    if (door === undefined) return this.#logIn(packet);
    this.#limit.cancel();
    this.hold();
    void enterSpace(door, this.transport.connection, this, { stays: true }).then(
      this.transport.isolate(() => {
        if (this.#isClosed) return;
        this.#read(() => this.#logIn(packet));
        this.release();
      }),
    );
  }

  #logIn(asked: ConnectPacket): void {
    const { context } = this.#server;
    const { username } = asked;
    const user = username === undefined ? undefined : context.spaces.userOf(username);
    const packet = user === undefined ? asked : { ...asked, username: user };
    const wrong =
      refuseConnect(packet, context.config.users) ??
      refuseWill(packet, limitsOf(context.config, packet.version));
    const rolled = rollLogin(context);
    const refusalOf = (fault: { readonly reason_code?: number } | undefined): number | undefined =>
      fault === undefined ? wrong : loginReason(fault.reason_code);
    if (!(rolled instanceof Promise)) return this.#admit(packet, refusalOf(rolled));
    // The fault may take longer than a client has for its CONNECT, which is there.
    this.#limit.cancel();
    this.hold();
    void rolled.then(
      this.transport.isolate((fault) => {
        if (this.#isClosed) return;
        this.#admit(packet, refusalOf(fault));
        this.release();
      }),
    );
  }

  #admit(packet: ConnectPacket, refusal: number | undefined): void {
    const { context } = this.#server;
    const clientId = packet.clientId === '' ? `backlot-${context.newId()}` : packet.clientId;
    if (refusal !== undefined) {
      this.#noteConnect(clientId, packet, refusal);
      this.transport.push(encodeConnack(packet.version, refusal));
      return this.close(refusal);
    }
    this.#user = packet.username ?? '';
    this.#framer.allowLargePackets(limitsOf(context.config, packet.version).packetSize);
    const before = this.#server.byClientId.get(clientId);
    this.#server.byClientId.set(clientId, this);
    before?.expectTakeover();
    // Packets that follow at once wait for the broker.
    this.hold();
    this.#session = new ClientSession(this, this.#server, packet, clientId, (code) => {
      this.#noteConnect(clientId, packet, code);
      this.release();
    });
  }

  /** The broker is about to close this connection, for another one has come with the same client id [MQTT-3.1.4-3]. */
  expectTakeover(): void {
    this.#session?.expectTakeover();
  }

  #noteConnect(clientId: string, { version }: ConnectPacket, code: number): void {
    const message = new MqttMessage('CONNECT', clientId, { remote: this.transport.remote, clientId });
    this.#server.context.receive(message).done({ status: connackCode(version, code) });
  }

  #handle(session: ClientSession, packet: ClientPacket): void {
    session.hear();
    switch (packet.type) {
      case 'connect':
        throw new ProtocolError(REASON.PROTOCOL_ERROR, 'a second CONNECT'); // [MQTT-3.1.0-2]
      case 'publish':
        return session.publisher.take(packet);
      case 'pubrel':
        return session.publisher.release(packet.id);
      case 'puback':
      case 'pubrec':
      case 'pubcomp':
        return session.delivery.acknowledge(packet);
      case 'subscribe':
        return session.subscriber.subscribe(checkSubscribe(packet, session.limits));
      case 'unsubscribe':
        return session.subscriber.unsubscribe(packet);
      case 'pingreq':
        return this.transport.push(PINGRESP);
      case 'disconnect':
        return this.#disconnect(session, packet);
    }
  }

  #disconnect(session: ClientSession, { code, properties }: DisconnectPacket): void {
    const expiry = properties.number(PROPERTY.SESSION_EXPIRY);
    if (expiry !== undefined) session.changeExpiry(expiry);
    if (code === REASON.SUCCESS) session.endOrderly();
    this.#isClosed = true;
    this.transport.end();
    session.lose();
  }
}
