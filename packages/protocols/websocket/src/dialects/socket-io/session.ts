import { timers, type Timer } from '@backlot/kit';
import type { Log } from '@backlot/core/plugin';
import type { Replier } from '@backlot/kit/http';
import type { Carrier, Receiver } from '../carrier.js';
import { DialectError, type Packet } from '../dialect.js';
import type { SocketCarrier } from '../socket-carrier.js';
import { GOING_AWAY, NORMAL, PROTOCOL_ERROR } from '../../wire/close-code.js';
import { badRequest, okAnswer, textAnswer } from './answers.js';
import { Outbox } from './outbox.js';
import type { EngineWire } from './wire.js';

/** Milliseconds between pings, and within which they must be answered: the defaults of socket.io. */
const PING_EVERY = 25_000;
const PONG_WITHIN = 20_000;
/** Most bytes of a message, as clients are told. */
const MAX_PAYLOAD = 1_000_000;
/** The close code of a connection that was lost without one. */
const LOST = 1006;

/** What the first character of a packet says. */
const CLOSE = '1';
const PING = '2';
const PONG = '3';
const MESSAGE = '4';
const UPGRADE = '5';
const NOOP = '6';
const PROBE = 'probe';

/** How a session begins. */
interface EngineOptions {
  readonly id: string;
  readonly wire: EngineWire;
  readonly log: Log;
  /** Called when it is over. */
  readonly onEnd: () => void;
}

/** What a client of socket.io 2 does not say: it enters the main namespace as it connects. */
const ENTERS = '0';

/**
 * One session of engine.io, version 4 or 3, which carries socket.io: over WebSocket, or by long polling with a later move to
 * WebSocket.
 */
export class EngineSession implements Carrier {
  readonly id: string;
  readonly #wire: EngineWire;
  readonly #log: Log;
  readonly #onEnd: () => void;
  readonly #outbox = new Outbox();
  #receiver: Receiver | undefined;
  #socket: SocketCarrier | undefined;
  /** The request that waits for packets. */
  #poll: Replier | undefined;
  /** The request whose packets are being handled, which is answered once there is room for more. */
  #post: Replier | undefined;
  #isMoving = false;
  #isHeld = false;
  #isOver = false;
  #busy = 0;
  #timer: Timer | undefined;

  constructor({ id, wire, log, onEnd }: EngineOptions) {
    this.id = id;
    this.#wire = wire;
    this.#log = log;
    this.#onEnd = onEnd;
    this.#heard();
  }

