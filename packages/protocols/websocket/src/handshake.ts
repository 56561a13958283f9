import { splitPath, type SplitPath } from '@backlot/core/plugin';
import type { DialectName } from './dialects/fields.js';
import type { FramingName } from './framing.js';
import { parseFields, plainHost, readHeaders, type Fields } from '@backlot/kit/http';

/** What a handshake is made of. */
interface HandshakeParts {
  /** The path with its query. */
  readonly target: string;
  /** Names and values in turn, as node gives them. */
  readonly rawHeaders: readonly string[];
  readonly remote: string;
  /** Whether it came over TLS; absent where that is not known, as of a message that is explained. */
  readonly isSecure?: boolean;
}

/** The opening handshake: what all messages of a connection share. */
export class Handshake {
  /** As it came, without the query. */
  readonly path: string;
  readonly split: SplitPath;
  /** By name in lower case; of a repeated header the values joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly remote: string;
  /** The path with its query, of an absolute target as well. */
  readonly target: string;
  /** The host that is meant, in lower case and without the port of its scheme; empty when the handshake names none. */
  readonly host: string;
  /** Bytes that it holds in memory beside the path, roughly. */
  readonly size: number;
  /** The subprotocols the client can speak, in its order. */
  readonly offers: readonly string[];
  /** The subprotocol of the connection, `""` for none; undefined until it is agreed on. */
  subprotocol: string | undefined = undefined;
  /** How texts hold several messages, `""` when they do not; undefined until a mock has let the client in. */
  framing: FramingName | '' | undefined = undefined;
  /** The id of the open stream that the connection is; undefined before it is one, and in a dialect. */
  stream: string | undefined = undefined;
  /** The dialect that is spoken, `""` for none; undefined until a mock has let the client in. */
  dialect: DialectName | '' | undefined = undefined;
  readonly #queryText: string;
  #query: Fields | undefined;

  constructor({ target: given, rawHeaders, remote, isSecure }: HandshakeParts) {
    const target = originForm(given);
    this.target = target;
    const mark = target.indexOf('?');
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.#queryText = mark < 0 ? '' : target.slice(mark + 1);
    this.split = splitPath(this.path);
    this.remote = remote;
    this.size = rawHeaders.reduce((sum, text) => sum + text.length + 16, this.#queryText.length);
    this.headers = readHeaders(rawHeaders).joined;
    const { host = '' } = this.headers;
    this.host = isSecure === undefined ? plainHost(plainHost(host, true), false) : plainHost(host, isSecure);
    this.offers = readOffers(this.headers['sec-websocket-protocol']);
  }

  get query(): Fields {
    return (this.#query ??= parseFields(this.#queryText));
  }

  /** Whether a mock for this subprotocol can serve the connection; a mock without one serves any. */
  canSpeak(subprotocol: string | undefined): boolean {
    if (subprotocol === undefined) return true;
    return this.subprotocol === undefined
      ? this.offers.includes(subprotocol)
      : this.subprotocol === subprotocol;
  }

  /** Whether a mock with this framing can serve the connection; before it is known, any can. */
  isFramed(framing: FramingName | undefined): boolean {
    return this.framing === undefined || this.framing === (framing ?? '');
  }
}

function readOffers(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  return header
    .split(',')
    .map((offer) => offer.trim())
    .filter((offer) => offer !== '');
}

/** The path and query of an absolute target (RFC 6455, section 4.1). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
