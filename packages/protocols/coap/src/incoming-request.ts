import type { Timer } from '@backlot/kit';
import type { Seen } from './transfer/duplicates.js';
import { TYPE, type Packet } from './wire/decode.js';
import { transferKey, type RequestOptions } from './wire/request-options.js';

/** Sends a datagram to the client from the address that it has written to. */
export type Send = (octets: Buffer) => void;

/** One request from its datagram to its answer. */
export class IncomingRequest {
  readonly packet: Packet;
  readonly options: RequestOptions;
  readonly remote: string;
  readonly send: Send;
  readonly seen: Seen;
  /** Whether an empty acknowledgement was sent, so that the answer comes in a message of its own. */
  isAcknowledged = false;
  acknowledging: Timer | undefined;
  #key: string | undefined;

  constructor(packet: Packet, options: RequestOptions, remote: string, send: Send, seen: Seen) {
    this.packet = packet;
    this.options = options;
    this.remote = remote;
    this.send = send;
    this.seen = seen;
  }

  get isConfirmable(): boolean {
    return this.packet.type === TYPE.CON;
  }

  /** What the requests of this block-wise transfer have in common. */
  get transferKey(): string {
    return (this.#key ??= transferKey(this.packet));
  }
}
