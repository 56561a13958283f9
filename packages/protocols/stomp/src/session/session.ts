import type { Context, ExchangeFor } from '@backlot/core/plugin';
import { PendingAnswers, describeClient, enterSpace, rollLogin } from '@backlot/kit';
import { isFramingError } from '@backlot/kit/framing';
import type { Broker } from '../broker/broker.js';
import type { BrokerMessage } from '../broker/broker-message.js';
import { TEMPORARY } from '../broker/destination.js';
import type { Delivery, Receiver, Subscription } from '../broker/subscription.js';
import { MAX_MESSAGE_BYTES } from '../schemas.js';
import type { StompShape } from '../shape.js';
import type { Ending, Transport } from '../transport/transport.js';
import { parseFrame, type Frame } from '../wire/frame.js';
import { StompError } from '../wire/stomp-error.js';
import { StompFramer } from '../wire/stomp-framer.js';
import type { Version } from '../wire/version.js';
import { COMMANDS, commandOf } from './commands.js';
import { agree } from './handshake.js';
import { HeartBeats } from './heart-beats.js';
import type { Answering } from './answering.js';
import type { Arrival, Intake } from './intake.js';
import { Subscriptions } from './subscriptions.js';
import { TemporaryQueues } from './temporary-queues.js';
import { Transactions } from './transactions.js';
import { Writer } from './writer.js';

/** Before CONNECT nobody needs more; with the headers it is 64 KiB. */
const MAX_FIRST_BODY = 32 * 1024;
/** How long a client may take to connect, in ms. */
const CONNECT_LIMIT = 10_000;
/** Bytes that may wait behind a message that is delayed, before no more are read. */
const MAX_WAITING = 1024 * 1024;

/** What all sessions of a server share. */
export interface SessionServices {
  readonly context: Context<StompShape>;
  readonly broker: Broker;
  readonly intake: Intake;
  readonly answering: Answering;
}

/**
 * One client. Its frames are handled in their order: while a message waits for its delay, what the client sends after it
 * waits too.
 */
export class Session implements Receiver {
  subscriptions: Subscriptions;
  readonly transactions = new Transactions();
  intake: Intake;
  answering: Answering;
  #temporary: TemporaryQueues;
  #context: Context<StompShape>;
  readonly #transport: Transport;
  readonly #writer: Writer;
  readonly #framer = new StompFramer(MAX_FIRST_BODY);
  readonly #underWay = new Set<ExchangeFor<StompShape>>();
  readonly #limit: { cancel(): void };
  #version: Version | undefined;
  #heartBeats: HeartBeats | undefined;
  #tags = 0;
  #user = '';
  readonly #pending: PendingAnswers;
  #isHeld = false;
  #isOver = false;
  #isLeaving = false;
  #isStopping = false;
  #isBlocked = false;
  /** Whether a queue has found the client choked, so that it is to be told when that is over. */
  #hasMissed = false;
  #next: (() => void) | undefined;

