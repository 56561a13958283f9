import { writeBodyStructure } from '../mime/body-structure.js';
import { writeEnvelope } from '../mime/envelope.js';
import { parseMessage, type Part } from '../mime/part.js';
import { withCrlf } from './line-ends.js';

/** Messages up to this size are read at once; longer ones are to be loaded first. */
export const SHORT = 64 * 1024;

/** A message's bytes, which never change, and what is read out of them once somebody asks. */
export class MailContent {
  #raw: Buffer;
  /** Whether line ends of any kind are to be made CR LF first. */
  #isRough: boolean;
  #root: Part | undefined;
  #envelope: string | undefined;
  #structure: string | undefined;
  #text: string | undefined;

  /** @param isRough - the bytes may hold NUL and line ends of any kind, which no message here does */
  constructor(raw: Buffer, isRough = false) {
    this.#raw = raw;
    this.#isRough = isRough;
  }

  /** Bytes that it holds in memory, which is about its size. */
  get size(): number {
    return this.#raw.length;
  }

  /** Whether what is asked of it takes long, unless it is loaded first. */
  get isLong(): boolean {
    return this.#raw.length > SHORT;
  }

  get raw(): Buffer {
    if (this.#isRough) finish(this.load());
    return this.#raw;
  }

  get root(): Part {
    return (this.#root ??= finish(parseMessage(this.raw)));
  }

  /** Makes `raw` what it is to be. Yields now and then, see `runInSlices`. */
  *load(): Generator<undefined, void> {
    if (!this.#isRough) return;
    const smooth = yield* withCrlf(this.#raw);
    this.#raw = smooth;
    this.#isRough = false;
  }

  /** Reads its parts, after which `root` is there. Yields now and then, as what follows does. */
  *parse(): Generator<undefined, Part> {
    yield* this.load();
    return (this.#root ??= yield* parseMessage(this.#raw));
  }

  *envelope(): Generator<undefined, string> {
    return (this.#envelope ??= yield* writeEnvelope((yield* this.parse()).header));
  }

  /** BODYSTRUCTURE. */
  *structure(): Generator<undefined, string> {
    return (this.#structure ??= yield* writeBodyStructure(this.raw, yield* this.parse(), true));
  }

  /** The whole message as latin1 text; for small messages, whose answers are put together as text. */
  get text(): string {
    return (this.#text ??= this.raw.toString('latin1'));
  }
}

function finish<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
