import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { AskedPort } from '@backlot/core';
import { afterRealTime } from '@backlot/core/plugin';
import { DatagramDesk } from './datagram-desk.js';
import type { Channel } from './channel.js';
import { chooseTaker, keyOf, type Takers } from './takers.js';

/** How many connections wait for somebody who takes them, and how long at most, in milliseconds. */
const MOST_HELD = 1_024;
const HELD_FOR = 10_000;

/** A listener, and who takes its connections. */
interface Shared {
  readonly id: number;
  readonly asked: AskedPort;
  readonly server: Server;
  readonly port: number;
  readonly takers: Takers;
  readonly held: Set<Socket>;
}

/** Listens for all workers, and gives each connection to one of them. */
export class PortDesk {
  readonly #shared = new Map<string, Promise<Shared>>();
  readonly #byId = new Map<number, Shared>();
  /** Ports that could not be had: each worker is told the same. */
  readonly #refused = new Map<string, unknown>();
  readonly #ready: ReadonlySet<Channel>;
  readonly #datagrams: DatagramDesk;
  #count = 0;

  /** @param ready - the workers that take connections, the first of which is the home of what has data; it grows and shrinks */
  constructor(ready: ReadonlySet<Channel>) {
    this.#ready = ready;
    this.#datagrams = new DatagramDesk(ready);
  }

  /** Answers what a worker asks of ports. */
  serve(channel: Channel, slot: number): void {
    channel
      .on('port.listen', (asked: AskedPort & { readonly index: number }) =>
        this.#listen(asked, channel, slot),
      )
      .on('port.close', (id: number) => this.#close(id, channel))
      .on('port.back', (id: number, socket: Socket) => {
        const shared = this.#byId.get(id);
        if (shared === undefined) socket.destroy();
        else this.#give(shared, socket);
      });
    this.#datagrams.serve(channel, slot);
  }

  /** A worker takes connections now: those that wait are given to it. */
  wake(): void {
    for (const shared of this.#byId.values()) this.#giveHeld(shared);
  }

  /** A worker has ended. What it listened on stays, for the one that takes its place. */
  leave(channel: Channel): void {
    for (const { takers } of this.#byId.values()) takers.delete(channel);
    this.#datagrams.leave(channel);
  }

  /** Settings may name other ports now: those that could not be had are tried again. */
  forgetRefused(): void {
    this.#refused.clear();
  }

  close(): void {
    for (const { server, held } of this.#byId.values()) {
      for (const socket of held) socket.destroy();
      server.close();
    }
    this.#datagrams.close();
  }

  async #listen(
    asked: AskedPort & { readonly index: number },
    channel: Channel,
    slot: number,
  ): Promise<{ readonly id: number; readonly port: number }> {
    const key = keyOf(asked);
    if (this.#refused.has(key)) throw this.#refused.get(key);
    let opening = this.#shared.get(key);
    if (opening === undefined) {
      opening = this.#open(asked, key);
      this.#shared.set(key, opening);
    }
    const shared = await opening;
    shared.takers.set(channel, slot);
    // It knows of the port once it has the answer.
    setImmediate(() => this.#giveHeld(shared));
    return { id: shared.id, port: shared.port };
  }

  async #open(asked: AskedPort, key: string): Promise<Shared> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host: asked.address, port: asked.port, exclusive: true }, resolve);
      });
    } catch (thrown) {
      this.#shared.delete(key);
      this.#refused.set(key, thrown);
      throw thrown;
    }
    this.#count += 1;
    const { port } = server.address() as AddressInfo;
    const shared = {
      ...{ id: this.#count, asked, server, port },
      takers: new Map(),
      held: new Set<Socket>(),
    };
    // One that cannot be accepted, for want of files, comes again.
    server.on('error', () => undefined);
    server.on('connection', (socket) => this.#give(shared, socket));
    this.#byId.set(shared.id, shared);
    return shared;
  }

  #give(shared: Shared, socket: Socket): void {
    const { asked, takers } = shared;
    const taker = chooseTaker(asked.share, takers, this.#ready, socket.remoteAddress ?? '');
    if (taker === undefined) this.#hold(shared, socket);
    else taker.tell('port.connection', shared.id, socket, () => socket.destroy());
  }

  /** Nobody takes it now: one that has ended is being started anew. */
  #hold({ held }: Shared, socket: Socket): void {
    socket.on('error', () => undefined);
    if (held.size >= MOST_HELD) {
      socket.destroy();
      return;
    }
    held.add(socket);
    const timer = afterRealTime(HELD_FOR, () => {
      if (held.delete(socket)) socket.destroy();
    });
    socket.once('close', () => {
      timer.cancel();
      held.delete(socket);
    });
  }

  #giveHeld(shared: Shared): void {
    for (const socket of [...shared.held]) {
      shared.held.delete(socket);
      this.#give(shared, socket);
    }
  }

  async #close(id: number, channel: Channel): Promise<void> {
    const shared = this.#byId.get(id);
    if (shared === undefined) return;
    shared.takers.delete(channel);
    if (shared.takers.size > 0) return;
    this.#byId.delete(id);
    for (const [key, opening] of this.#shared) if ((await opening) === shared) this.#shared.delete(key);
    for (const socket of shared.held) socket.destroy();
    await new Promise((resolve) => shared.server.close(resolve));
  }
}
