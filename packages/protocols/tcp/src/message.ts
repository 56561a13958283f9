import { parsedText, type Message } from '@backlot/core/plugin';
import { stateOf, type ConnectionState } from './connection-state.js';

/** Bytes that a client sent, as matchers, templates and the journal see them. */
export class TcpMessage implements Message {
  readonly method = 'RECV';
  /** The port as `:8083`. */
  readonly path: string;
  readonly remote: string;
  readonly body: Buffer;
  /** What the connection remembered when the message came; absent when that is nothing. */
  readonly query?: ConnectionState;
  #text: string | undefined;

  constructor(body: Buffer, path: string, remote: string, state?: ConnectionState) {
    this.body = body;
    this.path = path;
    this.remote = remote;
    if (state !== undefined) this.query = state;
  }

  /** For templates: `request.connection_state`. */
  get extras(): Readonly<Record<string, unknown>> {
    return { connection_state: this.query ?? {} };
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
  const { body, body_encoding: encoding, path, remote, query } = entry;
  const bytes = Buffer.from(typeof body === 'string' ? body : '', encoding === 'base64' ? 'base64' : 'utf8');
  return new TcpMessage(
    bytes,
    typeof path === 'string' ? path : '',
    typeof remote === 'string' ? remote : '',
    readState(query),
  );
}

function readState(query: unknown): ConnectionState | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  return stateOf(Object.entries(query).map(([name, value]) => [name, String(value)]));
}
