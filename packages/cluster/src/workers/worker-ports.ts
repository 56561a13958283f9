import { createSocket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { lookup } from 'node:dns';
import type { AskedPort, SharedDatagrams, SharedPorts } from '@backlot/core';
import type { Channel } from './channel.js';
import { socketOptions, type Passed } from './datagram-desk.js';

/** Has the ports of a worker from the process that has started it. */
export class WorkerPorts implements SharedPorts {
  readonly #channel: Channel;
  /** Who takes what comes, by the ids of ports. */
  readonly #taking = new Map<number, (socket: Socket) => void>();
  readonly #sockets = new Map<number, PassedDatagrams>();
  /** What is asked for now, by name, address and port: the second one of a name is another one. */
  readonly #open = new Map<string, Set<number>>();

  constructor(channel: Channel) {
    this.#channel = channel;
    channel
      .on('port.connection', (id: number, socket: Socket | undefined) => {
        // One that its client has closed on the way is not there any more.
        if (socket === undefined) return;
        const take = this.#taking.get(id);
        if (take === undefined) channel.tell('port.back', id, socket, () => socket.destroy());
        else take(socket);
      })
      .on('datagram.received', ({ id, received }: { id: number; received: readonly Passed[] }) =>
        this.#sockets.get(id)?.take(received),
      );
  }

  async listen(asked: AskedPort, take: (socket: Socket) => void): ReturnType<SharedPorts['listen']> {
    const { index, free } = this.#reserve('stream', asked);
    try {
      const { id, port } = (await this.#channel.ask('port.listen', { ...asked, index })) as {
        readonly id: number;
        readonly port: number;
      };
      this.#taking.set(id, take);
      return {
        port,
        close: async () => {
          free();
          this.#taking.delete(id);
          // Who has gone has closed it.
          await this.#channel.ask('port.close', id).catch(() => undefined);
        },
      };
    } catch (thrown) {
      free();
      throw thrown;
    }
  }

  async bind(asked: AskedPort): Promise<SharedDatagrams> {
    const { index, free } = this.#reserve('datagram', asked);
    try {
      const socket = await (asked.share === 'any'
        ? this.#readTogether({ ...asked, index })
        : this.#bindThere({ ...asked, index }));
      socket.once('close', free);
      return socket;
    } catch (thrown) {
      free();
      throw thrown;
    }
  }

  /** Each worker reads from the same socket what it gets hold of. */
  async #readTogether(asked: AskedPort & { readonly index: number }): Promise<SharedDatagrams> {
    for (let attempt = 1; ; attempt += 1) {
      const port =
        asked.port === 0 ? ((await this.#channel.ask('datagram.free', asked)) as number) : asked.port;
      try {
        return await openTogether(asked.address, port);
      } catch (thrown) {
        const isTaken = (thrown as { readonly code?: unknown }).code === 'EADDRINUSE';
        if (asked.port !== 0 || !isTaken || attempt === 20) throw thrown;
        await this.#channel.ask('datagram.taken', asked);
      }
    }
  }

  async #bindThere(asked: AskedPort & { readonly index: number }): Promise<SharedDatagrams> {
    const { id, place } = (await this.#channel.ask('datagram.bind', asked)) as {
      readonly id: number;
      readonly place: ReturnType<SharedDatagrams['address']>;
    };
    const socket = new PassedDatagrams(id, place, this.#channel, () => this.#sockets.delete(id));
    this.#sockets.set(id, socket);
    return socket;
  }

  #reserve(
    what: string,
    { name, address, port }: AskedPort,
  ): { readonly index: number; readonly free: () => void } {
    const key = JSON.stringify([what, name, address, port]);
    const taken = this.#open.get(key) ?? new Set<number>();
    this.#open.set(key, taken);
    let index = 0;
    while (taken.has(index)) index += 1;
    taken.add(index);
    return {
      index,
      free: () => {
        taken.delete(index);
        if (taken.size === 0) this.#open.delete(key);
      },
    };
  }
}

/** A socket of node:cluster, of which each worker has a part. */
function openTogether(address: string, port: number): Promise<SharedDatagrams> {
  const options = socketOptions(address);
  const socket = createSocket({
    ...options,
    // Answers go to addresses: node would look them up all the same, once for each datagram.
    lookup: (name, choice, callback) => {
      if (isIP(name) === 0) lookup(name, choice, callback);
      else callback(null, name, options.type === 'udp6' ? 6 : 4);
    },
  });
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.close();
      reject(error);
    };
    socket.once('error', fail);
    socket.bind({ address, port, exclusive: false }, () => {
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/** Datagrams that another process receives and sends. */
class PassedDatagrams extends EventEmitter {
  readonly #id: number;
  readonly #place: ReturnType<SharedDatagrams['address']>;
  readonly #channel: Channel;
  readonly #closed: () => void;
  #waiting: Passed[] = [];

  constructor(
    id: number,
    place: ReturnType<SharedDatagrams['address']>,
    channel: Channel,
    closed: () => void,
  ) {
    super();
    this.#id = id;
    this.#place = place;
    this.#channel = channel;
    this.#closed = closed;
  }

  address(): ReturnType<SharedDatagrams['address']> {
    return this.#place;
  }

  take(received: readonly Passed[]): void {
    const { family } = this.#place;
    for (const [data, address, port] of received) {
      const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      this.emit('message', bytes, { address, port, family, size: bytes.length });
    }
  }

  send(data: Uint8Array, port: number, address: string, sent: (error: Error | null) => void): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    this.#waiting.push([data, address, port]);
    sent(null);
  }

  #flush(): void {
    const sent = this.#waiting;
    this.#waiting = [];
    if (sent.length > 0) this.#channel.tell('datagram.send', { id: this.#id, sent });
  }

  close(closed: () => void): void {
    this.#flush();
    this.#closed();
    // Who has gone has closed it.
    const end = (): void => {
      this.emit('close');
      closed();
    };
    this.#channel.ask('datagram.close', this.#id).then(end, end);
  }
}
