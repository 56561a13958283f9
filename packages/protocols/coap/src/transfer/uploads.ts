import { Gathered } from '@backlot/kit/framing';
import { CODE } from '../wire/codes.js';
import { sizeOf, type Block } from '../wire/block.js';
import { Transfers } from './transfers.js';

/** The largest payload that is put together from blocks. */
export const MAX_PAYLOAD = 1024 * 1024;

interface Upload {
  /** Put together as they come: a buffer for each of 65,536 blocks would take many times their bytes. */
  readonly blocks: Gathered;
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
    const { blocks } = upload;
    const isRepeated = start + upload.last === blocks.length && payload.length === upload.last && start > 0;
    if (start === blocks.length) {
      blocks.append(payload);
      upload.last = payload.length;
      this.#transfers.grow(remote, key, payload.length);
    } else if (!isRepeated) {
      return refuse(
        CODE.REQUEST_ENTITY_INCOMPLETE,
        `block ${block.number} begins at byte ${start}, want ${blocks.length}`,
      );
    }
    if (block.hasMore) return { type: 'continue' };
    this.#transfers.delete(remote, key);
    return { type: 'complete', payload: blocks.take() };
  }

  #begin(remote: string, key: string): Upload {
    const upload: Upload = { blocks: new Gathered(), last: 0 };
    this.#transfers.set(remote, key, upload, 0);
    return upload;
  }
}

function refuse(code: number, reason: string): Taken {
  return { type: 'refused', code, reason };
}
