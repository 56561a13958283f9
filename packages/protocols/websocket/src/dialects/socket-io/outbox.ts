import type { Packet } from '../dialect.js';

/** Bytes that may wait for a client that polls before no more is to be sent. */
const MAX_WAITING = 128 * 1024;

/** Packets that wait until their client asks for them. */
export class Outbox {
  #packets: Packet[] = [];
  #length = 0;
  #onRelease: (() => void)[] = [];

  /** Roughly how many bytes wait; 0 only when there are no packets. */
  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length > MAX_WAITING;
  }

  add(packets: readonly Packet[]): void {
    for (const packet of packets) {
      this.#packets.push(packet);
      this.#length += packet.length + 1;
    }
  }

  take(): readonly Packet[] {
    const packets = this.#packets;
    this.#packets = [];
    this.#length = 0;
    return packets;
  }

  /** Resolves at the next {@link release}. */
  whenRead(): Promise<void> {
    return new Promise((resolve) => this.#onRelease.push(resolve));
  }

  release(): void {
    for (const release of this.#onRelease.splice(0)) release();
  }
}
