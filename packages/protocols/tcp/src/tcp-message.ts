import type { Message } from '@backlot/core/plugin';
import type { ByteTrie } from './byte-trie.js';

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

  /** Whether only mocks with exact bytes are asked for. */
  get isExactOnly(): boolean {
    return false;
  }

  /** Takes the index's own tree in place of an answer; see {@link TrieRequest}. */
  takeTrie(_trie: ByteTrie): boolean {
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

/** Matches nothing: the index hands its tree to it, for the framing that the mocks decide. */
export class TrieRequest extends TcpMessage {
  /** The tree that answered last. */
  trie: ByteTrie | undefined;

  constructor() {
    super(Buffer.alloc(0), '', '');
  }

  override takeTrie(trie: ByteTrie): boolean {
    this.trie = trie;
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
