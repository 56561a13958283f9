import { type Connection, describeClient, enterSpace, rollLogin } from '@backlot/kit';
import { ByteReader, ByteWriter, FramingError, LengthPrefixFramer } from '@backlot/kit/framing';
import type { ListenAddress } from '@backlot/core/plugin';
import { findApi, TOO_NEW } from './dispatch.js';
import { isInSteps, type Served, type Services } from './handlers/call.js';
import { ClientCall } from './handlers/client-call.js';
import { isLogin, userOf } from './handlers/sasl.js';
import { KafkaSession } from './handlers/session.js';
import { apiVersions } from './wire/apis/api-versions.js';
import { saslAuthenticate } from './wire/apis/sasl-authenticate.js';
import { saslHandshake } from './wire/apis/sasl-handshake.js';
import { readMessage, readMessageInSteps, skipTags } from './wire/read-message.js';
import { writeMessage, writeMessageInSteps } from './wire/write-message.js';

/** The largest request that is taken. A batch is refused at about 1 MiB by its own error. */
const MAX_REQUEST = 64 * 1024 * 1024;

/** Larger requests are read in steps. */
const LARGE = 16 * 1024;

/** Requests behind one that waits are read on up to here, so that a client that leaves is noticed. */
const MAX_WAITING = 1024 * 1024;

/** The header of a request. */
interface Header {
  readonly key: number;
  readonly version: number;
  readonly correlationId: number;
}

/** A client that has come to the port of another world. */
export interface Entering {
  /** The request that has named this world. */
  readonly frame: Buffer;
  /** What was received behind it. */
  readonly unread: Buffer;
  /** Whether the request is a login without a header. */
  readonly expectsBareLogin: boolean;
}

/** One connection. Its requests are answered in order: while one waits, those behind it wait too. */
export class KafkaConnection {
  readonly #connection: Connection;
  readonly #services: Services;
  readonly #session: KafkaSession;
  readonly #framer = new LengthPrefixFramer({ lengthBytes: 4, maxLength: MAX_REQUEST });
  /** How much is under way for the request at hand. */
  #answering = 0;
  #isHeld = false;
  /** After a handshake of version 0 the login comes without a header. */
  #expectsBareLogin = false;
  /** Whether a space has the connection. */
  #hasLeft = false;
  /** Whether its client id has been looked at: the first one may name a space. */
  #isPlaced = false;

