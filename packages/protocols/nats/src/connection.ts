import { readFrames, type Connection, HeldReading, describeClient, enterSpace } from '@backlot/kit';
import type { FramingError } from '@backlot/kit/framing';
import type { Broker } from './broker.js';
import { KeepAlive } from './keep-alive.js';
import { PublishedBytes, PublishedFrame } from './published.js';
import type { Settings } from './settings.js';
import { Subscription, type Subscriber } from './subscription.js';
import { DEFAULT_OPTIONS, parseConnect, type ConnectOptions } from './wire/connect-options.js';
import { ERRORS, ProtocolError, type ErrorText } from './wire/errors.js';
import { NatsFramer, SUBJECT_START } from './wire/nats-framer.js';
import { parseHpub, parseLine, parsePub, parseSub, parseUnsub, type PublishHead } from './wire/operation.js';
import { Outgoing } from './wire/outgoing.js';
import { isLiteral, isSubscribable } from './wire/subject.js';
import { WaitingMessages, type Waiter } from './waiting-messages.js';

const CR = 13;
const LF = 10;
/** Milliseconds a client has to log in where it must. */
const LOGIN_TIME = 2_000;
/** Milliseconds a client that is cut as slow has to read why. */
const LAST_WORDS = 1_000;

/** One connection and what it has asked for. */
export class NatsConnection implements Subscriber {
  readonly remote: string;
  readonly outgoing: Outgoing;
  readonly reading: HeldReading;
  readonly #connection: Connection;
  #broker: Broker;
  #settings: Settings;
  readonly #framer: NatsFramer;
  readonly #keepAlive: KeepAlive;
  readonly #waiting: WaitingMessages;
  readonly #subscriptions = new Map<string, Subscription>();
  #options: ConnectOptions = DEFAULT_OPTIONS;
  #head: PublishHead | undefined;
  #lastSubject = '';
  #isLoggedIn: boolean;
  /** Whether the client has said who it is. */
  #isNamed = false;
  #hasLeft = false;
  #limit: ReturnType<Connection['after']> | undefined;

