import { isUtf8 } from 'node:buffer';
import type { LazyCapture, Message, ValueOf } from '@backlot/core/plugin';
import type { CaptureMoment } from '@backlot/kit';
import type { CaptureSchema } from './schemas.js';
import { detach } from './wire/detach.js';
import type { Headers } from './wire/frame.js';

type Captured = ValueOf<typeof CaptureSchema>;

const UPPER = /[A-Z]/;
const NO_HEADERS: Headers = Object.freeze(Object.create(null) as Record<string, string>);

/** What a SEND or a SUBSCRIBE frame brought, as matchers, templates and the journal see it; or a MESSAGE of an upstream, for the journal alone. */
export class StompMessage implements Message, LazyCapture<Captured> {
  readonly method: 'SEND' | 'SUBSCRIBE' | 'MESSAGE';
  /** The destination. */
  readonly path: string;
  readonly remote: string;
  /** The body when it is a text, else its bytes. */
  readonly body: string | Buffer;
  /** As they were sent: names of STOMP headers are case-sensitive. */
  readonly sent: Headers;
  /** When it was captured and as what; it is both the message and what is captured of it, so that one is kept. */
  captured: { readonly id: string; readonly moment: CaptureMoment } | undefined = undefined;
  #base64: string | undefined;

  constructor(
    method: 'SEND' | 'SUBSCRIBE' | 'MESSAGE',
    destination: string,
    sent: Headers,
    body: string | Buffer,
    remote: string,
  ) {
    this.method = method;
    this.path = destination;
    this.sent = sent;
    this.body = typeof body === 'string' ? body : isUtf8(body) ? body.toString('utf8') : detach(body);
    this.remote = remote;
  }

  /** With names in lower case, as every kind shows them. */
  get headers(): Headers {
    const names = Object.keys(this.sent);
    if (!names.some((name) => UPPER.test(name))) return this.sent;
    const lower = Object.create(null) as Record<string, string>;
    for (const name of names) lower[name.toLowerCase()] ??= this.sent[name] ?? '';
    return lower;
  }

  /** Bytes of the headers, roughly. */
  get size(): number {
    let size = 0;
    for (const name in this.sent) size += name.length + (this.sent[name]?.length ?? 0);
    return size;
  }

  /** What patterns see of the body: the text, or base64 where it is none. */
  get text(): string {
    if (typeof this.body === 'string') return this.body;
    return (this.#base64 ??= this.body.toString('base64'));
  }

  get captureId(): string {
    return this.captured?.id ?? '';
  }

  capture(): Captured {
    // Not through `text`, which would be kept as long as the message: a list that is read would double what is stored.
    return {
      id: this.captureId,
      destination: this.path,
      body: typeof this.body === 'string' ? this.body : this.body.toString('base64'),
      ...(this.isBinary ? { body_encoding: 'base64' as const } : {}),
      headers: this.sent,
      timestamp: this.captured?.moment.timestamp ?? '',
    };
  }

  get isBinary(): boolean {
    return typeof this.body !== 'string';
  }

  get extras(): Readonly<Record<string, unknown>> {
    return { destination: this.path };
  }
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{method, path, headers, body, body_encoding}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): StompMessage {
  const { method, path, headers, body, body_encoding: encoding, remote } = entry;
  const text = typeof body === 'string' ? body : '';
  const sent = Object.create(null) as Record<string, string>;
  if (typeof headers === 'object' && headers !== null) {
    for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') sent[name] = value;
  }
  return new StompMessage(
    method === 'SUBSCRIBE' ? 'SUBSCRIBE' : 'SEND',
    typeof path === 'string' ? path : '',
    headers === undefined ? NO_HEADERS : sent,
    encoding === 'base64' ? Buffer.from(text, 'base64') : text,
    typeof remote === 'string' ? remote : '',
  );
}
