import { isUtf8 } from 'node:buffer';
import { detach } from '../wire/detach.js';
import { encodeHeaders } from '../wire/encode-frame.js';
import type { Headers } from '../wire/frame.js';
import type { Version } from '../wire/version.js';

/** What a message costs in memory beside its headers and body, in bytes, roughly. */
const MESSAGE_BYTES = 500;

/** Headers that a server sets by itself, or that were for the server alone. */
const OWN: ReadonlySet<string> = new Set([
  'destination',
  'content-length',
  'message-id',
  'subscription',
  'ack',
  'redelivered',
  'receipt',
  'transaction',
]);

/** A message on its way through the broker; never changes. */
export class BrokerMessage {
  readonly id: string;
  readonly destination: string;
  /** As the sender gave them. */
  readonly headers: Headers;
  /** Bytes that it holds in memory, roughly. */
  readonly size: number;
  #body: Buffer;
  #isText: boolean | undefined;
  readonly #tails = new Map<Version, string>();

  constructor(id: string, destination: string, headers: Headers, body: Buffer) {
    this.id = id;
    this.destination = destination;
    this.headers = headers;
    this.#body = body;
    this.size = MESSAGE_BYTES + sizeOf(headers) + body.length;
  }

  get body(): Buffer {
    return this.#body;
  }

  /** Whether the body is UTF-8. */
  get isText(): boolean {
    return (this.#isText ??= isUtf8(this.#body));
  }

  /** Lets go of the packet that a small body came in: for a message that is kept. */
  detach(): void {
    this.#body = detach(this.#body);
  }

  /** The header lines that every receiver of one version gets. */
  tailFor(version: Version): string {
    let tail = this.#tails.get(version);
    if (tail === undefined) {
      tail = this.#encodeTail(version);
      this.#tails.set(version, tail);
    }
    return tail;
  }

  #encodeTail(version: Version): string {
    const passed: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const name in this.headers) {
      const value = this.headers[name];
      if (value !== undefined && !OWN.has(name)) passed[name] = value;
    }
    const own = { destination: this.destination, 'content-length': this.#body.length };
    return encodeHeaders(own, version) + encodeHeaders(passed, version);
  }
}

function sizeOf(headers: Headers): number {
  let size = 0;
  for (const name in headers) size += name.length + (headers[name]?.length ?? 0);
  return size;
}