  constructor(connection: Connection, broker: Broker, settings: Settings) {
    this.#connection = connection;
    this.#broker = broker;
    this.#settings = settings;
    this.remote = connection.remote;
    this.#isLoggedIn = settings.users === undefined;
    this.#framer = new NatsFramer(settings.maxControlLine, settings.maxPayload);
    this.#framer.takesWhole = this.#isLoggedIn;
    this.outgoing = new Outgoing(connection, settings.maxPending, () => this.#cutSlow());
    this.reading = new HeldReading(connection);
    this.#waiting = new WaitingMessages(connection, this.reading);
    this.#keepAlive = new KeepAlive(connection, settings, {
      ping: () => this.outgoing.send('PING\r\n'),
      stale: () => this.#fail(ERRORS.stale),
    });
    if (!this.#isLoggedIn) {
      this.#limit = connection.after(LOGIN_TIME, () => {
        if (!this.#isLoggedIn) this.#fail(ERRORS.authenticationTimeout);
      });
    }
    describeClient(connection, () => ({
      user: this.#options.username,
      client: this.#options.name,
      subscriptions: Array.from(this.#subscriptions.values(), ({ subject }) => subject),
    }));
    // Who sends nothing more waits for nothing: there is no half-open client of NATS.
    connection.onEnd(() => this.#leave());
    connection.onClose(() => this.#leave());
  }

  /** Begins to read. */
  start(): void {
    readFrames(
      this.#connection,
      this.#framer,
      (frame) => this.#take(frame),
      (error) => this.#fail(textOf(error)),
    );
  }

  /** Its client has named the world of this broker. */
  moveTo(broker: Broker, settings: Settings): void {
    this.#unsubscribeAll();
    this.#broker = broker;
    this.#settings = settings;
  }

  get takesHeaders(): boolean {
    return this.#options.headers;
  }

  get wantsEcho(): boolean {
    return this.#options.echo;
  }

  /** Whether it is told that nobody takes a request. */
  get wantsNoResponders(): boolean {
    return this.#options.noResponders;
  }

  /** Keeps account of a message that waits. Gives what is to be called when it waits no more. */
  hold(waiter: Waiter, message: { readonly reply: string; readonly size: number }): () => void {
    return this.#waiting.add(waiter, message.reply !== '', message.size);
  }

  /** Tells that a message is not taken, in the words that clients know a refusal of one subject by. */
  deny(subject: string, reason: string): void {
    const why = reason.replaceAll(/['\r\n]/g, '"');
    this.outgoing.send(`-ERR 'Permissions Violation for Publish to "${subject}": ${why}'\r\n`);
  }

  finished(subscription: Subscription): void {
    this.#broker.router.remove(subscription);
    this.#subscriptions.delete(subscription.sid);
  }

  #take(frame: Buffer): void {
    try {
      if (this.#framer.isWhole && this.#head === undefined) this.#publishWhole(frame);
      else if (this.#head === undefined) this.#obey(frame);
      else this.#publish(this.#head, frame);
    } catch (error) {
      this.#explain(error);
    }
  }

  /** Goes on with a login that had to wait. */
  #goOn(logIn: () => void): void {
    if (this.#hasLeft) return;
    try {
      logIn();
    } catch (error) {
      this.#explain(error);
    }
    this.reading.release();
  }

  #explain(error: unknown): void {
    if (!(error instanceof ProtocolError)) throw error;
    this.#fail(error.text);
  }

  #obey(line: Buffer): void {
    const { name, rest } = parseLine(line);
    if (!this.#isLoggedIn && name !== 'CONNECT') throw new ProtocolError(ERRORS.authorization);
    switch (name) {
      case 'PUB':
        return this.#expect(parsePub(rest, this.#settings.maxPayload));
      case 'HPUB':
        if (!this.#options.headers) throw new ProtocolError(ERRORS.headersNotSupported);
        return this.#expect(parseHpub(rest, this.#settings.maxPayload));
      case 'SUB':
        return this.#subscribe(rest);
      case 'UNSUB':
        return this.#unsubscribe(rest);
      case 'PING':
        return this.outgoing.send('PONG\r\n');
      case 'PONG':
        return this.#keepAlive.answered();
      case 'CONNECT':
        return this.#connect(rest);
      case 'INFO':
      case '+OK':
        // What only servers send is taken and means nothing, as a server of the NATS project has it.
        return;
      case '-ERR':
        return this.outgoing.end();
      default:
        throw new ProtocolError(ERRORS.unknownOperation);
    }
  }

  #connect(json: string): void {
    const options = parseConnect(json);
    const door = this.#isNamed ? undefined : this.#settings.spaces.ofLogin(options.username);
    this.#isNamed = true;
    if (door === undefined) return this.#begin(options);
    this.#limit?.cancel();
    this.reading.hold();
    void enterSpace(door, this.#connection, this, { stays: true }).then(
      this.#connection.isolate(() => this.#goOn(() => this.#begin(options))),
    );
  }

  #begin(asked: ConnectOptions): void {
    const user = this.#settings.spaces.userOf(asked.username);
    const options = user === undefined ? asked : { ...asked, username: user };
    const rolled = this.#settings.rollLogin();
    if (rolled instanceof Promise) this.#admitLater(options, rolled);
    else this.#logIn(options, rolled);
  }

  /** A fault delays the login: nothing more is read of the client until then. */
  #admitLater(options: ConnectOptions, rolled: Promise<boolean>): void {
    this.#limit?.cancel();
    this.reading.hold();
    void rolled.then(
      this.#connection.isolate((isRefused: boolean) => this.#goOn(() => this.#logIn(options, isRefused))),
    );
  }

  #logIn(options: ConnectOptions, isRefused: boolean): void {
    this.#options = options;
    if (isRefused) throw new ProtocolError(ERRORS.authorization);
    if (!this.#settings.mayLogIn(this.#options)) throw new ProtocolError(ERRORS.authorization);
    this.#isLoggedIn = true;
    this.#framer.takesWhole = true;
    this.#confirm();
  }

  #expect(head: PublishHead): void {
    this.#head = head;
    this.#framer.expectBytes(head.size + 2);
  }

  #publish({ subject, reply, headerSize, size }: PublishHead, frame: Buffer): void {
    this.#head = undefined;
    if (frame[size] !== CR || frame[size + 1] !== LF) throw new ProtocolError(ERRORS.unknownOperation);
    this.#admit(subject);
    const headers = headerSize === 0 ? undefined : frame.subarray(0, headerSize);
    this.#broker.publish(this, new PublishedBytes(subject, reply, headers, frame.subarray(headerSize, size)));
  }

  #publishWhole(frame: Buffer): void {
    const { subjectEnd, replyStart, replyEnd, payloadStart, size } = this.#framer.whole;
    const end = payloadStart + size;
    if (frame[end] !== CR || frame[end + 1] !== LF) throw new ProtocolError(ERRORS.unknownOperation);
    const subject = this.#subjectOf(frame, subjectEnd);
    const reply = replyStart === 0 ? '' : frame.toString('latin1', replyStart, replyEnd);
    this.#admit(subject);
    this.#broker.publish(this, new PublishedFrame(subject, reply, frame, subjectEnd, payloadStart, size));
  }

  /** The subject of a frame. Who publishes often publishes to one: the same text is quicker to look up, and kept once. */
  #subjectOf(frame: Buffer, end: number): string {
    const last = this.#lastSubject;
    if (last.length === end - SUBJECT_START) {
      let at = SUBJECT_START;
      while (at < end && frame[at] === last.charCodeAt(at - SUBJECT_START)) at += 1;
      if (at === end) return last;
    }
    return (this.#lastSubject = frame.toString('latin1', SUBJECT_START, end));
  }

  #admit(subject: string): void {
    if (this.#options.pedantic && !isLiteral(subject)) this.#complain(ERRORS.publishSubject);
    this.#confirm();
  }

  #subscribe(rest: string): void {
    const { subject, queue, sid } = parseSub(rest);
    if (!isSubscribable(subject)) return this.#complain(ERRORS.subscribeSubject);
    // A number that is in use keeps its subscription.
    if (!this.#subscriptions.has(sid)) {
      const { router } = this.#broker;
      if (this.#subscriptions.size >= this.#settings.maxSubscriptions || router.isFull) {
        return this.#complain(ERRORS.subscriptions);
      }
      const subscription = new Subscription(this, subject, queue, sid);
      this.#subscriptions.set(sid, subscription);
      router.add(subscription);
    }
    this.#confirm();
  }

  #unsubscribe(rest: string): void {
    const { sid, max } = parseUnsub(rest);
    const subscription = this.#subscriptions.get(sid);
    if (subscription !== undefined) {
      if (max > subscription.delivered) subscription.max = max;
      else this.finished(subscription);
    }
    this.#confirm();
  }

  #confirm(): void {
    if (this.#options.verbose) this.outgoing.send('+OK\r\n');
  }

  #complain(text: ErrorText): void {
    this.outgoing.send(`-ERR '${text}'\r\n`);
  }

  #fail(text: ErrorText): void {
    this.#unsubscribeAll();
    this.outgoing.end(`-ERR '${text}'\r\n`);
  }

  #cutSlow(): void {
    this.#settings.onSlowConsumer(this.remote);
    this.#fail(ERRORS.slowConsumer);
    // It may never read, and what waits for it is not to stay.
    this.#connection.after(LAST_WORDS, () => this.#connection.destroy());
  }

  #leave(): void {
    this.#hasLeft = true;
    this.#unsubscribeAll();
    this.#waiting.leave();
  }

  #unsubscribeAll(): void {
    this.#broker.router.removeAll([...this.#subscriptions.values()]);
    this.#subscriptions.clear();
  }
}

function textOf(error: FramingError): ErrorText {
  return error.code === 'too_long' ? ERRORS.controlLine : ERRORS.unknownOperation;
}
