import { splitPath, type Message, type SplitPath } from '@backlot/core/plugin';
import type { KeptBytes } from '@backlot/kit';
import { addField, NO_FIELDS, plainRecord, type Fields } from '@backlot/kit/http';
import { nameOfFormat } from './wire/content-formats.js';
import { copyPacket, TYPE, type Packet } from './wire/decode.js';
import { OPTION, ruleOf } from './wire/options.js';
import { findUint, readQuery, readUint } from './wire/request-options.js';

/** What a message is made of when it did not come over the wire. */
export interface MessageParts {
  readonly method: string;
  readonly path: string;
  readonly remote: string;
  readonly accept: number | undefined;
  readonly body: Buffer | undefined;
  readonly query?: Fields | undefined;
  readonly headers?: Fields | undefined;
  /** The packet that brought it. */
  readonly packet?: Packet | undefined;
}

/** A request with its whole payload, as matchers, templates and the journal see it. What nobody reads is never made. */
export class CoapMessage implements Message {
  readonly method: string;
  readonly path: string;
  readonly remote: string;
  declare readonly body?: Buffer;
  /** The only content format that the client takes. */
  readonly accept: number | undefined;
  #parts: MessageParts | undefined;
  #split: SplitPath | undefined;
  #query: Fields | undefined;
  #text: string | undefined;

  constructor(parts: MessageParts) {
    this.method = parts.method;
    this.path = parts.path;
    this.remote = parts.remote;
    if (parts.body !== undefined) this.body = parts.body;
    this.accept = parts.accept;
    this.#parts = parts;
  }

  get split(): SplitPath {
    return (this.#split ??= splitPath(this.path));
  }

  get query(): Fields {
    const { packet, query } = this.#parts ?? {};
    return (this.#query ??= (packet === undefined ? query : readQuery(packet)) ?? NO_FIELDS);
  }

  /** The payload as text; absent when there is none. */
  get text(): string | undefined {
    return (this.#text ??= this.body?.toString('utf8'));
  }

  /** The options that say something beyond path, query and blocks. */
  get headers(): Fields {
    const { packet, headers } = this.#parts ?? {};
    return (packet === undefined ? headers : readHeaders(packet)) ?? NO_FIELDS;
  }

  get size(): number {
    return this.#parts?.packet?.data.length ?? 0;
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    const packet = this.#parts?.packet;
    if (packet === undefined) return {};
    const format = findUint(packet, OPTION.CONTENT_FORMAT);
    return {
      type: packet.type === TYPE.CON ? 'CON' : 'NON',
      token: packet.token.toString('hex'),
      content_format: format === undefined ? undefined : nameOfFormat(format),
      accept: this.accept === undefined ? undefined : nameOfFormat(this.accept),
    };
  }

  /** The same request from a client that takes any content format. */
  acceptingAnything(): CoapMessage {
    const { method, path, remote, body, query, headers } = this;
    return new CoapMessage({ method, path, remote, body, query, headers, accept: undefined });
  }

  /** The same request with octets of its own, for who keeps it for long. */
  copied(kept: KeptBytes): CoapMessage {
    const { method, path, remote, accept, body } = this;
    const { packet, query, headers } = this.#parts ?? {};
    return new CoapMessage({
      method,
      path,
      remote,
      accept,
      query,
      headers,
      body: body && kept.keep(body),
      packet: packet && copyPacket(packet, kept),
    });
  }

  /**
   * Lets go of the packet, of which only templates would still see anything. The journal keeps thousands of messages,
   * and what they hold is what collecting garbage costs.
   */
  forgetPacket(): void {
    this.#parts = undefined;
    this.#split = undefined;
  }
}

function readHeaders(packet: Packet): Fields | undefined {
  let headers: Record<string, string | string[]> | undefined;
  for (const option of packet.options) {
    const rule = ruleOf(option.number);
    if (rule === undefined || isShownElsewhere(option.number)) continue;
    headers ??= plainRecord();
    addField(headers, rule.name, formatValue());

    function formatValue(): string {
      const { number, start, end } = option;
      if (number === OPTION.CONTENT_FORMAT || number === OPTION.ACCEPT) {
        return nameOfFormat(readUint(packet.data, option));
      }
      if (rule?.format === 'uint') return String(readUint(packet.data, option));
      return packet.data.toString(rule?.format === 'string' ? 'utf8' : 'hex', start, end);
    }
  }
  return headers;
}

function isShownElsewhere(number: number): boolean {
  return (
    number === OPTION.URI_PATH ||
    number === OPTION.URI_QUERY ||
    number === OPTION.BLOCK1 ||
    number === OPTION.BLOCK2
  );
}
