import type { Reply } from '@backlot/core/plugin';
import { formatCode } from './wire/codes.js';
import { nameOfFormat } from './wire/content-formats.js';
import { encodeTail } from './wire/encode.js';
import { OPTION } from './wire/options.js';

const NONE = Buffer.alloc(0);
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** What is answered, whole: the blocks of a transfer are cut from it. */
export class Representation {
  readonly code: number;
  readonly format: number | undefined;
  readonly payload: Buffer;
  #tail: Buffer | undefined;
  #tag: Buffer | undefined;
  #reply: Reply | undefined;

  constructor(code: number, payload: Buffer = NONE, format?: number) {
    this.code = code;
    this.payload = payload;
    this.format = format;
  }

  /** Options and payload of an answer in one message. */
  get tail(): Buffer {
    return (this.#tail ??= encodeTail(
      this.format === undefined ? [] : [{ number: OPTION.CONTENT_FORMAT, value: this.format }],
      this.payload,
    ));
  }

  /** Tells the blocks of this payload from those of another (RFC 7959 section 2.4). */
  get entityTag(): Buffer {
    return (this.#tag ??= makeTag(this.payload));
  }

  /** How the journal shows it. */
  get reply(): Reply {
    return (this.#reply ??= {
      status: formatCode(this.code),
      ...(this.format === undefined ? {} : { headers: { 'content-format': nameOfFormat(this.format) } }),
      ...(this.payload.length === 0 ? {} : { body: this.payload }),
    });
  }

  isEqualTo(other: Representation): boolean {
    return this.code === other.code && this.format === other.format && this.payload.equals(other.payload);
  }
}

/** An answer whose payload is a diagnostic message (RFC 7252 section 5.5.2). */
export function diagnose(code: number, text: string): Representation {
  return new Representation(code, Buffer.from(text));
}

/** FNV-1a: quick, and nobody gains from a collision. */
export function hashOf(octets: Buffer, end: number): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < end; index += 1) hash = Math.imul(hash ^ (octets[index] ?? 0), FNV_PRIME);
  return hash >>> 0;
}

function makeTag(payload: Buffer): Buffer {
  const tag = Buffer.allocUnsafe(8);
  tag.writeUInt32BE(hashOf(payload, payload.length), 0);
  tag.writeUInt32BE(payload.length, 4);
  return tag;
}
