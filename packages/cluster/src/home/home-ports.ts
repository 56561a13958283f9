import { createSocket } from 'node:dgram';
import { createServer, isIPv6, type AddressInfo, type Socket } from 'node:net';
import type { AskedPort, SharedDatagrams, SharedPorts } from '@backlot/core';
import { afterRealTime } from '@backlot/core/plugin';
import type { PassedConnection } from './proxy-header.js';

/** How many connections wait for a home, and how long at most, in milliseconds. */
const MOST_HELD = 1_024;
const HELD_FOR = 10_000;
/** How often it is tried again to hand them over, in milliseconds. */
const TRY_AGAIN = 250;
/** How many may be handed over at the same time. */
const MOST_PASSED = 10_000;

type Take = Parameters<SharedPorts['listen']>[1];

/** What the ports ask of the home. */
export interface HomeSide {
  /** Whether this process is the home at this moment. */
  holds(): boolean;
  /** Starts what takes connections under a name, where that is only started when it is used. */
  start(name: string): void;
  /** Hands a connection over. @returns undefined when nobody takes it now */
  handOver(passed: PassedConnection): Promise<Socket | undefined>;
}

/** Listens for one replica: what has data takes connections where the home is, and those that come elsewhere are handed over to it. */
export class HomePorts implements SharedPorts {
  readonly #home: HomeSide;
  /** Who takes connections of the kinds that have data, by the names of ports, with the port here. */
  readonly #taking = new Map<string, Map<Take, number>>();
  /** Connections that are answered here because this is the home. */
  readonly #answered = new Set<Socket>();
  /** Connections that wait, and those that are handed over. */
  readonly #passed = new Set<Socket>();
  readonly #waking = new Set<() => void>();

  constructor(home: HomeSide) {
    this.#home = home;
  }

  /** Whether there is anything that has data. */
  get hasData(): boolean {
    return this.#taking.size > 0;
  }

  async listen(asked: AskedPort, take: Take): ReturnType<SharedPorts['listen']> {
    const isHome = asked.share === 'home';
    const own = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      if (isHome) this.#receive(asked, socket, take, own);
      else take(socket);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: asked.address, port: asked.port, exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    // One that cannot be accepted, for want of files, comes again.
    server.on('error', () => undefined);
    const { port } = server.address() as AddressInfo;
    if (isHome)
      this.#taking.set(asked.name, (this.#taking.get(asked.name) ?? new Map<Take, number>()).set(take, port));
    return {
      port,
      close: async () => {
        const takes = this.#taking.get(asked.name);
        takes?.delete(take);
        if (takes?.size === 0) this.#taking.delete(asked.name);
        for (const socket of own) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  bind({ address, port }: AskedPort): Promise<SharedDatagrams> {
    const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', ipv6Only: isIPv6(address) });
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        socket.close();
        reject(error);
      };
      socket.once('error', fail);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', fail);
        resolve(socket);
      });
    });
  }

  /** Takes a connection that another replica has accepted. @returns begins with it; undefined when this is not the home */
  takePassed(socket: Socket, { name, client }: PassedConnection): (() => void) | undefined {
    if (!this.#home.holds()) return undefined;
    const [taking] = this.#taking.get(name) ?? [];
    if (taking === undefined) {
      // Whoever hands over tries again.
      this.#home.start(name);
      return undefined;
    }
    const [take, localPort] = taking;
    return () => {
      // Kinds that tell clients where to connect to next, such as Kafka, tell the port of their own here.
      const shown = { remoteAddress: client.address, remotePort: client.port, localPort };
      const family = isIPv6(client.address) ? 'IPv6' : 'IPv4';
      for (const [key, value] of Object.entries({ ...shown, remoteFamily: family }))
        Object.defineProperty(socket, key, { value, configurable: true });
      this.#answer(socket, take);
    };
  }

  /** There is a home, or another one: those that wait are tried. */
  wake(): void {
    for (const look of [...this.#waking]) look();
  }

  /** This is the home no more. @returns how many connections were closed */
  closeAnswered(): number {
    const count = this.#answered.size;
    for (const socket of this.#answered) socket.destroy();
    return count;
  }

  #answer(socket: Socket, take: Take): void {
    this.#answered.add(socket);
    socket.once('close', () => this.#answered.delete(socket));
    this.#guard(socket);
    take(socket, true);
  }

  /** A process that was paused may find bytes before it finds that its lease has ended: those are not answered any more. */
  #guard(socket: Socket): void {
    const push = socket.push.bind(socket);
    socket.push = (chunk, encoding) => {
      if (chunk === null || this.#home.holds()) return push(chunk, encoding);
      socket.destroy();
      return false;
    };
  }

  #receive(asked: AskedPort, socket: Socket, take: Take, own: Set<Socket>): void {
    if (this.#home.holds()) {
      this.#answer(socket, take);
      return;
    }
    socket.on('error', () => undefined);
    if (this.#passed.size >= MOST_PASSED || this.#waking.size >= MOST_HELD) {
      socket.destroy();
      return;
    }
    own.add(socket);
    this.#passed.add(socket);
    socket.once('close', () => {
      own.delete(socket);
      this.#passed.delete(socket);
    });
    void this.#pass(asked, socket, take, own);
  }

  /** Hands a connection over as soon as there is a home that takes it. */
  async #pass(asked: AskedPort, socket: Socket, take: Take, own: Set<Socket>): Promise<void> {
    const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
    const passed: PassedConnection = {
      name: asked.name,
      client: { address: plain(remoteAddress), port: remotePort },
      server: { address: plain(localAddress), port: localPort },
    };
    const late = afterRealTime(HELD_FOR, () => socket.destroy());
    const gone = new Promise<void>((resolve) => void socket.once('close', resolve));
    let far: Socket | undefined;
    while (far === undefined && !socket.destroyed) {
      if (this.#home.holds()) {
        late.cancel();
        own.delete(socket);
        this.#passed.delete(socket);
        this.#answer(socket, take);
        return;
      }
      far = await this.#home.handOver(passed).catch(() => undefined);
      if (far === undefined) await this.#sleep(gone);
    }
    late.cancel();
    if (far !== undefined) splice(socket, far);
  }

  async #sleep(gone: Promise<void>): Promise<void> {
    const { promise, resolve } = wakeable();
    this.#waking.add(resolve);
    const timer = afterRealTime(TRY_AGAIN, resolve);
    await Promise.race([promise, gone]);
    timer.cancel();
    this.#waking.delete(resolve);
  }
}

function wakeable(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** Passes the bytes of two sockets to each other, each end of a side too, until one is closed. */
function splice(near: Socket, far: Socket): void {
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('error', () => undefined);
    from.once('close', () => to.destroy());
    from.pipe(to);
  }
  near.setNoDelay(true);
  if (near.destroyed) far.destroy();
  if (far.destroyed) near.destroy();
}

/** An IPv4 address that a socket for both has is shown as one of IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:/, '');
}
