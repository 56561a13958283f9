import {
  messageOf,
  parseDuration,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import {
  admitBy,
  createDatagramServer,
  createStreamServer,
  formatAddress,
  isFramingError,
  startOnOnePort,
  type Connection,
  type DatagramRemote,
  type DatagramServer,
  type StreamServer,
} from '@backlot/kit';
import { IncomingRequest, type Source } from './incoming-request.js';
import { RequestHandler, type Waiting } from './request-handler.js';
import type { SipContext } from './shape.js';
import { serveStream } from './stream.js';
import { isResponse, MAX_MESSAGE, readMessage } from './wire/read-message.js';

const DEFAULT_IDLE_TIMEOUT = '15m';
const CR = 13;
const LF = 10;
const KEEP_ALIVE = Buffer.from('\r\n\r\n');
const PONG = Buffer.from('\r\n');

/** Takes messages over UDP and TCP on one port (RFC 3261 section 18.2). */
export class SipServer implements Service {
  readonly #handler: RequestHandler;
  readonly #datagrams: DatagramServer;
  readonly #streams: StreamServer;
  #local: string | undefined;
  #error: string | undefined;

  constructor(context: SipContext) {
    const { host, port, idle_timeout: idleTimeout } = context.config;
    this.#handler = new RequestHandler(context);
    const onFailure = (error: Error): void => {
      this.#error = messageOf(error);
    };
    this.#datagrams = createDatagramServer({
      host,
      port,
      onMessage: (data, remote, reply) => this.#receiveDatagram(data, remote, reply),
      onError: (error, where) => {
        // What a client that has gone away makes of an answer is no news.
        if (where === 'message') context.log.error('a datagram could not be answered', error);
      },
      onFailure,
    });
    this.#streams = createStreamServer({
      host,
      port,
      limits: { idleTimeout: parseDuration(idleTimeout ?? DEFAULT_IDLE_TIMEOUT) },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#serve(connection),
      onError: (error, where) => {
        // What cannot be a message ends its connection, and is no news either.
        if (!isFramingError(error)) context.log.error(`a TCP connection failed (${where})`, error);
      },
      onFailure,
    });
  }

  async start(port: number): Promise<Listening> {
    // TCP first: of its ports more are taken, so that a free one for both is found sooner.
    const place = await startOnOnePort([this.#streams, this.#datagrams], port);
    const { host } = this.#datagrams.place ?? place;
    const isEverywhere = host === '0.0.0.0' || host === '::' || host === '';
    this.#local = isEverywhere ? undefined : formatAddress(host, place.port);
    return place;
  }

  async stop(graceMilliseconds: number): Promise<void> {
    await Promise.all([this.#datagrams.stop(graceMilliseconds), this.#streams.stop(graceMilliseconds)]);
    this.#handler.clear();
  }

  reset(): void {
    this.#handler.clear();
  }

  status(): ServiceStatus {
    const { connections } = this.#streams;
    const status = { connections, extra: { transactions: this.#handler.transactions } };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  #receiveDatagram(
    data: Buffer,
    { address, port }: DatagramRemote,
    send: (octets: Buffer) => void,
  ): Promise<void> | undefined {
    if (data.length < 5) {
      if (data.equals(KEEP_ALIVE)) send(PONG);
      return undefined;
    }
    const source: Source = { address, port, transport: 'udp', local: this.#local, send };
    const waiting = this.#receive(withoutLineEnds(data), source);
    return waiting === false ? undefined : waiting?.answered;
  }

  #serve(connection: Connection): void {
    const { remoteAddress: address, socket } = connection;
    const source: Source = {
      address,
      port: socket.remotePort ?? 0,
      transport: 'tcp',
      local: this.#local,
      send: (octets) => void connection.write(octets),
    };
    serveStream(connection, (message) => this.#receive(message, source));
  }

  /** @returns `false` for what cannot be read */
  #receive(data: Buffer, source: Source): Waiting | undefined | false {
    // Nothing was asked, so nothing is waited for.
    if (isResponse(data)) return undefined;
    if (data.length > MAX_MESSAGE) return false;
    const raw = readMessage(data, source.transport === 'tcp');
    if (raw === undefined) return false;
    const request = IncomingRequest.read(raw, source);
    if (request === undefined) return false;
    const waiting = this.#handler.handle(request);
    return raw.isWhole ? waiting : false;
  }
}

/** RFC 3261 section 7.5: line ends in front of a message are passed over. */
function withoutLineEnds(data: Buffer): Buffer {
  let start = 0;
  while (data[start] === CR || data[start] === LF) start += 1;
  return start === 0 ? data : data.subarray(start);
}
