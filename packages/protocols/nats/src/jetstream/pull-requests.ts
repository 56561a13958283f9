import type { Timer } from '@backlot/kit';
import type { ConsumerConfig } from './consumer-config.js';
import { toMilliseconds } from './dates.js';
import { ApiError } from './errors.js';
import { Fields } from './fields.js';
import type { Surroundings } from './surroundings.js';

const NOTHING = Buffer.alloc(0);

/** A message without a payload that says how it stands. */
export function statusMessage(
  subject: string,
  status: string,
  lines = '',
  reply = '',
): {
  readonly subject: string;
  readonly reply: string;
  readonly headerBytes: Buffer;
  readonly payload: Buffer;
} {
  const headerBytes = Buffer.from(`NATS/1.0 ${status}\r\n${lines}\r\n`, 'latin1');
  return { subject, reply, headerBytes, payload: NOTHING };
}

/** A client that has asked for messages. */
interface PullRequest {
  readonly reply: string;
  left: number;
  /** Bytes; 0 is no limit. */
  bytes: number;
  had: number;
  /** Whether it ends when there is nothing more for now. */
  readonly isOneShot: boolean;
  /** When something was sent, by real time. */
  lastSent: number;
  expiry?: Timer;
  heartbeat?: Timer;
}

/** What a request says. */
interface Asked {
  readonly batch: number;
  readonly bytes: number;
  /** Nanoseconds. */
  readonly expires: number;
  readonly heartbeat: number;
  readonly noWait: boolean;
}

/** What a consumer knows that its requests depend on. */
export interface PullSource {
  readonly config: ConsumerConfig;
  /** How many messages it could deliver. */
  readonly available: number;
  /** The lines of a heartbeat. */
  heartbeatLines(): string;
}

/** The requests that wait for messages of a pull consumer, served in turn. */
export class PullRequests {
  readonly #around: Surroundings;
  readonly #source: PullSource;
  #queue: PullRequest[] = [];

  constructor(around: Surroundings, source: PullSource) {
    this.#around = around;
    this.#source = source;
  }

  get size(): number {
    return this.#queue.length;
  }

  /** Whether somebody still waits for what was asked. */
  get isHeard(): boolean {
    return this.#queue.some(({ reply }) => this.#around.isHeard(reply));
  }

  /** Takes a request. Says whether it waits now. */
  add(reply: string, payload: Buffer): boolean {
    const { config, available } = this.#source;
    let asked: Asked;
    try {
      asked = readAsked(payload);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return this.#refuse(reply, `400 Bad Request - ${error.message}`);
    }
    const { batch, bytes, expires, heartbeat, noWait } = asked;
    if (heartbeat > 0 && 2 * heartbeat > expires) {
      return this.#refuse(reply, '400 Bad Request - heartbeat value too large');
    }
    const problem = exceeds(config, asked);
    if (problem !== undefined) return this.#refuse(reply, `409 ${problem}`);
    const most = config.max_waiting ?? 0;
    if (noWait || this.#queue.length >= most) this.#dropUnheard();
    if (noWait && available === 0 && expires === 0) return this.#refuse(reply, '404 No Messages');
    if (noWait && available > 0) {
      const asking = this.#queue.reduce((sum, { left }) => sum + left, 0);
      if (available < asking) return this.#refuse(reply, '408 Requests Pending');
    }
    if (this.#queue.length >= most) return this.#refuse(reply, '409 Exceeded MaxWaiting');
    const request: PullRequest = {
      reply,
      left: Math.max(1, batch),
      bytes,
      had: 0,
      isOneShot: noWait,
      lastSent: this.#around.timers.now(),
    };
    this.#queue.push(request);
    if (expires > 0) {
      request.expiry = this.#around.timers.after(toMilliseconds(expires), () => this.#expire(request), {
        unref: true,
      });
    }
    if (heartbeat > 0) this.#beat(request, toMilliseconds(heartbeat));
    return true;
  }

