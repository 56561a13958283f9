import {
  CaptureMoments,
  readFrames,
  type Connection,
  type Job,
  HeldReading,
  describeClient,
  enterSpace,
  type ClientFacts,
} from '@backlot/kit';
import { FramingError } from '@backlot/kit/framing';
import { messageOf, type SpaceDoor } from '@backlot/core/plugin';
import type { Broker } from '../broker/broker.js';
import type { Owned } from '../broker/owner.js';
import type { AmqpContext } from '../shape.js';
import { AmqpError } from '../wire/amqp-error.js';
import { channel as channelClass } from '../wire/classes/channel.js';
import { connection as connectionClass } from '../wire/classes/connection.js';
import { FrameFramer } from '../wire/frame-framer.js';
import { FRAME, FRAME_OVERHEAD, PROTOCOL_HEADER } from '../wire/frame-types.js';
import { keyOfMethod, writeMethod } from '../wire/method.js';
import { REPLY } from '../wire/reply-codes.js';
import { clipShortString } from '../wire/short-string.js';
import { Channel } from './channel.js';
import type { ConnectionContext } from './connection-context.js';
import { Handshake, type Agreement } from './handshake.js';
import type { Blockade, HeldPublisher } from './blockade.js';
import { beat } from './heartbeat.js';
import { UnderWay } from './under-way.js';

/** Milliseconds that a client has to log in, and to answer a close. */
const HANDSHAKE_LIMIT = 10_000;
const CLOSE_LIMIT = 3_000;
/** While so many bytes wait to be sent, consumers of the connection get nothing more. */
const ENOUGH_WAITING = 128 * 1024;
/** What a connection may hold of messages that have not come whole, or whose transaction is open. */
const MAX_PARTIAL = 64 * 1024 * 1024;

/** One connection of a client. */
export class AmqpConnection implements ConnectionContext {
  readonly remote: string;
  context: AmqpContext;
  moments: CaptureMoments;
  broker: Broker;
  readonly owned = new Set<Owned>();
  readonly underWay: UnderWay;
  virtualHost = '/';
  username = '';
  /** What the client calls the connection. */
  name = '';
  /** Whether the client wants to know when a queue that it consumes from is gone. */
  wantsCancelNotices = false;
  /** Whether the client wants to know why it may not publish. */
  wantsBlockedNotices = false;
  /** Most bytes of a frame's payload. */
  maxPayload = 0;
  readonly #connection: Connection;
  readonly #reading: HeldReading;
  readonly #framer = new FrameFramer();
  held: HeldPublisher;
  readonly #channels = new Map<number, Channel>();
  readonly #failed = new Set<number>();
  #handshake: Handshake | undefined;
  #limit: ReturnType<Connection['after']>;
  #maxChannel = 0;
  #phase: 'opening' | 'open' | 'closing' = 'opening';
  #partialBytes = 0;
  #isStopping = false;
  #hasLeft = false;

