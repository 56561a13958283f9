import { formatAddress, KeptBytes, timers, type Timer } from '@backlot/kit';

/** RFC 7252 section 4.8.2: how long a message id of a client is not used again. */
const EXCHANGE_LIFETIME = 247_000;
/** The newest so many messages are remembered, from all clients together. */
const MAX_ENTRIES = 16_384;

/** An address and port that datagrams come from. */
export interface Client {
  /** `address:port`; one text for all that keep it. */
  readonly remote: string;
  readonly address: string;
  readonly port: number;
  /** The number of the newest message of each message id. */
  readonly messages: Map<number, number>;
}

/** A message that was taken. */
export interface Seen {
  /** In order of arrival. */
  readonly number: number;
  /** What was sent for it last; `undefined` while, or because, nothing was. */
  readonly answer: Buffer | undefined;
  /** Told of a duplicate while the answer is being made. */
  acknowledge: (() => void) | undefined;
}

/**
 * Remembers the newest messages, so that one that comes twice is answered once (RFC 7252 section 4.5), and lets go of them
 * when their time is over: one timer looks after all, a quarter of that time after it was started. Of one that is
 * answered only the answer is kept, in columns: thousands of objects that live for minutes are what a collector is
 * slowest with.
 */
export class Duplicates {
  /** By address and port. */
  readonly #clients = new Map<string, Map<number, Client>>();
  /** Columns, a ring; when it is full the oldest makes room. */
  readonly #from: (Client | undefined)[] = [];
  readonly #messageIds = new Uint16Array(MAX_ENTRIES);
  /** Of the datagram: a retransmission has the same octets, another message with a message id used too early has not. */
  readonly #hashes = new Int32Array(MAX_ENTRIES);
  /** On the wire's clock. */
  readonly #expires = new Float64Array(MAX_ENTRIES);
  /** Those that are not answered. */
  readonly #open: (Seen | undefined)[] = [];
  /** What the answer stands in: answers share buffers, and a view for each would be an object more. */
  readonly #buffers: (ArrayBufferLike | undefined)[] = [];
  readonly #offsets = new Uint32Array(MAX_ENTRIES);
  readonly #sizes = new Uint32Array(MAX_ENTRIES);
  readonly #kept = new KeptBytes();
  /** The number of the oldest. */
  #first = 0;
  #next = 0;
  #sweeping: Timer | undefined;

  /** How many messages are remembered. */
  get size(): number {
    return this.#next - this.#first;
  }

  /** Whoever sends from there; not remembered until there is a message of it. */
  clientAt(address: string, port: number): Client {
    const known = this.#clients.get(address)?.get(port);
    return known ?? { remote: formatAddress(address, port), address, port, messages: new Map() };
  }

  /** What is known of a message of which the same octets came before. */
  find(client: Client, messageId: number, hash: number): Seen | undefined {
    const number = client.messages.get(messageId);
    if (number === undefined) return undefined;
    const place = number % MAX_ENTRIES;
    if (this.#hashes[place] !== (hash | 0) || (this.#expires[place] ?? 0) <= timers.now()) return undefined;
    const open = this.#open[place];
    if (open !== undefined) return open;
    const buffer = this.#buffers[place];
    const answer =
      buffer === undefined ? undefined : Buffer.from(buffer, this.#offsets[place], this.#sizes[place]);
    return { number, answer, acknowledge: undefined };
  }

  add(client: Client, messageId: number, hash: number): Seen {
    if (this.size === MAX_ENTRIES) this.#forgetFirst();
    const number = this.#next++;
    const place = number % MAX_ENTRIES;
    const seen: Seen = { number, answer: undefined, acknowledge: undefined };
    this.#from[place] = client;
    this.#messageIds[place] = messageId;
    this.#hashes[place] = hash;
    this.#expires[place] = timers.now() + EXCHANGE_LIFETIME;
    this.#open[place] = seen;
    this.#buffers[place] = undefined;
    if (client.messages.size === 0) this.#register(client);
    client.messages.set(messageId, number);
    this.#sweepLater();
    return seen;
  }

  /** From now on a duplicate gets this answer. */
  settle(seen: Seen, answer: Buffer): void {
    const place = seen.number % MAX_ENTRIES;
    // It may have made room while it waited.
    if (this.#open[place] !== seen) return;
    this.#open[place] = undefined;
    const { buffer, byteOffset, length } = this.#kept.keep(answer);
    this.#buffers[place] = buffer;
    this.#offsets[place] = byteOffset;
    this.#sizes[place] = length;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#sweeping?.cancel();
    this.#sweeping = undefined;
    while (this.size > 0) this.#forgetFirst();
  }

  #register(client: Client): void {
    const { address, port } = client;
    const ofAddress = this.#clients.get(address);
    if (ofAddress === undefined) this.#clients.set(address, new Map([[port, client]]));
    else ofAddress.set(port, client);
  }

  #sweepLater(): void {
    this.#sweeping ??= timers.after(EXCHANGE_LIFETIME / 4, this.#sweep, { unref: true });
  }

  readonly #sweep = (): void => {
    this.#sweeping = undefined;
    const now = timers.now();
    while (this.size > 0 && (this.#expires[this.#first % MAX_ENTRIES] ?? 0) <= now) this.#forgetFirst();
    if (this.size > 0) this.#sweepLater();
  };

  #forgetFirst(): void {
    const number = this.#first++;
    const place = number % MAX_ENTRIES;
    const client = this.#from[place];
    const messageId = this.#messageIds[place] ?? 0;
    this.#from[place] = undefined;
    this.#open[place] = undefined;
    this.#buffers[place] = undefined;
    // A newer message may have taken the id over.
    if (client === undefined || client.messages.get(messageId) !== number) return;
    client.messages.delete(messageId);
    if (client.messages.size > 0) return;
    const { address, port } = client;
    const ofAddress = this.#clients.get(address);
    ofAddress?.delete(port);
    if (ofAddress?.size === 0) this.#clients.delete(address);
  }
}
