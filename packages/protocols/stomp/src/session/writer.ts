import type { Delivery } from '../broker/subscription.js';
import type { Transport } from '../transport/transport.js';
import { encodeHeaders, joinFrame } from '../wire/encode-frame.js';
import type { StompError } from '../wire/stomp-error.js';
import type { Version } from '../wire/version.js';
import type { HeartBeat } from './handshake.js';

const BEAT = Buffer.from('\n');

/** Writes the frames of a server. */
export class Writer {
  /** Of the session; 1.0, which has no escapes, until there is one. */
  version: Version = '1.0';
  /** Whether something has left since this was last set to `false`. */
  hasSent = false;
  readonly #transport: Pick<Transport, 'write' | 'push'>;

  constructor(transport: Pick<Transport, 'write' | 'push'>) {
    this.#transport = transport;
  }

  /** What the session was given is in the clear: CONNECTED is never escaped. */
  connected(session: string, { sends, expects }: HeartBeat): void {
    const { version } = this;
    const headers = {
      version,
      session,
      server: 'backlot',
      'heart-beat': version === '1.0' ? undefined : `${sends},${expects}`,
    };
    this.#write(`CONNECTED\n${encodeHeaders(headers, '1.0')}`);
  }

  receipt(id: string): void {
    this.#write(`RECEIPT\n${encodeHeaders({ 'receipt-id': id }, this.version)}`);
  }

  /** @param receipt - of the frame that was wrong, if it asked for one */
  error({ message, detail, headers }: StompError, receipt: string | undefined): void {
    const own = { ...headers, message, 'receipt-id': receipt, 'content-type': 'text/plain' };
    // Without content-length, which makes stompit 1.0 throw where nobody can catch it; so the body has no NUL.
    const body = Buffer.from(detail.replaceAll('\0', ''), 'utf8');
    this.#write(`ERROR\n${encodeHeaders(own, this.version)}`, body);
  }

  /** Sends a message of a queue. */
  deliver(delivery: Delivery): void {
    this.hasSent = true;
    this.#transport.write(this.#encode(delivery), delivery.message.isText);
  }

  /** Sends a message of a topic. */
  push(delivery: Delivery): void {
    this.hasSent = true;
    this.#transport.push(this.#encode(delivery), delivery.message.isText);
  }

  beat(): void {
    this.#transport.push(BEAT, true);
  }

  #write(head: string, body?: Buffer): void {
    this.hasSent = true;
    this.#transport.write(joinFrame(head, body), true);
  }

  #encode({ subscription, message, tag, isRedelivered }: Delivery): Buffer {
    let head = `MESSAGE\n${subscription.line}message-id:${message.id}\n`;
    if (tag !== undefined && this.version === '1.2') head += `ack:${tag}\n`;
    if (isRedelivered) head += 'redelivered:true\n';
    return joinFrame(head + message.tailFor(this.version), message.body);
  }
}
