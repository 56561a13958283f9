import type { Clock } from '@backlot/core/plugin';
import { hasExpired } from './envelope.js';

/** A packet as the broker keeps it; PUBREL packets have no topic. */
export interface StoredPacket {
  readonly cmd: string;
  readonly brokerId?: string;
  readonly brokerCounter?: number;
  readonly topic?: string;
  readonly payload?: Buffer;
  readonly qos?: number;
  readonly retain?: boolean;
  readonly dup?: boolean;
  messageId?: number | undefined;
  readonly clientId?: string;
  /** In ms of the host's clock; 0 is never. */
  readonly expiresAt?: number;
}

const MAX_MESSAGES = 1000;
const MAX_BYTES = 16 * 1024 * 1024;
/** What the queues of all sessions may hold together. */
const MAX_BYTES_IN_ALL = 256 * 1024 * 1024;
/** What a message costs beside its payload, roughly. */
const MESSAGE_BYTES = 200;

/** What the queues of all sessions hold together, in bytes. */
export interface Held {
  bytes: number;
}

/**
 * What a session was sent and has not acknowledged, in order. Beyond its bounds new messages are dropped, once those that
 * have expired unsent have made room.
 */
export class MessageQueue {
  readonly #byNumber = new Map<number, StoredPacket>();
  readonly #numbers = new Map<number, number>();
  readonly #held: Held;
  readonly #clock: Clock;
  #bytes = 0;
  /** When the first message of those that are kept may expire. */
  #soonest = Infinity;

  /** @param held - shared by all queues */
  constructor(held: Held, clock: Clock) {
    this.#held = held;
    this.#clock = clock;
  }

  get size(): number {
    return this.#byNumber.size;
  }

  values(): StoredPacket[] {
    return [...this.#byNumber.values()];
  }

  add(packet: StoredPacket): void {
    const size = sizeOf(packet);
    if (!this.#hasRoom(size)) {
      this.#dropExpired();
      if (!this.#hasRoom(size)) return;
    }
    const { expiresAt = 0 } = packet;
    if (expiresAt !== 0) this.#soonest = Math.min(this.#soonest, expiresAt);
    this.#byNumber.set(packet.brokerCounter ?? 0, packet);
    if (packet.messageId !== undefined) this.#numbers.set(packet.messageId, packet.brokerCounter ?? 0);
    this.#count(size);
  }

  /** A message has got a packet identifier, or PUBREL takes its place. */
  update(packet: StoredPacket): void {
    if (packet.messageId === undefined) return;
    if (packet.cmd === 'publish') {
      const kept = this.#byNumber.get(packet.brokerCounter ?? 0);
      if (kept === undefined) return;
      kept.messageId = packet.messageId;
      this.#numbers.set(packet.messageId, packet.brokerCounter ?? 0);
      return;
    }
    const number = this.#numbers.get(packet.messageId);
    if (number === undefined) return;
    const before = this.#byNumber.get(number);
    const release = { cmd: packet.cmd, brokerCounter: number, messageId: packet.messageId };
    this.#count(sizeOf(release) - (before === undefined ? 0 : sizeOf(before)));
    this.#byNumber.set(number, release);
  }

  /** It was acknowledged. */
  remove(messageId: number): StoredPacket | undefined {
    const number = this.#numbers.get(messageId);
    this.#numbers.delete(messageId);
    return number === undefined ? undefined : this.drop(number);
  }

  /** It needs no acknowledgement. */
  drop(number: number): StoredPacket | undefined {
    const packet = this.#byNumber.get(number);
    this.#byNumber.delete(number);
    if (packet !== undefined) this.#count(-sizeOf(packet));
    return packet;
  }

  clear(): void {
    this.#byNumber.clear();
    this.#numbers.clear();
    this.#count(-this.#bytes);
  }

  #hasRoom(size: number): boolean {
    return (
      this.#byNumber.size < MAX_MESSAGES &&
      this.#bytes + size <= MAX_BYTES &&
      this.#held.bytes + size <= MAX_BYTES_IN_ALL
    );
  }

  #dropExpired(): void {
    const now = this.#clock.now();
    if (now <= this.#soonest) return;
    this.#soonest = Infinity;
    for (const [number, { expiresAt = 0, messageId }] of this.#byNumber) {
      if (messageId !== undefined || expiresAt === 0) continue;
      if (hasExpired(expiresAt, now)) this.drop(number);
      else this.#soonest = Math.min(this.#soonest, expiresAt);
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#held.bytes += bytes;
  }
}

function sizeOf({ payload }: StoredPacket): number {
  return MESSAGE_BYTES + (payload?.length ?? 0);
}
