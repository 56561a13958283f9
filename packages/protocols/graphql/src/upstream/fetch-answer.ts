import type { IncomingMessage } from 'node:http';
import { HttpAnswer, type AnswerHeaders, type Replier } from '@backlot/kit/http';
import {
  decodeContent,
  passedHeaders,
  type ForwardedRequest,
  type Forwarder,
} from '@backlot/kit/http-upstream';

/** What the upstream has answered. */
export interface UpstreamAnswer {
  readonly status: number;
  /** As clients get them. */
  readonly headers: AnswerHeaders;
  /** The media type, in lower case. */
  readonly type: string;
  /** As it came; of an answer that the client has already the beginning. */
  readonly bytes: Buffer;
  /** The body without its codings; absent of an answer that the client has already, or that cannot be decoded. */
  readonly body?: Buffer;
  /** Whether the client has it: it was long, or came in parts. */
  readonly isGiven: boolean;
}

/** A request on its way to the upstream. */
export interface Fetched {
  readonly request: ForwardedRequest;
  readonly rawHeaders: readonly string[];
  readonly isDecoded: boolean;
  /** Who gets it. */
  readonly reply: Replier;
  /** Whether it may be given while it comes; else one that comes in parts, or is too long, is none. */
  readonly passes: boolean;
  /** Whether it is given while it comes, whatever it is. */
  readonly isUnread?: boolean;
  /** Headers that are added where the upstream has none of the name. */
  readonly further: Readonly<Record<string, string>>;
  /** Runs a callback on behalf of the connection. */
  readonly isolate: <T extends unknown[]>(callback: (...given: T) => void) => (...given: T) => void;
  /** The head of an answer that comes in parts is there. */
  readonly onStart?: (head: HttpAnswer) => void;
}

/** The most bytes of an answer that are searched for secrets, and kept. */
const MAX_KEPT = 2 * 1024 * 1024;
/** The bytes that are kept of an answer that is given while it comes. */
const MAX_SHOWN = 128 * 1024;
/** Media types of answers that hold several results. */
const SEVERAL = /^(?:multipart\/mixed|text\/event-stream)/;

/**
 * Sends a request to the upstream, and waits for the whole answer.
 *
 * @throws Error when there is none, it breaks off, or the client has left
 */
export function fetchAnswer(forwarder: Forwarder, fetched: Fetched): Promise<UpstreamAnswer> {
  const { request, rawHeaders, isDecoded, reply, isolate } = fetched;
  return new Promise((resolve, reject) => {
    let isOver = false;
    const fail = (error: unknown): void => {
      isOver = true;
      reject(error);
    };
    const giveUp = forwarder.send({
      message: request,
      rawHeaders,
      isDecoded,
      take: isolate((answer: IncomingMessage) =>
        new Gathering(fetched, answer, fail, (whole) => {
          isOver = true;
          resolve(whole);
        }).start(),
      ),
      fail,
    });
    reply.onClose(() => {
      if (isOver) return;
      giveUp();
      fail(new Error('the client has left'));
    });
  });
}

/** Reads one answer. */
class Gathering {
  readonly #fetched: Fetched;
  readonly #answer: IncomingMessage;
  readonly #fail: (error: unknown) => void;
  readonly #done: (answer: UpstreamAnswer) => void;
  readonly #head: HttpAnswer;
  readonly #type: string;
  #chunks: Buffer[] = [];
  #size = 0;
  #stream: ReturnType<Replier['stream']> | undefined;

  constructor(
    fetched: Fetched,
    answer: IncomingMessage,
    fail: (error: unknown) => void,
    done: (answer: UpstreamAnswer) => void,
  ) {
    this.#fetched = fetched;
    this.#answer = answer;
    this.#fail = fail;
    this.#done = done;
    const own = { path: '', locate: () => undefined };
    this.#head = new HttpAnswer(answer.statusCode ?? 200, passedHeaders(answer, own)).withHeaders(
      fetched.further,
    );
    this.#type = (answer.headers['content-type'] ?? '').toLowerCase();
  }

  start(): void {
    const { passes, isUnread = false, isolate } = this.#fetched;
    const isSeveral = SEVERAL.test(this.#type);
    if (isSeveral && !passes) {
      this.#answer.destroy();
      return this.#fail(new Error('it answers in parts'));
    }
    if (isSeveral || isUnread) this.#openStream();
    this.#answer.on(
      'data',
      isolate((chunk: Buffer) => this.#take(chunk)),
    );
    this.#answer.on(
      'end',
      isolate(() => this.#finish()),
    );
    this.#answer.on(
      'error',
      isolate((error: Error) => {
        this.#stream?.destroy();
        this.#fail(error);
      }),
    );
  }

  #take(chunk: Buffer): void {
    this.#size += chunk.length;
    const stream = this.#stream;
    if (this.#size <= (stream === undefined ? MAX_KEPT : MAX_SHOWN)) this.#chunks.push(chunk);
    if (stream !== undefined) return this.#pass(stream, chunk);
    if (this.#size <= MAX_KEPT) return;
    if (!this.#fetched.passes) {
      this.#answer.destroy();
      return this.#fail(new Error('its answer is longer than 2 MiB'));
    }
    const opened = this.#openStream();
    for (const each of this.#chunks.splice(0)) this.#pass(opened, each);
    this.#pass(opened, chunk);
  }

  #openStream(): ReturnType<Replier['stream']> {
    this.#stream = this.#fetched.reply.stream(this.#head);
    this.#fetched.onStart?.(this.#head);
    return this.#stream;
  }

  #pass(stream: ReturnType<Replier['stream']>, chunk: Buffer): void {
    stream.write(chunk);
    if (!stream.isChoked) return;
    this.#answer.pause();
    stream.whenDrained(() => this.#answer.resume());
  }

  #finish(): void {
    const bytes = Buffer.concat(this.#chunks);
    const { status, headers } = this.#head;
    const made = { status, headers, type: this.#type, bytes };
    if (this.#stream !== undefined) {
      this.#stream.end();
      return this.#done({ ...made, isGiven: true });
    }
    const encoding = this.#answer.headers['content-encoding'];
    decodeContent(bytes, encoding, MAX_KEPT).then(
      (body) => this.#done({ ...made, body, isGiven: false }),
      () => this.#done({ ...made, isGiven: false }),
    );
  }
}
