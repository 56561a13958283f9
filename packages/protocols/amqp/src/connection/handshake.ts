import type { SpaceDoor } from '@backlot/core/plugin';
import { rollLogin } from '@backlot/kit';
import type { AmqpContext } from '../shape.js';
import { AmqpError } from '../wire/amqp-error.js';
import { connection as connectionClass } from '../wire/classes/connection.js';
import type { Field, FieldTable } from '../wire/field-table.js';
import { keyOfMethod, readArguments, writeMethod, type ArgumentsFor } from '../wire/method.js';
import { REPLY } from '../wire/reply-codes.js';
import { MECHANISMS, readLogin, refusal, refusalBy, type LoginFault } from './authenticate.js';

/** What client and server have agreed on. */
export interface Agreement {
  /** Most bytes of a frame. */
  readonly maxFrame: number;
  readonly maxChannel: number;
  /** Seconds between heart-beats; 0 is none. */
  readonly heartbeat: number;
}

const OFFER: Agreement = { maxFrame: 131_072, maxChannel: 2047, heartbeat: 60 };
/** The constant frame-min-size: every peer takes frames of this many bytes (AMQP 0-9-1 reference, 1.4.2.5). */
const SMALLEST_MAX_FRAME = 4096;

const CAPABILITIES: FieldTable = new Map<string, Field>(
  [
    'publisher_confirms',
    'exchange_exchange_bindings',
    'basic.nack',
    'consumer_cancel_notify',
    'per_consumer_qos',
    'authentication_failure_close',
    'direct_reply_to',
    'connection.blocked',
  ].map((name) => [name, true]),
);
const SERVER_PROPERTIES: FieldTable = new Map<string, Field>([
  ['capabilities', CAPABILITIES],
  ['product', 'Backlot'],
  ['platform', 'Node.js'],
  ['information', 'A mock broker'],
]);

/** The connection that is opened: what it learns of its client. */
interface OpeningConnection {
  virtualHost: string;
  username: string;
  name: string;
  wantsCancelNotices: boolean;
  wantsBlockedNotices: boolean;
  readonly context: AmqpContext;
  /** Goes on with the opening later, and takes nothing of the client until then. */
  waitFor<T>(what: Promise<T>, then: (value: T) => void): void;
  /** Goes on in the space that the client has named. */
  enter(door: SpaceDoor): Promise<void>;
  send(frames: Buffer): void;
}

type StartOk = ArgumentsFor<typeof connectionClass.startOk>;
type Step = 'start' | 'tune' | 'open' | 'done';

/** The opening of a connection (section 2.2.4): start, tune, open; afterwards what else comes on channel 0. */
export class Handshake {
  readonly #connection: OpeningConnection;
  readonly #onOpen: (agreement: Agreement) => void;
  #step: Step = 'start';
  #agreement = OFFER;

  /** Sends connection.start. */
  constructor(connection: OpeningConnection, onOpen: (agreement: Agreement) => void) {
    this.#connection = connection;
    this.#onOpen = onOpen;
    connection.send(
      writeMethod(0, connectionClass.start, {
        versionMajor: 0,
        versionMinor: 9,
        serverProperties: SERVER_PROPERTIES,
        mechanisms: Buffer.from(MECHANISMS),
        locales: Buffer.from('en_US'),
      }),
    );
  }

  /** @throws AmqpError when the method comes at the wrong time or asks for what cannot be */
  take(key: number, payload: Buffer): void {
    const { startOk, tuneOk, open, updateSecret, updateSecretOk } = connectionClass;
    const is = (step: Step, method: { readonly classId: number; readonly methodId: number }): boolean =>
      this.#step === step && key === keyOfMethod(method.classId, method.methodId);
    if (is('start', startOk)) this.#start(readArguments(startOk, payload));
    else if (is('tune', tuneOk)) this.#tune(readArguments(tuneOk, payload));
    else if (is('open', open)) this.#open(readArguments(open, payload).virtualHost);
    else if (is('done', updateSecret)) {
      readArguments(updateSecret, payload);
      this.#connection.send(writeMethod(0, updateSecretOk, {}));
    } else this.#refuse(key);
  }

