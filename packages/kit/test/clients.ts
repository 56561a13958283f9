import { once } from 'node:events';
import net from 'node:net';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connection, StreamServer, StreamServerOptions } from '../src/index.js';
import { createStreamServer, timers } from '../src/index.js';

const servers: StreamServer[] = [];
const sockets: Duplex[] = [];

/** Starts a server on a free port of 127.0.0.1 (or what the options say); {@link closeAll} stops it. */
export async function listen(
  options: Partial<StreamServerOptions> & Pick<StreamServerOptions, 'onConnection'>,
): Promise<{ server: StreamServer; port: number }> {
  const server = createStreamServer({ host: '127.0.0.1', port: 0, ...options });
  servers.push(server);
  const { port } = await server.start();
  return { server, port };
}

/** A client that {@link closeAll} closes; errors such as a reset are left to its events. */
export function keep<S extends Duplex>(socket: S): S {
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** Connects; resolves once connected. */
export async function connect(port: number, options: Partial<net.TcpNetConnectOpts> = {}): Promise<Socket> {
  const socket = keep(net.connect({ host: '127.0.0.1', port, ...options }));
  await once(socket, 'connect');
  return socket;
}

/** Stops every server and destroys every client of a test. */
export async function closeAll(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop(0)));
}

/** All a stream sends until it ends or closes, as latin1. */
export function readAll(stream: Duplex): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    stream.once('close', () => resolve(text));
  });
}

/** What a stream sends until it has sent `wanted`. */
export function readUntil(stream: Duplex, wanted: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (!text.includes(wanted)) return;
      stream.off('data', onData);
      stream.off('close', onClose);
      resolve(text);
    };
    const onClose = (): void => reject(new Error(`closed after ${JSON.stringify(text)}, before ${wanted}`));
    stream.on('data', onData);
    stream.once('close', onClose);
  });
}

/** Resolves when the stream is closed, with its error if there was one. */
export function closeOf(stream: Duplex): Promise<Error | undefined> {
  return new Promise((resolve) => {
    let failure: Error | undefined;
    stream.on('error', (error) => (failure = error));
    stream.once('close', () => resolve(failure));
    stream.resume();
  });
}

/** A promise and the function that resolves it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((take) => (resolve = take));
  return { promise, resolve };
}

/** Sends back what comes. */
export function echo(connection: Connection): void {
  connection.onData((chunk) => connection.write(chunk));
}

/** Whether this machine has ::1. */
export async function hasIPv6Loopback(): Promise<boolean> {
  const probe = net.createServer();
  try {
    probe.listen(0, '::1');
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}

/**
 * So many turns of the event loop, of a millisecond or more, something may take. A busy machine turns more slowly, so
 * that this is a measure of progress and not of time.
 */
const PATIENCE = 10_000;

/**
 * Waits until something is so.
 *
 * @throws Error when it is not within so many turns of the event loop
 */
export async function until(isSo: () => boolean, turns = PATIENCE): Promise<void> {
  for (let left = turns; !isSo(); left -= 1) {
    if (left === 0) throw new Error(`is not so after ${turns} turns of the event loop: ${isSo.toString()}`);
    await timers.wait(1);
  }
}