  constructor(transport: Transport, { context, broker, intake, answering }: SessionServices) {
    const { connection } = transport;
    this.#transport = transport;
    this.#writer = new Writer(transport);
    this.#context = context;
    this.intake = intake;
    this.answering = answering;
    this.#temporary = new TemporaryQueues(broker, () => context.newId());
    this.subscriptions = new Subscriptions(this, broker, this.#temporary);
    this.#limit = connection.after(CONNECT_LIMIT, () =>
      this.#fail(new StompError(`no CONNECT frame within ${CONNECT_LIMIT / 1000} s`)),
    );
    this.#pending = new PendingAnswers(connection, { pauses: false, onRoom: () => this.#goOn() });
    describeClient(connection, () => ({
      user: this.#user,
      subscriptions: this.subscriptions.destinations,
    }));
    connection.onClose(() => this.#leave());
    transport.onResume(() => this.#goOn());
    transport.onData((chunk) => this.#receive(chunk));
  }

  /** Its client has named the world of these services, before anything else. */
  moveTo({ context, broker, intake, answering }: SessionServices): void {
    this.#context = context;
    this.intake = intake;
    this.answering = answering;
    this.#temporary = new TemporaryQueues(broker, () => context.newId());
    this.subscriptions = new Subscriptions(this, broker, this.#temporary);
  }

  get version(): Version {
    return this.#version ?? '1.0';
  }

  get isReady(): boolean {
    if (this.#transport.isChoked) this.#hasMissed = true;
    return !this.#isOver && !this.#transport.isChoked && !this.#transport.isEnded;
  }

  nextTag(subscription: Subscription, message: BrokerMessage): string {
    if (this.#version !== '1.2') return message.id;
    this.#tags += 1;
    return `${subscription.number}-${this.#tags}`;
  }

  deliver(delivery: Delivery): void {
    if (!this.#isOver) this.#writer.deliver(delivery);
  }

  push(delivery: Delivery): void {
    if (!this.#isOver) this.#writer.push(delivery);
  }

  /** Takes the first frame; later when a fault delays the login. */
  connect(frame: Frame): Promise<void> | undefined {
    if (this.#version !== undefined)
      throw new StompError(
        'connected already',
        `${frame.command} is for the beginning; this session has begun`,
      );
    this.#limit.cancel();
    const door = this.#context.spaces.ofLogin(frame.headers['host'] ?? '');
    if (door === undefined) return this.#logIn(frame);
    const { connection } = this.#transport;
    return enterSpace(door, connection, this, { stays: true }).then(() => this.#logIn(frame));
  }

  #logIn(frame: Frame): Promise<void> | undefined {
    const rolled = rollLogin(this.#context);
    if (rolled instanceof Promise) return rolled.then((refusal) => this.#admit(frame, refusal));
    this.#admit(frame, rolled);
    return undefined;
  }

  #admit(frame: Frame, refusal: { readonly message?: string } | undefined): void {
    if (this.#isOver) return;
    if (refusal !== undefined) throw new StompError(refusal.message ?? 'login refused');
    const { version, heartBeat } = agree(frame.headers, this.#context.config.users);
    this.#version = version;
    this.#user = frame.headers['login'] ?? '';
    this.#framer.limit = this.#context.config.max_message_bytes ?? MAX_MESSAGE_BYTES;
    this.#writer.version = version;
    this.#transport.connected();
    this.#heartBeats = new HeartBeats(this.#transport.connection, {
      interval: heartBeat,
      writer: this.#writer,
      isReading: () => !this.#transport.isPaused,
      onSilence: () =>
        this.#fail(new StompError('heart-beat missed', `nothing came for ${2 * heartBeat.expects} ms`)),
    });
    this.#writer.connected(this.#context.newId(), heartBeat);
  }

  /** Ends the session once its last frame was acknowledged. */
  disconnect(): void {
    this.#isLeaving = true;
  }

  /** Does this after the receipt of the frame that is being handled. */
  afterwards(next: () => void): void {
    this.#next = next;
  }

  /** The server stops: ends the session, once what it waits for is done. */
  stop(): void {
    this.#isStopping = true;
    if (this.#pending.isEmpty) this.#end('going away');
  }

  /** Somebody closes the connection: the client is told. */
  sayGoodbye(): void {
    this.#fail(new StompError('connection closed', 'the connection was closed on the server'));
  }

  /** Begins the exchange of a SEND frame, which ends when the client leaves. */
  receive(frame: Frame): Arrival {
    const arrival = this.intake.receive(frame, this.#transport.connection.remote, this.#temporary);
    this.#underWay.add(arrival.exchange);
    return arrival;
  }

  /** Begins the exchange of a SUBSCRIBE frame, when there is a mock for it. */
  receiveSubscription(frame: Frame): Arrival | undefined {
    const { remote } = this.#transport.connection;
    const arrival = this.intake.receiveSubscription(frame, remote, this.#temporary);
    if (arrival !== undefined) this.#underWay.add(arrival.exchange);
    return arrival;
  }

  /**
   * A message is to be sent: its receivers can answer to a temporary queue of the session.
   *
   * @throws StompError when it or the destination names a temporary queue that is not valid
   */
  prepare({ headers: { destination = '', 'reply-to': replyTo } }: Frame): void {
    if (destination.startsWith(TEMPORARY)) this.#temporary.open(destination);
    this.subscriptions.expectAnswers(replyTo, this.version);
  }

  /** Ends the session from this side. */
  #end(how: Ending): void {
    if (this.#isOver) return;
    this.#leave();
    this.#transport.end(how);
  }

  #receive(chunk: Buffer): void {
    this.#heartBeats?.received();
    if (this.#isOver) return;
    this.#feed(() => this.#framer.push(chunk, this.#take));
    if (this.#pending.isFull && this.#framer.waiting > MAX_WAITING) {
      this.#isHeld = true;
      this.#transport.pause();
    }
  }

  #feed(feed: () => void): void {
    try {
      feed();
    } catch (thrown) {
      if (!isFramingError(thrown)) throw thrown;
      this.#fail(
        new StompError(thrown.code === 'too_long' ? 'frame too large' : 'malformed frame', thrown.message),
      );
    }
  }

  readonly #take = (bytes: Buffer): 'halt' | undefined => {
    if (bytes.length > 0) this.#takeFrame(bytes);
    if (this.#pending.isFull || this.#isOver) return 'halt';
    if (!this.#transport.yieldWhenLong() && !this.#transport.isPaused) return undefined;
    // There may be frames behind it: the end of the client's side must not be the end of them.
    if (!this.#isBlocked) this.#transport.connection.busy();
    this.#isBlocked = true;
    return 'halt';
  };

  #takeFrame(bytes: Buffer): void {
    let frame: Frame | undefined;
    try {
      frame = parseFrame(bytes, this.#framer.bodyStart, this.#version);
      const late = COMMANDS[commandOf(frame, this.#version)](this, frame);
      if (late === undefined) this.#finish(frame);
      else this.#wait(frame, late);
    } catch (thrown) {
      this.#fail(thrown, frame);
    }
  }

  #wait(frame: Frame, late: Promise<void>): void {
    const failure = late.then(
      () => undefined,
      (thrown: unknown) => ({ thrown }),
    );
    this.#pending.wait(failure, (failed) => {
      if (failed === undefined) this.#finish(frame);
      else this.#fail(failed.thrown, frame);
    });
  }

  #finish(frame: Frame): void {
    this.#underWay.clear();
    const { receipt } = frame.headers;
    if (receipt !== undefined && frame.command !== 'CONNECT' && frame.command !== 'STOMP')
      this.#writer.receipt(receipt);
    const next = this.#next;
    this.#next = undefined;
    try {
      next?.();
    } catch (thrown) {
      this.#fail(thrown);
    }
    if (this.#isLeaving) this.#end('done');
    else if (this.#isStopping) this.#end('going away');
  }

  #goOn(): void {
    if (this.#isOver || this.#pending.isFull) return;
    if (this.#isHeld) {
      this.#isHeld = false;
      this.#transport.resume();
      return;
    }
    if (this.#transport.isPaused) return;
    const wasBlocked = this.#isBlocked;
    this.#isBlocked = false;
    this.#feed(() => this.#framer.resume(this.#take));
    if (this.#hasMissed) {
      this.#hasMissed = false;
      this.subscriptions.wakeAll();
    }
    if (wasBlocked) this.#transport.connection.idle();
  }

  /** Answers what is wrong, and ends the session, as the standard has it. */
  #fail(thrown: unknown, frame?: Frame): void {
    if (!(thrown instanceof StompError)) throw thrown;
    if (this.#isOver) return;
    this.#writer.error(thrown, frame?.headers['receipt']);
    this.#end('error');
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#limit.cancel();
    this.subscriptions.endAll();
    this.#temporary.dropAll();
    for (const exchange of this.#underWay) exchange.abort();
    this.#underWay.clear();
  }
}