  #start(values: StartOk): void {
    const rolled = rollLogin(this.#connection.context);
    if (rolled instanceof Promise) {
      this.#connection.waitFor(rolled, (refused) => this.#admit(values, refused));
    } else this.#admit(values, rolled);
  }

  #admit(values: StartOk, refused: LoginFault | undefined): void {
    if (refused !== undefined) throw refusalBy(refused, values.mechanism);
    const connection = this.#connection;
    const { username, password } = readLogin(values.mechanism, values.response);
    const users = connection.context.config.users ?? [];
    const isKnown = (user: { username: string; password: string }): boolean =>
      user.username === username && user.password === password;
    if (users.length > 0 && !users.some(isKnown)) throw refusal(values.mechanism);
    const capabilities = values.clientProperties.get('capabilities');
    connection.username = username;
    const name = values.clientProperties.get('connection_name');
    connection.name = typeof name === 'string' ? name : '';
    const has = (capability: string): boolean =>
      capabilities instanceof Map && capabilities.get(capability) === true;
    connection.wantsCancelNotices = has('consumer_cancel_notify');
    connection.wantsBlockedNotices = has('connection.blocked');
    this.#step = 'tune';
    const { maxFrame, maxChannel, heartbeat } = OFFER;
    connection.send(
      writeMethod(0, connectionClass.tune, { channelMax: maxChannel, frameMax: maxFrame, heartbeat }),
    );
  }

  #tune({ channelMax, frameMax, heartbeat }: ArgumentsFor<typeof connectionClass.tuneOk>): void {
    if (frameMax !== 0 && frameMax < SMALLEST_MAX_FRAME) {
      throw new AmqpError(
        REPLY.notAllowed,
        `negotiated frame_max = ${frameMax} is lower than the minimum allowed value (${SMALLEST_MAX_FRAME})`,
      );
    }
    checkMost('frame_max', frameMax, OFFER.maxFrame);
    checkMost('channel_max', channelMax, OFFER.maxChannel);
    this.#agreement = {
      maxFrame: frameMax === 0 ? OFFER.maxFrame : frameMax,
      maxChannel: channelMax === 0 ? OFFER.maxChannel : channelMax,
      heartbeat,
    };
    this.#step = 'open';
  }

  /** A virtual host may be that of a space, `t1` or `t1+name`. */
  #open(name: string): void {
    const connection = this.#connection;
    const door = connection.context.spaces.ofLogin(name);
    if (door === undefined) this.#finish(name);
    else connection.waitFor(connection.enter(door), () => this.#enter(name));
  }

  #enter(name: string): void {
    const { context } = this.#connection;
    const goOn = (refused: LoginFault | undefined): void => {
      if (refused !== undefined) throw refusalBy(refused, 'PLAIN');
      this.#finish(context.spaces.userOf(name) ?? '/');
    };
    const rolled = rollLogin(context);
    if (rolled instanceof Promise) this.#connection.waitFor(rolled, goOn);
    else goOn(rolled);
  }

  #finish(virtualHost: string): void {
    this.#connection.virtualHost = virtualHost;
    this.#step = 'done';
    this.#onOpen(this.#agreement);
    this.#connection.send(writeMethod(0, connectionClass.openOk, { reserved1: '' }));
  }

  #refuse(key: number): never {
    const classId = Math.floor(key / 0x10000);
    if (classId !== connectionClass.start.classId) {
      throw new AmqpError(REPLY.channelError, 'channel 0 carries methods of class connection only');
    }
    throw new AmqpError(
      REPLY.commandInvalid,
      `method ${classId}, ${key % 0x10000} cannot come ${this.#step === 'done' ? 'now' : `before connection.${this.#step}-ok`}`,
    );
  }
}

function checkMost(name: string, asked: number, most: number): void {
  if (asked > most) {
    throw new AmqpError(
      REPLY.notAllowed,
      `negotiated ${name} = ${asked} is higher than the maximum allowed value (${most})`,
    );
  }
}
