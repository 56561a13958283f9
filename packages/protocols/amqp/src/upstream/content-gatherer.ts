import { ContentReader, type Content } from '../connection/content.js';
import { basic } from '../wire/classes/basic.js';
import { FRAME, FRAME_START } from '../wire/frame-types.js';
import { keyOfMethod, readArguments, type Method } from '../wire/method.js';

/** The most bytes of a message that is kept back until it is whole; what is longer passes as it comes. */
const MAX_GATHERED = 4 * 1024 * 1024;
/** Channels that have a message under way at a time. */
const MAX_CHANNELS = 2_048;

/** A message with the frames that carry it. */
export interface Gathered<A> {
  readonly method: Method;
  readonly channel: number;
  readonly values: A;
  readonly content: Pick<Content, 'properties' | 'body'>;
  /** All its frames. */
  readonly bytes: Buffer;
}

/** A message whose frames have not all come. */
interface Underway<A> {
  readonly method: Method;
  readonly values: A;
  readonly reader: ContentReader;
  readonly frames: Buffer[];
  size: number;
}

/** What becomes of a frame: it is kept back for its message, or passes, with others that were kept back. */
export type GatherStep<A> = 'kept' | { readonly passes: Buffer } | Gathered<A>;

/** Gathers the frames of messages of one direction, which come channel by channel in between others. */
export class ContentGatherer<A extends object> {
  readonly #methods: ReadonlyMap<number, Method>;
  readonly #underway = new Map<number, Underway<A>>();

  constructor(methods: readonly Method[]) {
    this.#methods = new Map(methods.map((method) => [keyOfMethod(method.classId, method.methodId), method]));
  }

  take(frame: Buffer): GatherStep<A> {
    const type = frame[0];
    const channel = frame.readUInt16BE(1);
    const payload = frame.subarray(FRAME_START, -1);
    if (type === FRAME.method) return this.#begin(channel, payload, frame);
    const under = this.#underway.get(channel);
    if (under === undefined || (type !== FRAME.header && type !== FRAME.body)) return { passes: frame };
    under.frames.push(frame);
    under.size += frame.length;
    if (under.size > MAX_GATHERED) {
      this.#underway.delete(channel);
      return { passes: Buffer.concat(under.frames) };
    }
    const content = type === FRAME.header ? under.reader.takeHeader(payload) : under.reader.takeBody(payload);
    if (content === undefined) return 'kept';
    this.#underway.delete(channel);
    const { method, values, frames } = under;
    return { method, channel, values, content, bytes: Buffer.concat(frames) };
  }

  #begin(channel: number, payload: Buffer, frame: Buffer): GatherStep<A> {
    const method = this.#methods.get(keyOfMethod(payload.readUInt16BE(0), payload.readUInt16BE(2)));
    if (method === undefined || this.#underway.size >= MAX_CHANNELS) return { passes: frame };
    const values = readArguments(method, payload) as A;
    const nothing = { reserved1: 0, exchange: '', routingKey: '', mandatory: false, immediate: false };
    this.#underway.set(channel, {
      ...{ method, values, frames: [frame], size: frame.length },
      reader: new ContentReader(nothing),
    });
    return 'kept';
  }
}

/** What comes with content from a client, and from a server. */
export const SENT: readonly Method[] = [basic.publish];
export const GIVEN: readonly Method[] = [basic.deliver, basic.getOk, basic.return];
