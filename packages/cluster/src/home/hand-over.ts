import { randomBytes } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterRealTime } from '@backlot/core/plugin';
import type { ReplicaKey } from '../replica-key.js';
import {
  HEAD_BYTES,
  lengthAfter,
  readProxyHeader,
  writeProxyHeader,
  type PassedConnection,
} from './proxy-header.js';

/** What the home sends first: each header is sealed for one connection, so that one that was seen is of no use. */
const CHALLENGE_BYTES = 16;
const TAKEN = 1;
const REFUSED = 0;
/** How long it may take until a connection is taken, in milliseconds. */
const TIMEOUT = 2_000;
/** How many may be on the way to being taken. */
const MOST_PENDING = 1_024;

/** Takes the connections that other replicas hand over. */
export class HandOverPort {
  readonly #server: Server;
  readonly #pending = new Set<Socket>();

  /** @param take - is given the socket and what its header says; it says whether it has taken it */
  constructor(key: ReplicaKey, take: (socket: Socket, passed: PassedConnection) => (() => void) | undefined) {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      socket.on('error', () => undefined);
      if (this.#pending.size >= MOST_PENDING) socket.destroy();
      else void this.#receive(socket, key, take);
    });
    // One that cannot be accepted, for want of files, comes again.
    this.#server.on('error', () => undefined);
  }

  /** @throws the system's error when the port cannot be had */
  async start(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, exclusive: true }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#pending) socket.destroy();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(
    socket: Socket,
    key: ReplicaKey,
    take: (socket: Socket, passed: PassedConnection) => (() => void) | undefined,
  ): Promise<void> {
    this.#pending.add(socket);
    const timer = afterRealTime(TIMEOUT, () => socket.destroy());
    try {
      const challenge = randomBytes(CHALLENGE_BYTES);
      socket.write(challenge);
      const head = await readExactly(socket, HEAD_BYTES);
      const length = head && lengthAfter(head);
      const rest = length === undefined ? undefined : await readExactly(socket, length);
      const passed =
        head &&
        rest &&
        readProxyHeader(Buffer.concat([head, rest]), (before, seal) =>
          key.hasSealed(challenge, before, seal),
        );
      if (passed === undefined) {
        socket.destroy();
        return;
      }
      const begin = take(socket, passed);
      if (begin === undefined) {
        socket.end(Buffer.from([REFUSED]));
        socket.resume();
        return;
      }
      socket.write(Buffer.from([TAKEN]));
      begin();
    } finally {
      timer.cancel();
      this.#pending.delete(socket);
    }
  }
}

/**
 * Hands a connection over to the home.
 *
 * @returns a socket on which the home has taken it; undefined when it is not the home any more
 * @throws Error when the home is not reached, or says nothing
 */
export async function handOver(
  { host, port }: { readonly host: string; readonly port: number },
  passed: PassedConnection,
  key: ReplicaKey,
): Promise<Socket | undefined> {
  const far = connect({ host, port, allowHalfOpen: true, noDelay: true });
  let failure: Error | undefined;
  far.on('error', (error) => (failure = error));
  const timer = afterRealTime(TIMEOUT, () =>
    far.destroy(new Error(`it has not taken it within ${TIMEOUT} ms`)),
  );
  try {
    const challenge = await readExactly(far, CHALLENGE_BYTES);
    if (challenge !== undefined) {
      far.write(writeProxyHeader(passed, (before) => key.seal(challenge, before)));
      const answer = await readExactly(far, 1);
      if (answer?.[0] === TAKEN) return far;
      if (answer?.[0] === REFUSED) {
        far.destroy();
        return undefined;
      }
    }
    far.destroy();
    throw failure ?? new Error('it has closed the connection');
  } finally {
    timer.cancel();
  }
}

/** Reads so many bytes and leaves what comes after them, as if nothing had been read. @returns undefined when it ends before that */
function readExactly(socket: Socket, count: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const end = (bytes: Buffer | undefined): void => {
      socket.off('readable', look);
      socket.off('close', gone);
      socket.off('end', gone);
      // Without a listener it takes a turn until the stream is as one that nobody has read of.
      setImmediate(() => resolve(bytes));
    };
    const gone = (): void => end(undefined);
    const look = (): void => {
      const bytes = socket.read(count) as Buffer | null;
      if (bytes === null) return;
      end(bytes.length === count ? bytes : undefined);
    };
    socket.on('readable', look);
    socket.on('close', gone);
    socket.on('end', gone);
    if (socket.destroyed) gone();
    else if (!socket.connecting) look();
  });
}
