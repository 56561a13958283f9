import { KeptBytes } from '@backlot/kit';
import { CODE } from '../wire/codes.js';
import { sizeOf, type Block } from '../wire/block.js';
import { Transfers } from './transfers.js';

/** The largest payload that is put together from blocks. */
export const MAX_PAYLOAD = 1024 * 1024;

interface Upload {
  readonly parts: Buffer[];
  length: number;
  /** Length of the newest block, which may come again. */
  last: number;
}

/** What became of a block: the whole payload, more to come, or an error. */
export type Taken =
  | { readonly type: 'complete'; readonly payload: Buffer }
  | { readonly type: 'continue' }
  | { readonly type: 'refused'; readonly code: number; readonly reason: string };

const EMPTY = Buffer.alloc(0);

/** Puts payloads together that clients send in blocks (RFC 7959 section 2.5). */
export class Uploads {
  readonly #transfers = new Transfers<Upload>();
  readonly #kept = new KeptBytes();

  /** @param announced - the whole size, when the client has told it */
  take(
    remote: string,
    key: string,
    block: Block,
    payload: Buffer = EMPTY,
    announced: number | undefined,
  ): Taken {
    const size = sizeOf(block.exponent);
    const start = block.number * size;
    if (block.hasMore ? payload.length !== size : payload.length > size) {
      return refuse(
        CODE.BAD_REQUEST,
        `block ${block.number} has ${payload.length} bytes where Block1 says ${size}`,
      );
    }
    if (Math.max(start + payload.length, announced ?? 0) > MAX_PAYLOAD) {
      this.#transfers.delete(remote, key);
      return refuse(CODE.REQUEST_ENTITY_TOO_LARGE, `at most ${MAX_PAYLOAD} bytes are taken`);
    }
    const upload = start === 0 ? this.#begin(remote, key) : this.#transfers.get(remote, key);
    if (upload === undefined) {
      return refuse(
        CODE.REQUEST_ENTITY_INCOMPLETE,
        `block ${block.number} came first; begin again with block 0`,
      );
    }
    const isRepeated = start + upload.last === upload.length && payload.length === upload.last && start > 0;
    if (start === upload.length) {
      // A copy: a view would keep the whole datagram.
      upload.parts.push(this.#kept.copy(payload));
      upload.length += payload.length;
      upload.last = payload.length;
      this.#transfers.grow(remote, key, payload.length);
    } else if (!isRepeated) {
      return refuse(
        CODE.REQUEST_ENTITY_INCOMPLETE,
        `block ${block.number} begins at byte ${start}, want ${upload.length}`,
      );
    }
    if (block.hasMore) return { type: 'continue' };
    this.#transfers.delete(remote, key);
    return { type: 'complete', payload: Buffer.concat(upload.parts) };
  }

  #begin(remote: string, key: string): Upload {
    const upload: Upload = { parts: [], length: 0, last: 0 };
    this.#transfers.set(remote, key, upload, 0);
    return upload;
  }
}

function refuse(code: number, reason: string): Taken {
  return { type: 'refused', code, reason };
}
