import type { Upstream } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import { UpstreamLine } from './upstream-line.js';
import type { UpstreamLog } from './upstream-log.js';

/** Tells where the answers of a protocol end. One for each connection. */
export interface AnswerScanner {
  /**
   * Goes over bytes that begin an answer, or go on with the one before.
   *
   * @returns the place behind the answer; -1 when it goes on behind these bytes
   * @throws FramingError for bytes that cannot be one
   */
  scan(chunk: Buffer, from: number): number;
  /** Whether what was scanned last answers nothing that was asked, such as a message of a channel. */
  readonly isUnasked: boolean;
}

/** An answer that has come. */
export interface LineAnswer {
  /** The whole of it; of a longer one than is kept the beginning, which is cut off. */
  readonly bytes: Buffer;
  /** Whether {@link bytes} are all of it. */
  readonly isWhole: boolean;
}

/** The most bytes of an answer that are searched for secrets, and kept. */
const MAX_KEPT = 2 * 1024 * 1024;

/** What waits for an answer. */
interface Asked {
  readonly passes: boolean;
  readonly resolve: (answer: LineAnswer) => void;
  readonly reject: (problem: Error) => void;
}

/** The line to an upstream that answers what it is asked in the order in which it is asked. */
export class PairedLine {
  readonly #connection: Connection;
  readonly #scanner: AnswerScanner;
  readonly #line: UpstreamLine;
  readonly #asked: Asked[] = [];
  #chunks: Buffer[] = [];
  #size = 0;
  /** Whether the answer that comes is too long to be kept. */
  #isLong = false;
  #isSpliced = false;
  #problem: Error | undefined;

  constructor(
    connection: Connection,
    upstream: Upstream,
    authorities: Buffer | undefined,
    log: UpstreamLog,
    scanner: AnswerScanner,
  ) {
    this.#connection = connection;
    this.#scanner = scanner;
    this.#line = new UpstreamLine(connection, upstream, authorities, log, {
      data: (chunk) => this.#take(chunk),
      end: (problem) => this.#end(problem),
    });
  }

  /** Whether what passes is read no more. */
  get isSpliced(): boolean {
    return this.#isSpliced;
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @param data - bytes, or a text with one character per byte
   * @param passes - whether an answer that is too long to be kept is given to the client while it comes; it is dropped otherwise
   */
  ask(data: string | Uint8Array, passes: boolean): Promise<LineAnswer> {
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    return new Promise((resolve, reject) => {
      this.#asked.push({ passes, resolve, reject });
      this.#line.send(data);
    });
  }

  /** Sends bytes that are answered by nothing. */
  send(data: string | Uint8Array): void {
    this.#line.send(data);
  }

  /** Gives the client an answer, unless it has it already. */
  give({ bytes, isWhole }: LineAnswer): void {
    if (isWhole) this.#line.pass(bytes);
  }

  /** From now on the client gets whatever comes, as it comes. */
  splice(): void {
    this.#isSpliced = true;
  }

  #take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#isSpliced && this.#asked.length === 0) {
        this.#line.pass(chunk.subarray(at));
        return;
      }
      const end = this.#scanner.scan(chunk, at);
      this.#add(chunk.subarray(at, end < 0 ? undefined : end));
      if (end < 0) return;
      at = end;
      this.#finish();
    }
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    if (this.#isLong) {
      if (this.#passes) this.#line.pass(part);
      return;
    }
    this.#chunks.push(part);
    if (this.#size <= MAX_KEPT) return;
    this.#isLong = true;
    if (this.#passes) for (const chunk of this.#chunks) this.#line.pass(chunk);
  }

  /** Whether what comes is for the client, whatever it is. */
  get #passes(): boolean {
    return this.#asked[0]?.passes !== false;
  }

  #finish(): void {
    const answer = { bytes: Buffer.concat(this.#chunks), isWhole: !this.#isLong };
    this.#chunks = [];
    this.#size = 0;
    this.#isLong = false;
    if (this.#scanner.isUnasked) this.give(answer);
    else {
      const asked = this.#asked.shift();
      if (asked === undefined) this.give(answer);
      else asked.resolve(answer);
    }
  }

  #end(problem: Error | undefined): void {
    this.#problem = problem ?? new Error('it has closed the connection');
    const asked = this.#asked.splice(0);
    for (const { reject } of asked) reject(this.#problem);
    // An answer on its way comes first, which others wait for.
    if (asked.length > 0 || this.#connection.isClosed) return;
    if (problem === undefined) this.#connection.endWhenIdle();
    else this.#connection.reset();
  }
}
