import type { Representation } from '../representation.js';
import { blockValue, MAX_EXPONENT, sizeOf, type Block } from '../wire/block.js';
import { encodeTail, type OptionValue } from '../wire/encode.js';
import { OPTION } from '../wire/options.js';

/**
 * How long, in seconds, what an observer has is fresh: it is told of every change, and once a day in any case
 * (RFC 7641 section 4.5), with an hour to spare.
 */
const OBSERVED_MAX_AGE = 25 * 60 * 60;

/** What goes with the part of an answer that fits one message. */
export interface CutOptions {
  /** The sequence number of a notification. */
  readonly observe?: number | undefined;
  /** The block that the client has asked for, or its size. */
  readonly block2?: Block | undefined;
  /** The block of the request that this answers. */
  readonly block1?: Block | undefined;
  /** The largest payload that is taken, for who has sent more. */
  readonly size1?: number | undefined;
}

/** Options and payload of one message. */
export interface Cut {
  readonly tail: Buffer;
  /** Whether the whole payload takes more than one message. */
  readonly isPart: boolean;
}

/**
 * Cuts from an answer what one message carries: all of it, or a block of at most 1,024 bytes, so that nobody gets more
 * than that for a request with a forged address (RFC 7252 section 11.3).
 *
 * @returns `undefined` when the payload ends before the block that was asked for
 */
export function cutAnswer(answer: Representation, options: CutOptions): Cut | undefined {
  const { observe, block2, block1, size1 } = options;
  const exponent = block2?.exponent ?? MAX_EXPONENT;
  const size = sizeOf(exponent);
  const isPart = answer.payload.length > size;
  const number = block2?.number ?? 0;
  const start = number * size;
  if (number > 0 && start >= answer.payload.length) return undefined;
  if (!isPart && observe === undefined && block2 === undefined && block1 === undefined) {
    return { tail: answer.tail, isPart };
  }
  const end = Math.min(start + size, answer.payload.length);
  const values: OptionValue[] = [];
  const add = (option: number, value: Uint8Array | number | undefined): void => {
    if (value !== undefined) values.push({ number: option, value });
  };
  add(OPTION.ETAG, isPart ? answer.entityTag : undefined);
  add(OPTION.OBSERVE, observe);
  add(OPTION.CONTENT_FORMAT, answer.format);
  add(OPTION.MAX_AGE, observe === undefined ? undefined : OBSERVED_MAX_AGE);
  if (isPart || block2 !== undefined) {
    add(OPTION.BLOCK2, blockValue({ number, hasMore: end < answer.payload.length, exponent }));
  }
  add(OPTION.BLOCK1, block1 === undefined ? undefined : blockValue(block1));
  add(OPTION.SIZE2, isPart && number === 0 ? answer.payload.length : undefined);
  add(OPTION.SIZE1, size1);
  return { tail: encodeTail(values, answer.payload.subarray(start, end)), isPart };
}
