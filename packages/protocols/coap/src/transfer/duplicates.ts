import { wire } from '@backlot/kit';

/** RFC 7252 section 4.8.2: how long a message id of a client is not used again. */
const EXCHANGE_LIFETIME = 247_000;
/** The newest so many messages are remembered, from all clients together. */
const MOST = 16_384;

/** A message that was taken. */
export interface Seen {
  readonly remote: string;
  readonly messageId: number;
  /** Of the datagram: a retransmission has the same octets, another message with a message id used too early has not. */
  readonly hash: number;
  /** On the wire's clock. */
  readonly expires: number;
  /** What was sent for it last; `undefined` while, or because, nothing was. */
  answer: Buffer | undefined;
  /** Told of a duplicate while the answer is being made. */
  acknowledge: (() => void) | undefined;
}

/** Remembers the newest messages, so that one that comes twice is answered once (RFC 7252 section 4.5). */
export class Duplicates {
  readonly #clients = new Map<string, Map<number, Seen>>();
  /** In order of arrival; when it is full the oldest makes room. */
  readonly #ring: (Seen | undefined)[] = [];
  #next = 0;

  /** What is known of a message of which the same octets came before. */
  find(remote: string, messageId: number, hash: number): Seen | undefined {
    const seen = this.#clients.get(remote)?.get(messageId);
    return seen !== undefined && seen.hash === hash && seen.expires > wire.now() ? seen : undefined;
  }

  add(remote: string, messageId: number, hash: number): Seen {
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) this.#forget(oldest);
    const seen: Seen = {
      remote,
      messageId,
      hash,
      expires: wire.now() + EXCHANGE_LIFETIME,
      answer: undefined,
      acknowledge: undefined,
    };
    this.#ring[this.#next] = seen;
    this.#next = (this.#next + 1) % MOST;
    const ofClient = this.#clients.get(remote);
    if (ofClient === undefined) this.#clients.set(remote, new Map([[messageId, seen]]));
    else ofClient.set(messageId, seen);
    return seen;
  }

  #forget(seen: Seen): void {
    const ofClient = this.#clients.get(seen.remote);
    // A newer message may have taken the id over.
    if (ofClient?.get(seen.messageId) !== seen) return;
    ofClient.delete(seen.messageId);
    if (ofClient.size === 0) this.#clients.delete(seen.remote);
  }
}
