import type { Upstream } from '@backlot/core/plugin';
import type { DatagramRemote } from '../datagram-server.js';
import { timers } from '../timers.js';
import { DatagramFlows } from './datagram-flows.js';
import type { UpstreamLog } from './upstream-log.js';

/** Milliseconds that an answer is waited for. */
const ANSWER_TIMEOUT = 10_000;
/** The most datagrams that wait for an answer at one time; further ones are dropped, as a network would. */
const MAX_WAITING = 10_000;

/** A datagram that waits for its answer. */
interface Ask {
  readonly isAnswer: (data: Buffer) => boolean;
  readonly take: (data: Buffer) => void;
}

/** Sends datagrams of clients to an upstream, each client from a port of its own, and tells which answer is to which of them. */
export class DatagramAsks {
  readonly #flows: DatagramFlows;
  /** By the client. */
  readonly #asks = new Map<string, Ask[]>();
  #waiting = 0;

  constructor(upstream: Upstream, log: UpstreamLog) {
    this.#flows = new DatagramFlows(upstream, log);
  }

  /**
   * Sends a datagram and waits for its answer.
   *
   * @param isAnswer - whether a datagram of the upstream answers this one
   * @param reply - takes what the upstream sends to this client beside answers
   * @throws Error when none has come within ten seconds
   */
  ask(
    data: Buffer,
    remote: DatagramRemote,
    isAnswer: Ask['isAnswer'],
    reply: (data: Uint8Array) => void,
  ): Promise<Buffer> {
    if (this.#waiting >= MAX_WAITING)
      return Promise.reject(new Error(`${MAX_WAITING} datagrams wait for its answers already`));
    const client = `${remote.address} ${remote.port}`;
    return new Promise((resolve, reject) => {
      const ask: Ask = {
        isAnswer,
        take: (answer) => {
          this.#forget(client, ask);
          timer.cancel();
          resolve(answer);
        },
      };
      const timer = timers.after(ANSWER_TIMEOUT, () => {
        this.#forget(client, ask);
        reject(new Error(`it has not answered within ${ANSWER_TIMEOUT / 1000} s`));
      });
      const asks = this.#asks.get(client);
      if (asks === undefined) this.#asks.set(client, [ask]);
      else asks.push(ask);
      this.#waiting += 1;
      void this.#flows.send(data, remote, (answer) => this.#receive(client, Buffer.from(answer), reply));
    });
  }

  /** Passes a datagram on that nobody here reads, and what comes back. */
  pass(data: Buffer, remote: DatagramRemote, reply: (data: Uint8Array) => void): void {
    const client = `${remote.address} ${remote.port}`;
    void this.#flows.send(data, remote, (answer) => this.#receive(client, Buffer.from(answer), reply));
  }

  /** Waits for nothing more. */
  stop(): void {
    this.#flows.stop();
  }

  #receive(client: string, data: Buffer, reply: (data: Uint8Array) => void): void {
    const ask = this.#asks.get(client)?.find(({ isAnswer }) => isAnswer(data));
    if (ask === undefined) reply(data);
    else ask.take(data);
  }

  #forget(client: string, ask: Ask): void {
    const asks = this.#asks.get(client);
    const place = asks?.indexOf(ask) ?? -1;
    if (asks === undefined || place < 0) return;
    asks.splice(place, 1);
    this.#waiting -= 1;
    if (asks.length === 0) this.#asks.delete(client);
  }
}
