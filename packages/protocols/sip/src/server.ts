import { parseDuration, type Service } from '@backlot/core/plugin';
import { createService, formatAddress, type Connection, type DatagramRemote } from '@backlot/kit';
import { isFramingError } from '@backlot/kit/framing';
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
export function createSipService(context: SipContext): Service {
  const handler = new RequestHandler(context);
  const reception = new Reception(handler);
  return createService(context, {
    datagram: {
      isPerClient: true,
      onMessage: (octets, remote, reply) => reception.takeDatagram(octets, remote, reply),
    },
    stream: {
      limits: { idleTimeout: parseDuration(context.config.idle_timeout ?? DEFAULT_IDLE_TIMEOUT) },
      onConnection: (connection) => reception.takeConnection(connection),
      // Bytes that cannot be a message end their connection, which is no news.
      isClientError: isFramingError,
    },
    onStarted: ({ host, port }) => {
      const isEverywhere = host === '0.0.0.0' || host === '::' || host === '';
      reception.local = isEverywhere ? undefined : formatAddress(host, port);
    },
    onStopped: () => handler.clear(),
    reset: () => handler.clear(),
    describe: () => ({ transactions: handler.transactions }),
  });
}

/** Reads messages and hands them on. */
class Reception {
  /** Where it listens; `undefined` when that is every address of the machine. */
  local: string | undefined;
  readonly #handler: RequestHandler;

  constructor(handler: RequestHandler) {
    this.#handler = handler;
  }

  takeDatagram(
    data: Buffer,
    { address, port }: DatagramRemote,
    send: (octets: Buffer) => void,
  ): Promise<void> | undefined {
    if (data.length < 5) {
      if (data.equals(KEEP_ALIVE)) send(PONG);
      return undefined;
    }
    const source: Source = { address, port, transport: 'udp', local: this.local, send };
    const waiting = this.#receive(withoutLineEnds(data), source);
    return waiting === false ? undefined : waiting?.answered;
  }

  takeConnection(connection: Connection): void {
    const { remoteAddress: address, socket } = connection;
    const source: Source = {
      address,
      port: socket.remotePort ?? 0,
      transport: 'tcp',
      local: this.local,
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
