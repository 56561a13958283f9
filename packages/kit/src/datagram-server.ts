import { lookup } from 'node:dns';
import dgram from 'node:dgram';
import type { RemoteInfo } from 'node:dgram';
import { isIP, isIPv6 } from 'node:net';
import { STALL, invalid, stalls } from '@backlot/core/plugin';
import type { ListenAddress, ServicePorts, SharedDatagrams, ToxicFeed } from '@backlot/core/plugin';
import { formatAddress, plainAddress } from './address.js';
import { LateDatagrams } from './late-datagrams.js';
import { startOnOnePort, type PortBinder } from './listen-addresses.js';
import { isPromise } from './thrown.js';
import { timers } from './timers.js';
import { DatagramToxics } from './toxics/datagram-toxics.js';

/** The sender of a datagram. */
export interface DatagramRemote {
  readonly address: string;
  readonly port: number;
  readonly family: 'IPv4' | 'IPv6';
}

/** What a datagram server is made of. */
export interface DatagramServerOptions extends ListenAddress {
  /**
   * Called for each datagram; `reply` sends one back from the address that it came to. When it gives a promise, a stop
   * waits for that within its grace. What it throws, or a rejection, is passed to `onError`.
   * Up to 8 MiB of datagrams wait when others have occupied the event loop for too long; what comes beyond them is lost.
   */
  readonly onMessage: (data: Buffer, remote: DatagramRemote, reply: (data: Uint8Array) => void) => unknown;
  /** Called with what went wrong with one datagram: `message`, handling it; `send`, sending one. */
  readonly onError?: (error: unknown, where: 'message' | 'send') => void;
  /** Called when a socket was closed by an error after the start. */
  readonly onFailure?: (error: Error) => void;
  /** What is done to datagrams; the server follows it. */
  readonly toxics?: ToxicFeed;
  /** Listens in place of the server, where several processes have the same ports. */
  readonly ports?: Pick<ServicePorts, 'bind'> | undefined;
  /**
   * Whether what is known of a client comes from its earlier datagrams: where several processes have the same port, all of one client then come to the
   * same one. Default false.
   */
  readonly isPerClient?: boolean;
  /** The size of the system's receive buffer in bytes; the system may give less. Default: what the system gives. */
  readonly receiveBuffer?: number;
}

/** A server for datagrams. */
export interface DatagramServer extends PortBinder {
  /** Where it listens; undefined while it does not. */
  readonly place: ListenAddress | undefined;
  /**
   * Listens on every address of the host; see {@link startOnOnePort}.
   *
   * @throws BacklotError `port_in_use` when the port is taken, `invalid` when the address cannot be listened on;
   * nothing listens then
   */
  start(port?: number): Promise<ListenAddress>;
  /**
   * Takes no more datagrams, waits for the answers being made, and closes.
   *
   * @param graceMs - at most so many milliseconds; default 2000
   */
  stop(graceMs?: number): Promise<void>;
  /**
   * Sends a datagram that does not answer one, from the server's port.
   *
   * @returns `false` when no socket of the address's family is open
   */
  send(data: Uint8Array, port: number, address: string): boolean;
}

const GRACE = 2000;

/** Makes a server for datagrams; it listens once it is started. */
export function createDatagramServer(options: DatagramServerOptions): DatagramServer {
  return new UdpServer(options);
}

/** A datagram as it came. */
interface Arrived {
  readonly socket: SharedDatagrams;
  readonly data: Buffer;
  readonly remote: RemoteInfo;
}

