import dgram, { type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { isForbiddenAddress, type Upstream } from '@backlot/core/plugin';
import type { DatagramRemote } from '../datagram-server.js';
import { timers, type Timer } from '../timers.js';
import type { UpstreamLog } from './upstream-log.js';

/** Milliseconds without a datagram in either direction after which the flow of a client is forgotten. */
const IDLE = 60_000;
/** The most flows at one time; the one that was used least recently gives way. */
const MAX_FLOWS = 1_000;

/** The datagrams between one client and the upstream, from a port of their own. */
interface Flow {
  readonly socket: Socket;
  reply: (data: Uint8Array) => void;
  idle: Timer;
}

/** Passes datagrams to an upstream and back. */
export class DatagramFlows {
  readonly #upstream: Upstream;
  readonly #log: UpstreamLog;
  /** In the order of their last use. */
  readonly #flows = new Map<string, Flow>();
  #address: Promise<string> | undefined;
  #isStopped = false;

  constructor(upstream: Upstream, log: UpstreamLog) {
    this.#upstream = upstream;
    this.#log = log;
  }

  /** Passes on a datagram; whatever the upstream sends back to its port goes to `reply`. */
  async send(data: Buffer, remote: DatagramRemote, reply: (data: Uint8Array) => void): Promise<void> {
    try {
      const address = await (this.#address ??= this.#resolve());
      if (this.#isStopped) return;
      const key = `${remote.address} ${remote.port}`;
      const flow = this.#flows.get(key) ?? this.#open(key, address);
      flow.reply = reply;
      this.#used(key, flow);
      flow.socket.send(data, this.#upstream.port, address, (error) => {
        if (error) this.#log.failed(error);
      });
    } catch (error) {
      this.#address = undefined;
      this.#log.failed(error);
    }
  }

  /** Forgets all flows. */
  stop(): void {
    this.#isStopped = true;
    for (const key of [...this.#flows.keys()]) this.#drop(key);
  }

  async #resolve(): Promise<string> {
    const { host } = this.#upstream;
    const address = isIP(host) === 0 ? (await lookup(host)).address : host;
    if (isForbiddenAddress(address))
      throw new Error(`${address} is a link-local or cloud metadata address, which is no upstream`);
    return address;
  }

  #open(key: string, address: string): Flow {
    const [oldest] = this.#flows.keys();
    if (this.#flows.size >= MAX_FLOWS && oldest !== undefined) this.#drop(oldest);
    const socket = dgram.createSocket({
      type: isIPv6(address) ? 'udp6' : 'udp4',
      // It is an address: node would look it up all the same, once for each datagram.
      lookup: (name, _options, callback) => callback(null, name, isIPv6(name) ? 6 : 4),
    });
    const flow: Flow = { socket, reply: ignore, idle: timers.after(IDLE, () => this.#drop(key)) };
    socket.on('message', (data, { address: from, port }) => {
      // Only the upstream answers: whoever else guesses the port is nobody.
      if (port !== this.#upstream.port || from !== address) return;
      this.#log.worked();
      this.#used(key, flow);
      flow.reply(data);
    });
    socket.on('error', (error) => {
      this.#log.failed(error);
      this.#drop(key);
    });
    this.#flows.set(key, flow);
    return flow;
  }

  #used(key: string, flow: Flow): void {
    if (!this.#flows.delete(key)) return;
    this.#flows.set(key, flow);
    flow.idle.cancel();
    flow.idle = timers.after(IDLE, () => this.#drop(key));
  }

  #drop(key: string): void {
    const flow = this.#flows.get(key);
    if (flow === undefined) return;
    this.#flows.delete(key);
    flow.idle.cancel();
    flow.socket.close();
  }
}

function ignore(): void {
  // The client of the flow is known before anything is sent.
}
