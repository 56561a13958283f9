import type { LongText } from '../data/long-text.js';
import { LongArgument } from './long-argument.js';
import { readName } from './read-name.js';
import { splitInline } from './split-inline.js';

/** Most bytes of a line: an inline command, or a length (PROTO_INLINE_MAX_SIZE of Redis). */
const MAX_LINE = 64 * 1024;
const MAX_ARGS = 1024 * 1024;
/** What a client may send before it has logged in. */
const MAX_ARGS_UNKNOWN = 10;
const MAX_BULK_UNKNOWN = 16 * 1024;
/** Arguments that there is room for at once; by how much the room grows when they are more. */
const FIRST_ROOM = 64;
const ROOM_GROWTH = 4;
/** What an argument takes in memory beside its bytes. */
const ARG_BYTES = 32;

/** A longer argument is decoded while it comes, so that its end takes no longer than any other part. */
const LARGE = 256 * 1024;

/** Bytes of the shortest request. */
const SHORTEST = '*1\r\n$0\r\n\r\n'.length;

const CR = 13;
const LF = 10;
const STAR = 0x2a;
const DOLLAR = 0x24;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;

/** Bytes that cannot be right: its message is the error of the protocol that is answered before the connection is closed. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Limits of requests. */
interface RequestLimits {
  /** Most bytes of one request. */
  readonly maxRequest: number;
  /** Whether the client has logged in, where that is needed. */
  readonly isTrusted: () => boolean;
}

/** A request: its name and its arguments. */
export interface Request extends Array<string> {
  /** The long ones in pages, by their places. Whoever can takes these: the text beside it was not put together yet. */
  long?: Map<number, LongText>;
}

/** Reads requests: arrays of bulk strings, and inline commands. Nothing is allocated for what is only announced. */
export class RequestParser {
  readonly #limits: RequestLimits;
  #chunks: Buffer[] = [];
  /** Bytes in `#chunks`. */
  #waiting = 0;
  /** Bytes that must be there before it is worth looking again. */
  #wanted = 0;
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;
  /** What has come of a request, with room for more: an array that grows by itself leaves several times its size behind. */
  #args: Request = [];
  /** Arguments of the request in all; 0 between requests. */
  #count = 0;
  /** Arguments of it that have come. */
  #read = 0;
  /** Length of the argument that comes next; -1 when it is not known yet. */
  #length = -1;
  /** What has come of a large argument. */
  #part: LongArgument | undefined;
  #bytes = 0;

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /** Bytes that have been received and not used. */
  get buffered(): number {
    return this.#waiting + this.#buffer.length - this.#at;
  }

  /** Whether an argument of the last request was so long that it was decoded while it came. */
  isLong = false;

  /** Takes received bytes. */
  feed(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
  }

