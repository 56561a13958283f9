import { nextTurn } from '@backlot/core/plugin';
import { MessageDecoder, type StepDecoder } from './codec/decode.js';
import type { MessageType, Method } from './schema/model.js';
import { Arriving } from './arriving.js';
import { parseOrKeep, type Requests } from './message.js';

/** How much of the messages of one call is kept for templates and the journal, in bytes. */
const MAX_KEPT = 4 * 1024 * 1024;
/** A message that holds almost nothing still costs this much to keep, and so much more for each of its values. */
const LEAST_COST = 64;
const COST_OF_VALUE = 16;
/** So many values are decoded before others are let in. */
const VALUES_AT_ONCE = 10_000;
/** A message with more values than this is shown as its bytes: as JSON it would take long to write. */
const MAX_SHOWN = 50_000;
/** Without a schema a longer message is a text, JSON or not; with one it is shown as its bytes. */
const MAX_TEXT_LENGTH = 1024 * 1024;

/** Makes what decodes a message of a type. */
export type MakeDecoder = (type: MessageType, bytes: Buffer) => StepDecoder;

const readBytes: MakeDecoder = (type, bytes) => new MessageDecoder(type, bytes);

/** The request messages of one call. Every one is checked; beyond a bound further ones are not kept. */
export class RequestMessages implements Requests {
  body: string | Uint8Array | undefined = undefined;
  readonly messages: unknown[] = [];
  isWhole = false;
  count = 0;
  /** Whether messages may be answered one by one, so that {@link takeNewest} gives each. */
  keepsNewest: boolean;
  /** Where a function reads them as they come; made when one asks for it. */
  arriving: Arriving | undefined = undefined;
  #newest: Requests | undefined;
  #kept = 0;
  readonly #method: Method | undefined;
  readonly #makeDecoder: MakeDecoder;

  constructor(method: Method | undefined, makeDecoder: MakeDecoder = readBytes) {
    this.#method = method;
    this.#makeDecoder = makeDecoder;
    this.keepsNewest = method === undefined || (method.takesStream && method.givesStream);
  }

  get isSingle(): boolean {
    return this.count === 1 && this.#method !== undefined && this.arriving === undefined;
  }

  /** The messages as they come, those that have come among them. */
  read(): Arriving {
    if (this.arriving === undefined) {
      this.arriving = new Arriving(this.messages);
      if (this.isWhole) this.arriving.end();
    }
    return this.arriving;
  }

  /** The client has sent its last message. */
  end(): void {
    this.isWhole = true;
    this.arriving?.end();
  }

  /** The newest message by itself, once; `undefined` when messages are not answered one by one. */
  takeNewest(): Requests | undefined {
    const newest = this.#newest;
    this.#newest = undefined;
    return newest;
  }

  /**
   * Adds a message. One that holds much is decoded while others are served; no other may be added before it is done.
   *
   * @throws FieldError when the bytes are no message of the method's type
   */
  add(bytes: Buffer): Promise<void> | undefined {
    if (this.#method === undefined) {
      this.#keep(bytes, undefined);
      return undefined;
    }
    const decoder = this.#makeDecoder(this.#method.request, bytes);
    if (!decoder.run(VALUES_AT_ONCE)) return this.#decodeOn(bytes, decoder);
    this.#keep(bytes, decoder);
    return undefined;
  }

  async #decodeOn(bytes: Buffer, decoder: StepDecoder): Promise<void> {
    do await nextTurn();
    while (!decoder.run(VALUES_AT_ONCE));
    this.#keep(bytes, decoder);
  }

  #keep(bytes: Buffer, decoder: StepDecoder | undefined): void {
    this.count += 1;
    this.#kept += bytes.length + LEAST_COST + (decoder?.count ?? 0) * COST_OF_VALUE;
    const isKept = this.count === 1 || this.#kept <= MAX_KEPT;
    if (!isKept && !this.keepsNewest && this.arriving === undefined) return;
    const value = decoder === undefined ? readText(bytes) : decoder.value;
    this.arriving?.add(value);
    if (isKept) {
      this.messages.push(value);
      this.body ??= showBody(bytes, decoder);
    }
    if (this.keepsNewest)
      this.#newest = { body: showBody(bytes, decoder), messages: [value], all: this.messages, isWhole: true };
  }
}

function readText(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  return bytes.length > MAX_TEXT_LENGTH ? text : parseOrKeep(text);
}

function showBody(bytes: Buffer, decoder: StepDecoder | undefined): string | Buffer {
  if (decoder === undefined || decoder.count > MAX_SHOWN || bytes.length > MAX_TEXT_LENGTH) return bytes;
  return JSON.stringify(decoder.value);
}