  constructor(connection: Connection, context: AmqpContext, broker: Broker, blockade: Blockade) {
    this.#connection = connection;
    this.remote = connection.remote;
    this.context = context;
    this.moments = momentsOf(context);
    this.broker = broker;
    this.#reading = new HeldReading(connection);
    this.held = blockade.heldPublisher(this, this.#reading);
    this.underWay = new UnderWay(connection, this.#reading, () => {
      if (this.#isStopping) this.#sayGoodbye();
    });
    this.#limit = this.#limitOpening();
    describeClient(connection, () => this.#describe());
    connection.onEnd(() => this.#leave());
    connection.onClose(() => this.#leave());
    connection.socket.on(
      'drain',
      connection.isolate(() => this.#pump()),
    );
    readFrames(
      connection,
      this.#framer,
      (payload) => this.#take(payload),
      (error) => this.#refuse(error),
    );
  }

  /** Whether consumers of this connection get messages now: a client that does not read is not sent any. */
  get takesDeliveries(): boolean {
    return this.#phase === 'open' && this.#connection.buffered < ENOUGH_WAITING;
  }

  /**
   * Does what may take long for a channel: at once when it does not, else in steps while nothing more is read of the client.
   * What the client has left is done all the same.
   */
  work(channel: Pick<Channel, 'failLater'>, steps: Job): void {
    let state: 'begun' | 'held' | 'done' = 'begun';
    const end = (): void => {
      const wasHeld = state === 'held';
      state = 'done';
      if (!wasHeld) return;
      this.#reading.release();
      this.#connection.idle();
    };
    this.broker.jobs.add(this.#workOn(channel, steps, end));
    if (state !== 'begun') return;
    state = 'held';
    this.#reading.hold();
    this.#connection.busy();
  }

  isolate<A extends unknown[]>(fn: (...args: A) => unknown): (...args: A) => void {
    return this.#connection.isolate(fn);
  }

  /** Sends what the client has asked for. */
  send(frames: Buffer): void {
    this.#connection.write(frames);
  }

  /** Sends a message to a consumer. */
  deliver(frames: Buffer): void {
    this.#connection.push(frames);
  }

  /**
   * Counts bytes that are held for a message that is not published yet.
   *
   * @throws AmqpError 506 when they are too many
   */
  countPartial(bytes: number): void {
    this.#partialBytes += bytes;
    if (bytes > 0 && this.#partialBytes > MAX_PARTIAL) {
      throw new AmqpError(
        REPLY.resourceError,
        `messages that are not published yet hold more than ${MAX_PARTIAL} bytes`,
      );
    }
  }

  /**
   * The channel is closed.
   *
   * @param hasFailed - whether this side closed it: then parts of a large message may still come behind the client's answer
   */
  forget({ number }: Pick<Channel, 'number'>, hasFailed: boolean): void {
    this.#channels.delete(number);
    if (hasFailed) this.#failed.add(number);
  }

  /** Ends the connection with an error; the client has a moment to answer. */
  fail(error: AmqpError, classId = 0, methodId = 0): void {
    if (this.#phase === 'closing') return;
    this.#phase = 'closing';
    this.#leave();
    this.#sendClose(error, classId, methodId);
    this.#connection.after(CLOSE_LIMIT, () => this.#connection.end());
  }

  /** Goes on with the opening when a fault has held it up; nothing more is read of the client until then. */
  waitFor<T>(what: Promise<T>, goOn: (value: T) => void): void {
    this.#limit.cancel();
    this.#reading.hold();
    const proceed = this.#connection.isolate((value: T) => {
      if (this.#hasLeft) return;
      this.#limit = this.#limitOpening();
      try {
        goOn(value);
      } catch (thrown) {
        if (!(thrown instanceof AmqpError)) throw thrown;
        const { classId, methodId } = connectionClass.startOk;
        this.fail(thrown, classId, methodId);
      }
      this.#reading.release();
    });
    void what.then(proceed);
  }

  enter(door: SpaceDoor): Promise<void> {
    return enterSpace(door, this.#connection, this, { stays: true });
  }

  /** Its client has named the world of this broker, while it was opened. */
  moveTo(context: AmqpContext, broker: Broker, blockade: Blockade): void {
    this.context = context;
    this.moments = momentsOf(context);
    this.broker = broker;
    this.held = blockade.heldPublisher(this, this.#reading);
  }

  /** The server stops: clients are told once their answers are made. */
  stop(): void {
    this.#isStopping = true;
    if (this.underWay.size === 0) this.#sayGoodbye();
  }

  #limitOpening(): ReturnType<Connection['after']> {
    return this.#connection.after(HANDSHAKE_LIMIT, () => {
      if (this.#phase === 'opening') this.#connection.destroy();
    });
  }

  #describe(): ClientFacts {
    const holders = Array.from(this.#channels.values(), ({ consumers }) => [...consumers.values()]).flat();
    return {
      user: this.username,
      client: this.name,
      subscriptions: new Set(holders.map(({ queue }) => queue.name)),
    };
  }

  *#workOn(channel: Pick<Channel, 'failLater'>, steps: Job, end: () => void): Generator {
    try {
      for (let step = steps.next(); step.done !== true; step = steps.next()) yield step.value;
    } catch (thrown) {
      if (!(thrown instanceof AmqpError)) throw thrown;
      channel.failLater(thrown);
    } finally {
      this.#connection.isolate(end)();
    }
  }

  #sayGoodbye(): void {
    if (this.#phase !== 'open') return;
    const reason = "broker forced connection closure with reason 'shutdown'";
    this.#phase = 'closing';
    this.held.letGo();
    this.#sendClose(new AmqpError(REPLY.connectionForced, reason), 0, 0);
  }

  #sendClose(error: AmqpError, classId: number, methodId: number): void {
    const replyText = clipShortString(error.message);
    this.send(writeMethod(0, connectionClass.close, { replyCode: error.code, replyText, classId, methodId }));
  }

  #take(payload: Buffer): void {
    if (this.#handshake === undefined) {
      this.#handshake = new Handshake(this, (agreement) => this.#open(agreement));
      return;
    }
    const { type, channel: number } = this.#framer;
    if (type === FRAME.method && payload.length < 4) {
      this.fail(new AmqpError(REPLY.syntaxError, 'a method frame is shorter than the numbers of its method'));
      return;
    }
    try {
      if (number === 0) this.#takeOwn(type, payload);
      else this.#takeForChannel(number, type, payload);
    } catch (thrown) {
      this.#failWith(thrown, type, payload);
    }
  }

  #failWith(thrown: unknown, type: number, payload: Buffer): void {
    const isMethod = type === FRAME.method;
    const classId = isMethod ? payload.readUInt16BE(0) : 0;
    const methodId = isMethod ? payload.readUInt16BE(2) : 0;
    if (thrown instanceof AmqpError) this.fail(thrown, classId, methodId);
    else if (thrown instanceof FramingError) {
      this.fail(new AmqpError(REPLY.syntaxError, thrown.message), classId, methodId);
    } else throw thrown;
  }

  #takeOwn(type: number, payload: Buffer): void {
    if (type === FRAME.heartbeat) return;
    if (type !== FRAME.method) {
      if (this.#phase === 'closing') return;
      throw new AmqpError(REPLY.unexpectedFrame, 'channel 0 carries methods of class connection only');
    }
    const key = keyOfMethod(payload.readUInt16BE(0), payload.readUInt16BE(2));
    if (key === keyOfMethod(10, 50)) {
      this.#phase = 'closing';
      this.#leave();
      this.#connection.end(writeMethod(0, connectionClass.closeOk, {}));
    } else if (this.#phase === 'closing') {
      if (key === keyOfMethod(10, 51)) this.#connection.end();
    } else this.#handshake?.take(key, payload);
  }

  #takeForChannel(number: number, type: number, payload: Buffer): void {
    if (this.#phase === 'closing') return;
    if (type === FRAME.heartbeat) {
      throw new AmqpError(REPLY.frameError, `a heart-beat came on channel ${number}`);
    }
    if (this.#phase === 'opening') {
      throw new AmqpError(REPLY.commandInvalid, `a frame for channel ${number} came before connection.open`);
    }
    const channel = this.#channels.get(number);
    if (channel !== undefined) {
      channel.take(type, payload);
      return;
    }
    if (type !== FRAME.method && this.#failed.has(number)) return;
    const { open, openOk } = channelClass;
    const isOpen =
      type === FRAME.method && payload.readUInt32BE(0) === keyOfMethod(open.classId, open.methodId);
    if (!isOpen) throw new AmqpError(REPLY.channelError, "expected 'channel.open'");
    if (number > this.#maxChannel) {
      throw new AmqpError(
        REPLY.notAllowed,
        `channel ${number} is beyond the negotiated channel_max (${this.#maxChannel})`,
      );
    }
    this.#failed.delete(number);
    const opened = new Channel(this, number);
    this.#channels.set(number, opened);
    opened.send(openOk, { reserved1: Buffer.alloc(0) });
  }

  #open({ maxFrame, maxChannel, heartbeat }: Agreement): void {
    this.#phase = 'open';
    this.maxPayload = maxFrame - FRAME_OVERHEAD;
    this.#framer.maxPayload = this.maxPayload;
    this.#maxChannel = maxChannel;
    beat(this.#connection, heartbeat);
  }

  /** Bytes that are no frames. */
  #refuse(error: FramingError): void {
    if (!this.#framer.isGreeted) {
      this.#connection.end(PROTOCOL_HEADER);
      return;
    }
    if (this.#phase !== 'closing') {
      this.fail(new AmqpError(REPLY.frameError, messageOf(error)));
    }
    this.#connection.end();
  }

  #pump(): void {
    for (const channel of this.#channels.values()) channel.pump();
  }

  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#phase = 'closing';
    this.held.letGo();
    this.underWay.abort();
    for (const channel of this.#channels.values()) channel.release();
    this.#channels.clear();
    this.broker.jobs.add(this.broker.leave(this));
  }
}

/** Apart from the constructor: captured messages hold on to this function, and would hold on to all that others there use. */
function momentsOf(context: AmqpContext): CaptureMoments {
  return new CaptureMoments(() => context.newId());
}