  /** Takes all bytes that have been received and not used, between two requests. */
  takeRest(): Buffer {
    const rest = Buffer.concat([this.#buffer.subarray(this.#at), ...this.#chunks]);
    this.#buffer = Buffer.alloc(0);
    this.#at = this.#waiting = 0;
    this.#chunks = [];
    return rest;
  }

  /**
   * The next request, or `undefined` until more has come.
   *
   * @throws ProtocolError when the bytes cannot be right
   */
  next(): Request | undefined {
    if (this.#waiting > 0) {
      const rest = this.#buffer.length - this.#at;
      if (rest + this.#waiting < this.#wanted) return undefined;
      const [only] = this.#chunks;
      if (rest === 0 && this.#chunks.length === 1 && only !== undefined) this.#buffer = only;
      else this.#buffer = Buffer.concat([this.#buffer.subarray(this.#at), ...this.#chunks]);
      this.#at = 0;
      this.#chunks = [];
      this.#waiting = 0;
      this.#wanted = 0;
    }
    for (;;) {
      if (this.#count > 0) return this.#readArgs();
      if (this.#at >= this.#buffer.length) return this.#pause(0);
      const whole = this.#readShort();
      if (whole !== undefined) return whole;
      if (this.#buffer[this.#at] !== STAR) {
        const inline = this.#readInline();
        if (inline === undefined || inline.length > 0) return inline;
      } else {
        const count = this.#readNumber('multibulk length', 'mbulk count');
        if (count === undefined) return undefined;
        if (count > MAX_ARGS) throw new ProtocolError('invalid multibulk length');
        if (count > MAX_ARGS_UNKNOWN && !this.#limits.isTrusted())
          throw new ProtocolError('unauthenticated multibulk length');
        if (count > 0) {
          this.#count = count;
          this.#read = 0;
          this.isLong = false;
          this.#args = [];
          this.#bytes = 0;
        }
      }
    }
  }

  /**
   * A request of few short arguments that is there as a whole, which nearly all are. All others, and what is wrong, are
   * left to be read step by step.
   */
  #readShort(): string[] | undefined {
    const buffer = this.#buffer;
    const { length: size } = buffer;
    const start = this.#at;
    if (start + SHORTEST > size || buffer[start] !== STAR || buffer[start + 2] !== CR) return undefined;
    const count = (buffer[start + 1] ?? 0) - ZERO;
    if (count < 1 || count > 9) return undefined;
    const args = new Array<string>(count);
    let at = start + 4;
    let bytes = 0;
    for (let index = 0; index < count; index += 1) {
      // A length of one to three digits, and its line end.
      if (at + 6 > size || buffer[at] !== DOLLAR) return undefined;
      let length = 0;
      let digit = buffer[++at] ?? 0;
      for (let digits = 0; digit !== CR; digits += 1) {
        if (digit < ZERO || digit > NINE || digits === 3) return undefined;
        length = length * 10 + digit - ZERO;
        digit = buffer[++at] ?? 0;
      }
      if (buffer[at - 1] === DOLLAR) return undefined;
      const begin = at + 2;
      at = begin + length + 2;
      bytes += length + ARG_BYTES;
      if (at > size || bytes > this.#limits.maxRequest) return undefined;
      args[index] = index === 0 ? readName(buffer, begin, length) : buffer.toString('latin1', begin, at - 2);
    }
    this.#at = at;
    this.isLong = false;
    return args;
  }

  #readArgs(): Request | undefined {
    for (;;) {
      if (this.#length < 0) {
        const first = this.#buffer[this.#at];
        if (first === undefined) return this.#pause(1);
        if (first !== DOLLAR) throw new ProtocolError(`expected '$', got '${String.fromCharCode(first)}'`);
        const length = this.#readNumber('bulk length', 'bulk count');
        if (length === undefined) return undefined;
        this.#bytes += length + ARG_BYTES;
        if (length < 0 || this.#bytes > this.#limits.maxRequest)
          throw new ProtocolError('invalid bulk length');
        if (length > MAX_BULK_UNKNOWN && !this.#limits.isTrusted())
          throw new ProtocolError('unauthenticated bulk length');
        this.#length = length;
      }
      const end = this.#at + this.#length;
      // The line end is not looked at, as Redis has it.
      if (end + 2 > this.#buffer.length) {
        if (this.#length <= LARGE) return this.#pause(this.#length + 2);
        this.#takePart(Math.min(end, this.#buffer.length));
        return this.#pause(Math.min(this.#length + 2, LARGE));
      }
      if (this.#read === this.#args.length)
        this.#args.length = Math.min(this.#count, Math.max(FIRST_ROOM, ROOM_GROWTH * this.#read));
      this.#args[this.#read] =
        this.#part === undefined
          ? this.#buffer.toString('latin1', this.#at, end)
          : this.#finishLong(this.#part, end);
      this.#read += 1;
      this.#at = end + 2;
      this.#length = -1;
      if (this.#read === this.#count) {
        const args = this.#args;
        this.#args = [];
        this.#count = 0;
        return args;
      }
    }
  }

  /** Decodes what is there of a large argument. */
  #takePart(end: number): void {
    this.isLong = true;
    this.#part ??= new LongArgument();
    this.#part.add(this.#buffer.subarray(this.#at, end));
    this.#length -= end - this.#at;
    this.#at = end;
  }

  #finishLong(part: LongArgument, end: number): string {
    part.add(this.#buffer.subarray(this.#at, end));
    this.#part = undefined;
    const text = part.finish();
    const { long = new Map<number, LongText>() } = this.#args;
    this.#args.long = long.set(this.#read, text);
    let whole = '';
    for (const page of text.parts()) whole += page;
    return whole;
  }

  #readNumber(what: string, line: string): number | undefined {
    const buffer = this.#buffer;
    let at = this.#at + 1;
    let value = 0;
    let digits = 0;
    const isNegative = buffer[at] === MINUS;
    if (isNegative) at += 1;
    for (let byte = buffer[at]; byte !== CR; byte = buffer[at]) {
      if (byte === undefined) return this.#awaitLine(line);
      const isDigit = byte >= ZERO && byte <= NINE;
      // The whole line has to be there before it is told to be wrong: it may be one without end.
      if (!isDigit || digits > 15) {
        if (buffer.indexOf(CR, at) < 0) return this.#awaitLine(line);
        throw new ProtocolError(`invalid ${what}`);
      }
      value = value * 10 + byte - ZERO;
      digits += 1;
      at += 1;
    }
    if (digits === 0) throw new ProtocolError(`invalid ${what}`);
    // The line feed goes unseen as well; it only has to be there.
    if (at + 1 >= buffer.length) return this.#pause(at + 2 - this.#at);
    this.#at = at + 2;
    return isNegative ? -value : value;
  }

  #awaitLine(line: string): undefined {
    if (this.#buffer.length - this.#at > MAX_LINE) throw new ProtocolError(`too big ${line} string`);
    return this.#pause(0);
  }

  #readInline(): string[] | undefined {
    const buffer = this.#buffer;
    const end = buffer.indexOf(LF, this.#at);
    if (end < 0 ? buffer.length - this.#at > MAX_LINE : end - this.#at > MAX_LINE)
      throw new ProtocolError('too big inline request');
    if (end < 0) return this.#pause(0);
    const line = buffer.toString(
      'latin1',
      this.#at,
      buffer[end - 1] === CR && end > this.#at ? end - 1 : end,
    );
    this.#at = end + 1;
    const args = splitInline(line);
    if (args === undefined) throw new ProtocolError('unbalanced quotes in request');
    return args;
  }

  /** @param wanted - bytes from here on without which nothing can be done */
  #pause(wanted: number): undefined {
    this.#wanted = wanted;
    if (this.#at > 0) {
      this.#buffer = this.#buffer.subarray(this.#at);
      this.#at = 0;
    }
    return undefined;
  }
}
