import { addField, plainRecord, type Fields } from '@backlot/kit/http';
import { readBlock, type Block } from './block.js';
import { CODE } from './codes.js';
import type { OptionSpan, Packet } from './decode.js';
import { isCritical, isNoCacheKey, OPTION, ruleOf } from './options.js';

/** Why a request is refused for its options. */
export interface BadOptions {
  readonly code: number;
  readonly reason: string;
}

/** What the options of a request say. */
export interface RequestOptions {
  /** Percent-encoded where a segment holds `%` or `/`, so that segments stay apart. */
  readonly path: string;
  readonly accept: number | undefined;
  /** 0 registers, 1 deregisters (RFC 7641 section 2). */
  readonly observe: number | undefined;
  readonly block1: Block | undefined;
  readonly block2: Block | undefined;
  readonly size1: number | undefined;
  /** Whether there is nothing but a path. */
  readonly isPlain: boolean;
  readonly bad: BadOptions | undefined;
}

/** More options than any client needs; each costs something. */
const MAX_OPTIONS = 256;

/** Reads the options of a request in one pass; the first that must be refused ends it. */
export function readRequestOptions(packet: Packet): RequestOptions {
  const { data, options } = packet;
  let path = '';
  let accept: number | undefined;
  let observe: number | undefined;
  let block1: Block | undefined;
  let block2: Block | undefined;
  let size1: number | undefined;
  let bad: BadOptions | undefined;
  if (options.length > MAX_OPTIONS) {
    bad = { code: CODE.BAD_OPTION, reason: `${options.length} options; at most ${MAX_OPTIONS} are taken` };
  }
  let segments = 0;
  let previous = 0;
  for (let index = 0; index < options.length && bad === undefined; index += 1) {
    const option = options[index];
    if (option === undefined) continue;
    const { number, start, end } = option;
    const isUsable = isWellFormed(option, previous);
    previous = number;
    if (!isUsable) {
      // RFC 7252 sections 5.4.1, 5.4.3 and 5.4.5: an elective one is as if it were not there.
      if (isCritical(number)) bad = { code: CODE.BAD_OPTION, reason: `option ${number} is not supported` };
      continue;
    }
    switch (number) {
      case OPTION.URI_PATH:
        segments += 1;
        path += `/${escapeSegment(data.toString('utf8', start, end))}`;
        break;
      case OPTION.ACCEPT:
        accept = readUint(data, option);
        break;
      case OPTION.OBSERVE:
        observe = readUint(data, option);
        break;
      case OPTION.SIZE1:
        size1 = readUint(data, option);
        break;
      case OPTION.BLOCK1:
        block1 = readBlock(readUint(data, option));
        if (block1 === undefined) bad = badBlock('Block1');
        break;
      case OPTION.BLOCK2:
        block2 = readBlock(readUint(data, option));
        if (block2 === undefined) bad = badBlock('Block2');
        break;
      case OPTION.PROXY_URI:
      case OPTION.PROXY_SCHEME:
        bad = { code: CODE.PROXYING_NOT_SUPPORTED, reason: 'this server is no proxy' };
        break;
      default:
        break;
    }
  }
  return {
    path: path === '' ? '/' : path,
    accept,
    observe,
    block1,
    block2,
    size1,
    isPlain: segments === options.length,
    bad,
  };
}

/** The query of a request: parameters by name, those without `=` with an empty value. */
export function readQuery({ data, options }: Packet): Fields | undefined {
  let query: Record<string, string | string[]> | undefined;
  for (const { number, start, end } of options) {
    if (number !== OPTION.URI_QUERY) continue;
    const text = data.toString('utf8', start, end);
    const equals = text.indexOf('=');
    addField(
      (query ??= plainRecord()),
      equals < 0 ? text : text.slice(0, equals),
      equals < 0 ? '' : text.slice(equals + 1),
    );
  }
  return query;
}

/** The value of the first option of a number that is a uint. */
export function findUint({ data, options }: Packet, number: number): number | undefined {
  const option = options.find((each) => each.number === number);
  return option === undefined || !isWellFormed(option, 0) ? undefined : readUint(data, option);
}

/** A uint of up to four octets. */
export function readUint(data: Buffer, { start, end }: OptionSpan): number {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 256 + (data[at] ?? 0);
  return value;
}

/**
 * What tells the requests of one block-wise transfer from others of the same client (RFC 7959 section 2.3 and the
 * cache key of RFC 7252 section 5.6). Without Content-Format, which clients leave out where they send no payload.
 */
export function transferKey({ data, code, options }: Packet): string {
  let key = String(code);
  for (const { number, start, end } of options) {
    if (!isForTransfer(number)) key += `;${number}=${end - start}:${data.toString('latin1', start, end)}`;
  }
  return key;
}

function isForTransfer(number: number): boolean {
  switch (number) {
    case OPTION.BLOCK1:
    case OPTION.BLOCK2:
    case OPTION.SIZE2:
    case OPTION.OBSERVE:
    case OPTION.CONTENT_FORMAT:
    case OPTION.ETAG:
      return true;
    default:
      return isNoCacheKey(number);
  }
}

function isWellFormed({ number, start, end }: OptionSpan, previous: number): boolean {
  const rule = ruleOf(number);
  if (rule === undefined) return false;
  const length = end - start;
  return length >= rule.min && length <= rule.max && (rule.isRepeatable || number !== previous);
}

function badBlock(name: string): BadOptions {
  return { code: CODE.BAD_REQUEST, reason: `${name} has the reserved size exponent 7` };
}

function escapeSegment(text: string): string {
  if (!text.includes('%') && !text.includes('/')) return text;
  return text.replaceAll('%', '%25').replaceAll('/', '%2F');
}
