import { parsedText, type Message } from '@backlot/core/plugin';

/** Bytes that a client sent, as matchers, templates and the journal see them. */
export class TcpMessage implements Message {
  readonly method = 'RECV';
  /** The port as `:8083`. */
  readonly path: string;
  readonly remote: string;
  readonly body: Buffer;
  #text: string | undefined;

  constructor(body: Buffer, path: string, remote: string) {
    this.body = body;
    this.path = path;
    this.remote = remote;
  }

  /** The bytes read as UTF-8. */
  get text(): string {
    return (this.#text ??= this.body.toString('utf8'));
  }

  /** The value of the text; `undefined` when it is no JSON. */
  get json(): unknown {
    return parsedText(this.text).json[0];
  }

  /** Whether only mocks with exact bytes are asked for. */
  get isExactOnly(): boolean {
    return false;
  }
}

/** Asks whether some mock with exactly these bytes is there now. */
export class ExactProbe extends TcpMessage {
  constructor(bytes: Buffer) {
    super(bytes, '', '');
  }

  override get isExactOnly(): boolean {
    return true;
  }
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{body, body_encoding}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): TcpMessage {
  const { body, body_encoding: encoding, path, remote } = entry;
  const bytes = Buffer.from(typeof body === 'string' ? body : '', encoding === 'base64' ? 'base64' : 'utf8');
  return new TcpMessage(
    bytes,
    typeof path === 'string' ? path : '',
    typeof remote === 'string' ? remote : '',
  );
}
