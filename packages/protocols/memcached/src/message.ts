import type { Message } from '@backlot/core/plugin';
import { bodyFromWire, fromWire, toWire } from './wire/latin.js';

/** A command for one key, as matchers, templates and the journal see it. Texts have one character per byte. */
export class MemcachedMessage implements Message {
  /** The command in the words of the text protocol. */
  readonly method: string;
  readonly key: string;
  readonly remote: string;
  /** The data of a command that has some, see {@link carry}. */
  value: string | undefined = undefined;
  /** The same for whoever reads the message. */
  declare readonly body?: string | Buffer;
  flags = 0;
  exptime = 0;
  /** The unique number to compare with; 0 is none. */
  cas = 0;
  /** How much to count, and from what when there is nothing. */
  delta = 1n;
  /** The number to begin with where there is none; absent: nothing is made. */
  initial: bigint | undefined = undefined;
  /** Whether a number that gets shorter keeps its length, with spaces: memcached does so in the text protocol. */
  pads = true;
  /** The flags of a meta command as they were sent. */
  metaFlags: readonly string[] | undefined = undefined;

  #path: string | undefined = undefined;

  constructor(method: string, key: string, remote: string) {
    this.method = method;
    this.key = key;
    this.remote = remote;
  }

  /** The key, read as UTF-8. */
  get path(): string {
    return (this.#path ??= fromWire(this.key));
  }

  /** Gives it its data. */
  carry(value: string): void {
    this.value = value;
    (this as { body: string | Buffer }).body = bodyFromWire(value);
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    return {
      key: this.path,
      command: this.method,
      flags: this.flags,
      exptime: this.exptime,
      delta: this.delta.toString(),
      meta_flags: this.metaFlags?.join(' ') ?? '',
    };
  }
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{method, path, body, body_encoding}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): MemcachedMessage {
  const { method, path, body, body_encoding: encoding, remote } = entry;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const message = new MemcachedMessage(text(method), toWire(text(path)), text(remote));
  if (typeof body === 'string') {
    message.carry(Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8').toString('latin1'));
  }
  return message;
}