  /** Says who is told what arrives. */
  listen(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  /** The packet that opens the session. */
  opening(): string {
    const upgrades = this.#socket === undefined ? ['websocket'] : [];
    const times = {
      ...{ pingInterval: PING_EVERY, pingTimeout: PONG_WITHIN },
      ...(this.#wire.version === 4 ? { maxPayload: MAX_PAYLOAD } : {}),
    };
    return `0${JSON.stringify({ sid: this.id, upgrades, ...times })}`;
  }

  /** Whether packets go over WebSocket. */
  get hasSocket(): boolean {
    return this.#socket !== undefined;
  }

  get waiting(): number {
    return this.#socket?.waiting ?? this.#outbox.length;
  }

  get isChoked(): boolean {
    return this.#socket?.isChoked ?? this.#outbox.isFull;
  }

  send(packets: readonly Packet[]): void {
    this.#write(packets.map((packet) => (typeof packet === 'string' ? MESSAGE + packet : packet)));
  }

  whenRead(): Promise<void> {
    return this.#socket?.whenRead() ?? this.#outbox.whenRead();
  }

  release(): void {
    this.#socket?.release();
    this.#outbox.release();
  }

  hold(): void {
    this.#isHeld = true;
    this.#socket?.hold();
  }

  free(): void {
    this.#isHeld = false;
    this.#socket?.free();
    this.#endPost();
  }

  close(code: number, reason: string): void {
    if (this.#socket !== undefined) return this.#socket.close(code, reason);
    this.#write([CLOSE]);
    this.#flush();
    this.#end(code, reason);
  }

  destroy(): void {
    if (this.#socket !== undefined) this.#socket.destroy();
    else this.#end(LOST, '');
  }

  busy(): void {
    this.#busy += 1;
    if (this.#busy === 1) this.#socket?.busy();
  }

  idle(): void {
    this.#busy -= 1;
    if (this.#busy === 0) this.#socket?.idle();
  }

  isolate<A extends unknown[]>(fn: (...args: A) => unknown): (...args: A) => void {
    return (...args) => {
      try {
        fn(...args);
      } catch (thrown) {
        this.#log.error('a client of socket.io was cut, since what it sent could not be handled', thrown);
        this.destroy();
      }
    };
  }

  /** A request of long polling that asks for packets. */
  takePoll(replier: Replier): void {
    if (this.#socket !== undefined) return replier.send(badRequest());
    if (this.#poll !== undefined) {
      replier.send(badRequest());
      return this.#end(PROTOCOL_ERROR, 'two polls at once');
    }
    this.#poll = replier;
    replier.onClose(() => {
      if (this.#poll !== replier) return;
      this.#poll = undefined;
      this.#end(LOST, '');
    });
    // The client is to end its polls before it moves.
    if (this.#isMoving) this.#outbox.add([NOOP]);
    this.#flush();
  }

  /** A request of long polling that brings packets. */
  takePost(replier: Replier, body: Buffer): void {
    if (this.#socket !== undefined || this.#post !== undefined) return replier.send(badRequest());
    this.#post = replier;
    try {
      for (const packet of this.#wire.read(body)) this.#read(packet);
    } catch (thrown) {
      if (!(thrown instanceof DialectError)) throw thrown;
      this.#post = undefined;
      replier.send(badRequest());
      return this.#end(PROTOCOL_ERROR, thrown.message);
    }
    if (!this.#isHeld || this.#isOver) this.#endPost();
  }

  /** The session begins on a WebSocket. */
  begin(socket: SocketCarrier): void {
    this.#attach(socket);
    socket.send([this.opening()]);
    this.greet();
  }

  /** Lets a client in that does not say that it enters. */
  greet(): void {
    if (this.#wire.version === 3) this.#receiver?.receive(ENTERS);
  }

  /** The session is to move to a WebSocket: the client tries it first. */
  move(socket: SocketCarrier): void {
    this.#isMoving = true;
    socket.listen({
      receive: (packet) => {
        if (packet === PING + PROBE) {
          socket.send([PONG + PROBE]);
          if (this.#poll !== undefined) this.#write([NOOP]);
        } else if (packet === UPGRADE && !this.#isOver) {
          this.#isMoving = false;
          this.#attach(socket);
          this.#flush();
        } else {
          socket.close(PROTOCOL_ERROR, 'a probe or an upgrade was to come');
        }
      },
      drained: () => undefined,
      closed: () => (this.#isMoving = false),
    });
  }

  #attach(socket: SocketCarrier): void {
    this.#socket = socket;
    if (this.#busy > 0) socket.busy();
    if (this.#isHeld) socket.hold();
    this.#poll?.send(textAnswer(this.#wire.write([NOOP])));
    this.#poll = undefined;
    socket.listen({
      receive: (packet) => {
        try {
          this.#read(typeof packet === 'string' ? packet : this.#wire.unframe(packet));
        } catch (thrown) {
          if (!(thrown instanceof DialectError)) throw thrown;
          socket.close(PROTOCOL_ERROR, thrown.message);
        }
      },
      drained: () => this.#receiver?.drained(),
      closed: (code, reason) => this.#end(code, reason),
    });
  }

  #read(packet: Packet): void {
    if (this.#isOver) return;
    if (typeof packet !== 'string') return this.#receiver?.receive(packet);
    switch (packet[0]) {
      case MESSAGE:
        return this.#receiver?.receive(packet.slice(1));
      case PONG:
        return this.#heard();
      case PING:
        if (this.#wire.version === 3) this.#heard();
        return this.#write([PONG + packet.slice(1)]);
      case CLOSE:
        if (this.#socket === undefined) return this.#end(NORMAL, '');
        return this.#socket.close(NORMAL, '');
      case NOOP:
      case UPGRADE:
        return;
      default:
        throw new DialectError(`${JSON.stringify(packet.slice(0, 60))} is no packet of engine.io`);
    }
  }

  #write(packets: readonly Packet[]): void {
    if (this.#isOver) return;
    if (this.#socket !== undefined) return this.#socket.send(this.#frame(packets));
    this.#outbox.add(packets);
    this.#flush();
  }

  #frame(packets: readonly Packet[]): readonly Packet[] {
    return packets.map((packet) => (typeof packet === 'string' ? packet : this.#wire.frame(packet)));
  }

  /** Sends what waits, where there is a way. */
  #flush(): void {
    if (this.#outbox.length === 0) return;
    if (this.#socket !== undefined)
      this.#socket.send(this.#frame(this.#outbox.take().filter((packet) => packet !== NOOP)));
    else if (this.#poll === undefined) return;
    else {
      const poll = this.#poll;
      this.#poll = undefined;
      poll.send(textAnswer(this.#wire.write(this.#outbox.take())));
    }
    this.#outbox.release();
    this.#receiver?.drained();
  }

  #endPost(): void {
    this.#post?.send(okAnswer());
    this.#post = undefined;
  }

  #ping(): void {
    this.#write([PING]);
    this.#timer = timers.after(PONG_WITHIN, () => this.#lose(), { unref: true });
  }

  /** A ping was not answered. */
  #lose(): void {
    if (this.#socket !== undefined) this.#socket.close(GOING_AWAY, 'ping timeout');
    this.#end(LOST, 'ping timeout');
  }

  #heard(): void {
    this.#timer?.cancel();
    // In version 3 clients ask, and the server waits for it.
    this.#timer =
      this.#wire.version === 3
        ? timers.after(PING_EVERY + PONG_WITHIN, () => this.#lose(), { unref: true })
        : timers.after(PING_EVERY, () => this.#ping(), { unref: true });
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#endPost();
    this.#poll?.send(textAnswer(this.#wire.write([NOOP])));
    this.#poll = undefined;
    this.release();
    this.#onEnd();
    this.#receiver?.closed(code, reason);
  }
}