  /**
   * The subject of the request that gets the next message.
   *
   * @param size - bytes of the message
   */
  take(size: number): string | undefined {
    for (let request = this.#queue[0]; request !== undefined; request = this.#queue[0]) {
      this.#queue.shift();
      if (!this.#around.isHeard(request.reply)) this.#forget(request);
      else if (request.bytes > 0 && size > request.bytes) {
        this.#end(request, '409 Message Size Exceeds MaxBytes');
      } else {
        request.left -= 1;
        request.had += 1;
        request.lastSent = this.#around.timers.now();
        const isFull = request.bytes > 0 && (request.bytes -= size) <= 0;
        if (request.left > 0 && !isFull) this.#queue.push(request);
        else this.#forget(request);
        return request.reply;
      }
    }
    return undefined;
  }

  /** There is nothing more for now: who has got something and does not wait is told. */
  endOneShots(): void {
    for (const request of this.#queue.filter(({ isOneShot, had }) => isOneShot && had > 0)) {
      this.#expire(request);
    }
  }

  /** Ends all. @param status - what they are told; absent: nothing */
  stop(status?: string): void {
    const queue = this.#queue;
    this.#queue = [];
    for (const request of queue) {
      this.#forget(request);
      if (status !== undefined) this.#refuse(request.reply, status);
    }
  }

  #expire(request: PullRequest): void {
    this.#queue = this.#queue.filter((other) => other !== request);
    this.#end(request, '408 Request Timeout');
  }

  #end(request: PullRequest, status: string): void {
    this.#forget(request);
    const lines = `Nats-Pending-Messages: ${request.left}\r\nNats-Pending-Bytes: ${request.bytes}\r\n`;
    this.#around.send(request.reply, statusMessage(request.reply, status, lines));
  }

  /** A heartbeat comes when nothing else has come for so long. */
  #beat(request: PullRequest, interval: number, wait = interval): void {
    const beat = (): void => {
      const silent = this.#around.timers.now() - request.lastSent;
      if (silent >= interval) {
        request.lastSent = this.#around.timers.now();
        const lines = this.#source.heartbeatLines();
        this.#around.send(request.reply, statusMessage(request.reply, '100 Idle Heartbeat', lines));
      }
      this.#beat(request, interval, silent >= interval ? interval : interval - silent);
    };
    request.heartbeat = this.#around.timers.after(wait, beat, { unref: true });
  }

  #dropUnheard(): void {
    this.#queue = this.#queue.filter((request) => {
      const isHeard = this.#around.isHeard(request.reply);
      if (!isHeard) this.#forget(request);
      return isHeard;
    });
  }

  #forget({ expiry, heartbeat }: PullRequest): void {
    expiry?.cancel();
    heartbeat?.cancel();
  }

  #refuse(reply: string, status: string): false {
    this.#around.send(reply, statusMessage(reply, status));
    return false;
  }
}

function exceeds(config: ConsumerConfig, { batch, bytes, expires }: Asked): string | undefined {
  const { max_batch: mostBatch = 0, max_expires: mostExpires = 0, max_bytes: mostBytes = 0 } = config;
  if (mostBatch > 0 && batch > mostBatch) return `Exceeded MaxRequestBatch of ${mostBatch}`;
  if (mostExpires > 0 && expires > mostExpires) {
    return `Exceeded MaxRequestExpires of ${goDuration(mostExpires)}`;
  }
  if (mostBytes > 0 && bytes > mostBytes) return `Exceeded MaxRequestMaxBytes of ${mostBytes}`;
  return undefined;
}

/** Reads a request: nothing, a number of messages, or an object. */
function readAsked(payload: Buffer): Asked {
  const text = payload.toString('utf8').trim();
  const plain = { batch: 1, bytes: 0, expires: 0, heartbeat: 0, noWait: false };
  if (!text.startsWith('{')) return /^\d{1,15}$/.test(text) ? { ...plain, batch: Number(text) } : plain;
  const fields = Fields.read(Buffer.from(text));
  return {
    batch: fields.number('batch'),
    bytes: fields.number('max_bytes'),
    expires: fields.number('expires'),
    heartbeat: fields.number('idle_heartbeat'),
    noWait: fields.flag('no_wait'),
  };
}

/** A duration as Go writes it. */
export function goDuration(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${nanoseconds}ns`;
  if (nanoseconds < 1e6) return `${nanoseconds / 1e3}µs`;
  if (nanoseconds < 1e9) return `${nanoseconds / 1e6}ms`;
  const seconds = nanoseconds / 1e9;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
