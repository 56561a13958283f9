import {
  ByteReader,
  ByteWriter,
  FramingError,
  LengthPrefixFramer,
  type Connection,
  type Place,
} from '@backlot/kit';
import { findApi, TOO_NEW } from './dispatch.js';
import type { Call, Served, Services } from './handlers/call.js';
import { isLogin } from './handlers/sasl.js';
import { apiVersions } from './wire/apis/api-versions.js';
import { saslHandshake } from './wire/apis/sasl-handshake.js';
import { readMessage, skipTags } from './wire/read-message.js';
import { writeMessage } from './wire/write-message.js';

/** The largest request that is taken. A batch is refused at about 1 MiB by its own error. */
const MAX_REQUEST = 64 * 1024 * 1024;

/** Requests behind one that waits are read on up to here, so that a client that leaves is noticed. */
const MAX_WAITING = 1024 * 1024;

/** The header of a request. */
interface Header {
  readonly key: number;
  readonly version: number;
  readonly correlationId: number;
}

/** One connection. Its requests are answered in order: while one waits, those behind it wait too. */
export class Conversation {
  readonly #connection: Connection;
  readonly #services: Services;
  readonly #place: Place;
  readonly #framer = new LengthPrefixFramer({ lengthBytes: 4, maxLength: MAX_REQUEST });
  #isAnswering = false;
  #isHeld = false;
  #leave: (() => void) | undefined;
  /** After a handshake of version 0 the login comes without a header. */
  #expectsBareLogin = false;

  constructor(connection: Connection, services: Services, place: Place) {
    this.#connection = connection;
    this.#services = services;
    this.#place = place;
    connection.onData((chunk) => {
      this.#framer.push(chunk, this.#takeFrame);
      this.#holdWhenFull();
    });
    connection.onResume(() => this.#goOn());
    // A client of Kafka that ends its side does not wait for answers.
    connection.onEnd(() => this.#leave?.());
    connection.onClose(() => this.#leave?.());
  }

  readonly #takeFrame = (frame: Buffer): 'halt' | undefined => {
    this.#take(frame);
    const { isPaused, isEnded } = this.#connection;
    return this.#isAnswering || isPaused || isEnded ? 'halt' : undefined;
  };

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
      return this.#send(header, false, (writer) => writeMessage(api.response, TOO_NEW, writer, 0, false));
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
    const request = readMessage(api.request, reader, version, isFlexible);
    if (key === saslHandshake.key && version === 0) this.#expectsBareLogin = true;
    this.#serve(served, header, clientId, request);
  }

  #serve(served: Served, header: Header, clientId: string, request: object): void {
    const connection = this.#connection;
    let holdsStop = false;
    const call: Call = {
      version: header.version,
      clientId,
      connection,
      place: this.#place,
      onLeave: (callback) => {
        this.#leave = callback;
      },
      holdStop: () => {
        holdsStop = true;
      },
    };
    const response = served.handle(request as never, call, this.#services);
    if (!(response instanceof Promise)) return this.#answer(served, header, response);
    this.#isAnswering = true;
    if (holdsStop) connection.busy();
    response.then(
      connection.isolate((late: unknown) => {
        this.#leave = undefined;
        this.#isAnswering = false;
        if (!connection.isEnded) this.#answer(served, header, late);
        // The requests behind it first: idle() ends a connection that is to stop.
        this.#goOn();
        if (holdsStop) connection.idle();
      }),
      connection.isolate((error: unknown) => {
        throw error;
      }),
    );
  }

  #answer({ api }: Served, header: Header, response: unknown): void {
    if (typeof response !== 'object' || response === null) return;
    const { version } = header;
    const isFlexible = version >= api.flexible;
    // The answer to ApiVersions has the old header, since its reader does not know the broker's version yet.
    this.#send(header, isFlexible && api.key !== apiVersions.key, (writer) =>
      writeMessage(api.response, response, writer, version, isFlexible),
    );
  }

  #send({ correlationId }: Header, hasTags: boolean, write: (writer: ByteWriter) => void): void {
    const writer = new ByteWriter(256).u32(0).i32(correlationId);
    if (hasTags) writer.u8(0);
    write(writer);
    writer.setU32(0, writer.length - 4);
    this.#connection.write(writer.finish());
  }

  #takeBareLogin(frame: Buffer): void {
    this.#expectsBareLogin = false;
    if (isLogin(frame)) this.#connection.write(Buffer.alloc(4));
    else this.#connection.end();
  }
}
