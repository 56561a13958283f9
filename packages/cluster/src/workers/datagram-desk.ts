import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { AskedPort } from '@backlot/core';
import type { Channel } from './channel.js';
import { chooseTaker, keyOf, type Takers } from './takers.js';

/** A datagram, as it goes from process to process. */
export type Passed = readonly [data: Uint8Array, address: string, port: number];

/** How many datagrams wait for one worker; others are lost, as on a network. */
const MOST_WAITING = 10_000;

interface SharedSocket {
  readonly id: number;
  readonly asked: AskedPort;
  readonly socket: Socket;
  readonly takers: Takers;
  /** What was read in this turn, by who takes it. */
  readonly waiting: Map<Channel, Passed[]>;
}

/** Receives the datagrams that must come to a certain worker, and sends what that one answers. */
export class DatagramDesk {
  readonly #ready: ReadonlySet<Channel>;
  readonly #shared = new Map<string, Promise<SharedSocket>>();
  readonly #byId = new Map<number, SharedSocket>();
  /** Ports that workers read by themselves. */
  readonly #free = new Map<string, Promise<number>>();
  #count = 0;

  constructor(ready: ReadonlySet<Channel>) {
    this.#ready = ready;
  }

  serve(channel: Channel, slot: number): void {
    channel
      .on('datagram.free', (asked: AskedPort & { readonly index: number }) => this.#choosePort(asked))
      .on('datagram.taken', (asked: AskedPort & { readonly index: number }) => {
        this.#free.delete(keyOf(asked));
      })
      .on('datagram.bind', (asked: AskedPort & { readonly index: number }) =>
        this.#bind(asked, channel, slot),
      )
      .on('datagram.send', ({ id, sent }: { id: number; sent: readonly Passed[] }) => {
        const { socket } = this.#byId.get(id) ?? {};
        // One that cannot be sent is lost, as on a network.
        for (const [data, address, port] of sent) socket?.send(data, port, address, () => undefined);
      })
      .on('datagram.close', (id: number) => this.#close(id, channel));
  }

  leave(channel: Channel): void {
    for (const { takers, waiting } of this.#byId.values()) {
      takers.delete(channel);
      waiting.delete(channel);
    }
  }

  close(): void {
    for (const { socket } of this.#byId.values()) socket.close();
  }

  /** A port for sockets that workers read by themselves, of which each must know the number. */
  #choosePort(asked: AskedPort & { readonly index: number }): Promise<number> {
    const key = keyOf(asked);
    let choosing = this.#free.get(key);
    if (choosing === undefined) {
      choosing = open(asked).then(async (socket) => {
        const { port } = socket.address();
        await new Promise<void>((resolve) => socket.close(resolve));
        return port;
      });
      choosing.catch(() => this.#free.delete(key));
      this.#free.set(key, choosing);
    }
    return choosing;
  }

  async #bind(
    asked: AskedPort & { readonly index: number },
    channel: Channel,
    slot: number,
  ): Promise<{ readonly id: number; readonly place: ReturnType<Socket['address']> }> {
    const key = keyOf(asked);
    let opening = this.#shared.get(key);
    if (opening === undefined) {
      opening = this.#open(asked);
      opening.catch(() => this.#shared.delete(key));
      this.#shared.set(key, opening);
    }
    const { id, socket, takers } = await opening;
    takers.set(channel, slot);
    return { id, place: socket.address() };
  }

  async #open(asked: AskedPort): Promise<SharedSocket> {
    const socket = await open(asked);
    this.#count += 1;
    const shared: SharedSocket = {
      ...{ id: this.#count, asked, socket },
      takers: new Map(),
      waiting: new Map(),
    };
    socket.on('error', () => undefined);
    socket.on('message', (data, remote) => this.#take(shared, data, remote));
    this.#byId.set(shared.id, shared);
    return shared;
  }

  #take({ id, asked, takers, waiting }: SharedSocket, data: Buffer, { address, port }: RemoteInfo): void {
    const taker = chooseTaker(asked.share, takers, this.#ready, `${address} ${port}`);
    if (taker === undefined) return;
    const passed = waiting.get(taker);
    if (passed !== undefined) {
      if (passed.length < MOST_WAITING) passed.push([data, address, port]);
      return;
    }
    const first: Passed[] = [[data, address, port]];
    waiting.set(taker, first);
    // What comes in one turn goes together.
    setImmediate(() => {
      if (waiting.get(taker) === first) waiting.delete(taker);
      taker.tell('datagram.received', { id, received: first });
    });
  }

  async #close(id: number, channel: Channel): Promise<void> {
    const shared = this.#byId.get(id);
    if (shared === undefined) return;
    shared.takers.delete(channel);
    if (shared.takers.size > 0) return;
    this.#byId.delete(id);
    for (const [key, opening] of this.#shared) if ((await opening) === shared) this.#shared.delete(key);
    await new Promise<void>((resolve) => shared.socket.close(resolve));
  }
}

/** @throws the system's error when the port cannot be had */
function open({ address, port }: AskedPort): Promise<Socket> {
  const socket = createSocket(socketOptions(address));
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ address, port, exclusive: true }, () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

/** `::` takes IPv4 as well; ::1 must not, it shares its port with 127.0.0.1. */
export function socketOptions(address: string): { type: 'udp4' | 'udp6'; ipv6Only: boolean } {
  const isSix = isIPv6(address);
  return { type: isSix ? 'udp6' : 'udp4', ipv6Only: isSix && address !== '::' };
}