class UdpServer implements DatagramServer {
  readonly wanted: ListenAddress;
  readonly #options: DatagramServerOptions;
  readonly #sockets = new Set<SharedDatagrams>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #late = new LateDatagrams<Arrived>(({ socket, data, remote }) =>
    this.#handle(socket, data, remote, timers.now()),
  );
  #place: ListenAddress | undefined;
  #isStopping = false;
  #lastAddress = '';
  #sending = 0;
  #onSent: (() => void) | undefined;
  /** Undefined before the first toxic of datagrams is set. */
  #toxics: DatagramToxics | undefined;
  #unfollow: (() => void) | undefined;

  constructor(options: DatagramServerOptions) {
    this.#options = options;
    this.wanted = { host: options.host, port: options.port };
    this.#followToxics();
  }

  get place(): ListenAddress | undefined {
    return this.#place;
  }

  start(port?: number): Promise<ListenAddress> {
    return startOnOnePort([this], port);
  }

  async prepare(): Promise<void> {
    if (this.#place !== undefined) throw invalid('the server has been started already; stop it first');
    this.#isStopping = false;
    this.#followToxics();
  }

  async bind(address: string, port: number): Promise<number> {
    const { ports, isPerClient = false } = this.#options;
    if (ports === undefined) return await this.#bind(address, port);
    const socket = await ports.bind(address, port, isPerClient);
    this.#adopt(socket, address);
    return socket.address().port;
  }

  #bind(address: string, port: number): Promise<number> {
    const isSix = isIPv6(address);
    // `::` takes IPv4 as well, as a stream server on it does; ::1 must not, it shares its port with 127.0.0.1.
    const socket = dgram.createSocket({
      type: isSix ? 'udp6' : 'udp4',
      ipv6Only: isSix && address !== '::',
      // Answers go to addresses: node would look them up all the same, once for each datagram.
      lookup: (name, options, callback) => {
        if (isIP(name) === 0) lookup(name, options, callback);
        else callback(null, name, isSix ? 6 : 4);
      },
    });
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        socket.close();
        reject(error);
      };
      socket.once('error', fail);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', fail);
        this.#adopt(socket, address);
        resolve(socket.address().port);
      });
    });
  }

  started(place: ListenAddress): void {
    this.#place = place;
  }

  release(): Promise<void> {
    return this.stop(0);
  }

  async stop(graceMs = GRACE): Promise<void> {
    this.#isStopping = true;
    this.#late.clear();
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#toxics?.stop();
    this.#toxics = undefined;
    if (this.#pending.size > 0 && graceMs > 0) {
      const enough = new AbortController();
      const answered = Promise.allSettled(this.#pending).then(() => enough.abort());
      await Promise.race([answered, timers.wait(graceMs, enough.signal).catch(ignore)]);
      enough.abort();
    }
    // A socket that is closed forgets what it has not passed on yet.
    if (this.#sending > 0 && graceMs > 0) await new Promise<void>((resolve) => (this.#onSent = resolve));
    const sockets = [...this.#sockets];
    this.#sockets.clear();
    await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.close(resolve))));
    this.#place = undefined;
  }

  send(data: Uint8Array, port: number, address: string): boolean {
    const isSix = isIPv6(address);
    for (const socket of this.#sockets) {
      const { family, address: own } = socket.address();
      if ((family === 'IPv6') === isSix) {
        this.#send(socket, data, port, address);
        return true;
      }
      if (own === '::') {
        this.#send(socket, data, port, `::ffff:${address}`);
        return true;
      }
    }
    return false;
  }

  #adopt(socket: SharedDatagrams, address: string): void {
    const { receiveBuffer } = this.#options;
    this.#sockets.add(socket);
    if (receiveBuffer !== undefined) socket.setRecvBufferSize?.(receiveBuffer);
    socket.on('message', (data, remote) => this.#receive(socket, data, remote));
    let last: Error | undefined;
    socket.on('error', (error) => {
      last = error;
      this.#report(error, 'message');
    });
    socket.once('close', () => {
      if (!this.#sockets.delete(socket)) return;
      const where = formatAddress(address, this.#place?.port ?? 0);
      this.#options.onFailure?.(last ?? new Error(`the socket on ${where} was closed`));
    });
  }

  #followToxics(): void {
    const feed = this.#options.toxics;
    if (feed === undefined || this.#unfollow !== undefined) return;
    const follow = (): void => {
      if (feed.current.some((toxic) => toxic.onDatagrams)) this.#toxics ??= new DatagramToxics(feed);
    };
    this.#unfollow = feed.follow(follow);
    follow();
  }

  #receive(socket: SharedDatagrams, data: Buffer, remote: RemoteInfo): void {
    if (this.#isStopping) return;
    if (this.#toxics === undefined) this.#take(socket, data, remote);
    else
      this.#toxics.send('upstream', data, remote.address, remote.port, (passed) =>
        this.#take(socket, passed as Buffer, remote),
      );
  }

  #take(socket: SharedDatagrams, data: Buffer, remote: RemoteInfo): void {
    if (this.#isStopping) return;
    const now = timers.now();
    if (this.#late.isFull(now)) this.#late.add({ socket, data, remote });
    else this.#handle(socket, data, remote, now);
  }

  #handle(socket: SharedDatagrams, data: Buffer, { address, port, family }: RemoteInfo, began: number): void {
    const plain = this.#share(plainAddress(address));
    const remote: DatagramRemote = { address: plain, port, family: plain === address ? family : 'IPv4' };
    const reply = (answer: Uint8Array): void => this.#send(socket, answer, port, address);
    try {
      const result = this.#options.onMessage(data, remote, reply);
      if (isPromise(result)) this.#await(result);
    } catch (error) {
      this.#report(error, 'message');
    }
    if (timers.now() - began > STALL) {
      stalls.ended(began, { remote: formatAddress(plain, port), port: this.#place?.port ?? 0 });
    }
  }

  /**
   * Gives the same text object as for the datagram before when the address is equal, so that messages that are kept
   * share it.
   */
  #share(address: string): string {
    if (address !== this.#lastAddress) this.#lastAddress = address;
    return this.#lastAddress;
  }

  #await(answering: Promise<unknown>): void {
    const settled = Promise.resolve(answering)
      .catch((error: unknown) => this.#report(error, 'message'))
      .finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
  }

  #report(error: unknown, where: 'message' | 'send'): void {
    try {
      this.#options.onError?.(error, where);
    } catch {
      // It was the report itself that failed: nobody is left to tell, and one message must not end the process.
    }
  }

  readonly #sent = (error: Error | null): void => {
    this.#sending -= 1;
    if (this.#sending === 0) this.#onSent?.();
    if (error !== null) this.#report(error, 'send');
  };

  #send(socket: SharedDatagrams, data: Uint8Array, port: number, address: string): void {
    if (this.#toxics === undefined) this.#sendNow(socket, data, port, address);
    else
      this.#toxics.send('downstream', data, address, port, (passed) =>
        this.#sendNow(socket, passed, port, address),
      );
  }

  #sendNow(socket: SharedDatagrams, data: Uint8Array, port: number, address: string): void {
    if (!this.#sockets.has(socket)) return;
    try {
      this.#sending += 1;
      socket.send(data, port, address, this.#sent);
    } catch (error) {
      this.#sending -= 1;
      this.#report(error, 'send');
    }
  }
}

function ignore(): void {
  // The wait was ended because nothing is left to wait for.
}