  constructor(connection: Connection, services: Services, place: ListenAddress) {
    this.#connection = connection;
    this.#services = services;
    this.#session = new KafkaSession(connection, place, services.acls);
    connection.onData((chunk) => {
      this.#framer.push(chunk, this.#takeFrame);
      this.#holdWhenFull();
    });
    describeClient(connection, () => ({ user: this.#session.user, client: this.#session.id }));
    connection.onResume(() => this.#goOn());
    // A client of Kafka that ends its side does not wait for answers.
    connection.onEnd(() => this.#session.leave?.());
    connection.onClose(() => this.#session.leave?.());
  }

  readonly #takeFrame = (frame: Buffer): 'halt' | undefined => {
    this.#take(frame);
    const connection = this.#connection;
    if (this.#hasLeft || this.#isAnswering || connection.isEnded) return 'halt';
    return connection.yieldWhenLong() || connection.isPaused ? 'halt' : undefined;
  };

  /** Serves a client that has come to the port of another world: the request that has named this one is taken here. */
  enter({ frame, unread, expectsBareLogin }: Entering): void {
    this.#isPlaced = true;
    this.#expectsBareLogin = expectsBareLogin;
    this.#take(frame);
    this.#framer.push(unread, this.#takeFrame);
    this.#holdWhenFull();
  }

  /** Hands the connection over when the name of its client or user is that of a space. */
  #hasLeftFor(name: string, frame: Buffer, expectsBareLogin = false): boolean {
    const door = this.#services.context.spaces.ofLogin(name);
    if (door === undefined) return false;
    const unread = this.#framer.takeRest();
    void enterSpace(door, this.#connection, { frame, unread, expectsBareLogin } satisfies Entering);
    this.#hasLeft = true;
    return true;
  }

  #holdWhenFull(): void {
    if (!this.#isAnswering || this.#framer.waiting < MAX_WAITING) return;
    this.#isHeld = true;
    this.#connection.pause();
  }

  /** The requests behind one that has been answered. */
  #goOn(): void {
    const connection = this.#connection;
    if (this.#isAnswering || connection.isEnded) return;
    if (this.#isHeld) {
      this.#isHeld = false;
      connection.resume();
    } else if (!connection.isPaused) {
      this.#framer.resume(this.#takeFrame);
      this.#holdWhenFull();
    }
  }

  #take(frame: Buffer): void {
    if (this.#expectsBareLogin) return this.#takeBareLogin(frame);
    const reader = new ByteReader(frame);
    const header: Header = { key: reader.i16(), version: reader.i16(), correlationId: reader.i32() };
    const { key, version } = header;
    const served = findApi(key);
    if (served === undefined) throw new FramingError('malformed', `request with the unknown API key ${key}`);
    const { api } = served;
    if (key === apiVersions.key && version > api.max) {
      const writer = this.#beginAnswer(header, false);
      writeMessage(api.response, TOO_NEW, writer, 0, false);
      return this.#sendAnswer(writer);
    }
    if (version < api.min || version > api.max) {
      throw new FramingError(
        'malformed',
        `${api.name} of version ${version}; versions ${api.min} to ${api.max} are answered`,
      );
    }
    const idLength = reader.i16();
    const clientId = idLength < 0 ? '' : reader.text(idLength);
    const isFlexible = version >= api.flexible;
    if (isFlexible) skipTags(reader);
    if (!this.#isPlaced) {
      this.#isPlaced = true;
      if (this.#hasLeftFor(clientId, frame)) return;
    }
    if (frame.length > LARGE) {
      this.#work(this.#serveInSteps(served, header, clientId, reader));
      return;
    }
    const request = readMessage(api.request, reader, version, isFlexible);
    if (key === saslAuthenticate.key) {
      const { authBytes } = request as { readonly authBytes: Buffer };
      if (this.#hasLeftFor(userOf(authBytes), frame)) return;
    }
    if (key === saslHandshake.key && version === 0) this.#expectsBareLogin = true;
    const response = this.#handle(served, header, clientId, request);
    if (isInSteps(response)) this.#work(this.#answerInSteps(served, header, response));
    else if (response instanceof Promise) this.#wait(served, header, response);
    else this.#answer(served, header, response);
  }

  #handle(served: Served, { version }: Header, clientId: string, request: object): unknown {
    this.#session.id = clientId;
    const call = new ClientCall(this.#session, version, clientId);
    return served.handle(request as never, call, this.#services);
  }

  *#serveInSteps(served: Served, header: Header, clientId: string, reader: ByteReader): Generator {
    const { api } = served;
    const { version } = header;
    const request = yield* readMessageInSteps(api.request, reader, version, version >= api.flexible);
    const response = this.#handle(served, header, clientId, request);
    if (isInSteps(response)) yield* this.#answerInSteps(served, header, response);
    else if (response instanceof Promise) this.#wait(served, header, response);
    else yield* this.#writeInSteps(served, header, response);
  }

  *#answerInSteps(served: Served, header: Header, steps: Generator): Generator {
    const response: unknown = yield* steps;
    if (response instanceof Promise) this.#wait(served, header, response);
    else yield* this.#writeInSteps(served, header, response);
  }

  /** Does what may take long; the requests behind it wait. */
  #work(steps: Generator): void {
    let state: 'begun' | 'waiting' | 'done' = 'begun';
    const end = (): void => {
      const hasWaited = state === 'waiting';
      state = 'done';
      this.#end();
      if (hasWaited) this.#connection.idle();
    };
    this.#begin();
    this.#services.jobs.add(this.#workOn(steps, end));
    if (state !== 'begun') return;
    state = 'waiting';
    this.#connection.busy();
  }

  *#workOn(steps: Generator, end: () => void): Generator {
    try {
      yield* steps;
    } catch (error) {
      this.#connection.isolate(() => {
        throw error;
      })();
    }
    this.#connection.isolate(end)();
  }

  #wait(served: Served, header: Header, response: Promise<unknown>): void {
    const connection = this.#connection;
    this.#begin();
    const isHeld = this.#session.holdsStop;
    this.#session.holdsStop = false;
    if (isHeld) connection.busy();
    response.then(
      connection.isolate((late: unknown) => {
        this.#session.leave = undefined;
        if (!connection.isEnded) this.#work(this.#writeInSteps(served, header, late));
        this.#end();
        if (isHeld) connection.idle();
      }),
      connection.isolate((error: unknown) => {
        throw error;
      }),
    );
  }

  /** An answer is being made. */
  #begin(): void {
    this.#answering += 1;
  }

  /** The last one that began goes on with the requests behind it. */
  #end(): void {
    this.#answering -= 1;
    if (this.#answering === 0) this.#goOn();
  }

  get #isAnswering(): boolean {
    return this.#answering > 0;
  }

  *#writeInSteps({ api }: Served, header: Header, response: unknown): Generator {
    if (typeof response !== 'object' || response === null || this.#connection.isEnded) return;
    const { version } = header;
    const isFlexible = version >= api.flexible;
    const writer = this.#beginAnswer(header, isFlexible && api.key !== apiVersions.key);
    yield* writeMessageInSteps(api.response, response, writer, version, isFlexible);
    this.#sendAnswer(writer);
  }

  #answer({ api }: Served, header: Header, response: unknown): void {
    if (typeof response !== 'object' || response === null) return;
    const { version } = header;
    const isFlexible = version >= api.flexible;
    // The answer to ApiVersions has the old header, since its reader does not know the broker's version yet.
    const writer = this.#beginAnswer(header, isFlexible && api.key !== apiVersions.key);
    writeMessage(api.response, response, writer, version, isFlexible);
    this.#sendAnswer(writer);
  }

  #beginAnswer({ correlationId }: Header, hasTags: boolean): ByteWriter {
    const writer = new ByteWriter(256).u32(0).i32(correlationId);
    return hasTags ? writer.u8(0) : writer;
  }

  #sendAnswer(writer: ByteWriter): void {
    writer.setU32(0, writer.length - 4);
    this.#connection.write(writer.finish());
  }

  #takeBareLogin(frame: Buffer): void {
    this.#expectsBareLogin = false;
    if (!isLogin(frame)) return this.#connection.end();
    if (this.#hasLeftFor(userOf(frame), frame, true)) return;
    const { spaces } = this.#services.context;
    const user = spaces.userOf(userOf(frame)) ?? userOf(frame);
    // Without a header there is no place for an error: who is refused is cut.
    const answer = (refusal: object | undefined): void => {
      if (refusal !== undefined) return this.#connection.end();
      this.#session.user = user;
      this.#connection.write(Buffer.alloc(4));
    };
    const rolled = rollLogin(this.#services.context);
    if (!(rolled instanceof Promise)) return answer(rolled);
    this.#begin();
    void rolled.then(
      this.#connection.isolate((refusal) => {
        if (!this.#connection.isEnded) answer(refusal);
        this.#end();
      }),
    );
  }
}
