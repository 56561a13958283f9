import {
  constants,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import { Metadata } from '@grpc/grpc-js';
import { messageOf } from '@backlot/core/plugin';
import { describeFailure } from '@backlot/kit/upstream';
import { Code } from '../wire/status.js';
import { MessageFrames } from './message-frames.js';
import type { UpstreamSessions } from './upstream-sessions.js';

/** How a call ended. */
export interface UpstreamStatus {
  readonly code: number;
  readonly message: string;
  /** Metadata beside the status. */
  readonly trailers: Metadata;
}

/** What a call of an upstream is told. */
export interface UpstreamCallEvents {
  /** The metadata of the answer has come; not called for an answer that is a status alone. */
  metadata(metadata: Metadata): void;
  /** A message has come. @param goOn - to be called when the next one may */
  message(bytes: Buffer, goOn: () => void): void;
  /** It is over. */
  status(status: UpstreamStatus): void;
  /** There is no status: the upstream is not there, or has broken off. */
  lost(problem: Error): void;
}

/** What a call is begun with. */
export interface UpstreamCallHead {
  readonly path: string;
  readonly metadata: Metadata;
  /** A `grpc-timeout`. */
  readonly timeout: string | undefined;
}

/** Metadata that is that of one connection, or is made anew. */
const NOT_FORWARDED =
  /^(?::.*|content-.*|te|host|connection|keep-alive|proxy-.*|transfer-encoding|upgrade|http2-settings|accept-encoding|grpc-(?:encoding|accept-encoding|timeout|status|message))$/;
const TIMEOUT = /^\d{1,8}[HMSmun]$/;

/** A call to an upstream, in which both sides may send any number of messages. */
export class UpstreamCall {
  readonly #events: UpstreamCallEvents;
  readonly #frames = new MessageFrames();
  /** What is to be done as soon as the call is open. */
  #early: (() => void)[] = [];
  #stream: ClientHttp2Stream | undefined;
  #headers: IncomingHttpHeaders | undefined;
  #trailers: IncomingHttpHeaders | undefined;
  #isOver = false;
  /** Whether a message was handed on, and the next one is not wanted yet. */
  #isWaiting = false;

  constructor(sessions: UpstreamSessions, head: UpstreamCallHead, events: UpstreamCallEvents) {
    this.#events = events;
    sessions.get().then(
      (session) => {
        sessions.log.worked();
        if (this.#isOver) return;
        try {
          this.#begin(session.request(headersOf(head, sessions.upstream.path), { endStream: false }));
        } catch (thrown) {
          this.#lose(new Error(messageOf(thrown)));
        }
      },
      (thrown: unknown) => this.#lose(new Error(describeFailure(thrown))),
    );
  }

  /** Sends a message. @param sent - called when the next one may be sent */
  send(bytes: Buffer, sent: () => void): void {
    this.#when(() => {
      const frame = Buffer.allocUnsafe(5);
      frame[0] = 0;
      frame.writeUInt32BE(bytes.length, 1);
      const stream = this.#stream;
      stream?.write(frame);
      if (stream?.write(bytes) === false) stream.once('drain', sent);
      else sent();
    });
  }

  /** The client has sent its last message. */
  end(): void {
    this.#when(() => this.#stream?.end());
  }

  /** Nobody waits for it any more. */
  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#early = [];
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }

  #when(act: () => void): void {
    if (this.#isOver) return;
    if (this.#stream === undefined) this.#early.push(act);
    else act();
  }

  #begin(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    stream.on('response', (headers) => {
      this.#headers = headers;
      this.#respond(headers);
    });
    stream.on('trailers', (trailers: IncomingHttpHeaders) => (this.#trailers = trailers));
    stream.on('data', (chunk: Buffer) => {
      this.#frames.add(chunk);
      this.#next();
    });
    stream.on('error', (error: Error) => this.#lose(error));
    stream.on('end', () => this.#next());
    stream.on('close', () => {
      if (stream.readableEnded) this.#next();
      else if (stream.rstCode !== 0) this.#reset(stream.rstCode);
      else this.#lose(new Error('it has closed the connection'));
    });
    for (const act of this.#early.splice(0)) act();
  }

  #respond(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    if (this.#isOver || headers['grpc-status'] !== undefined) return;
    const { ':status': status } = headers;
    if (status !== 200)
      return this.#fail(codeOfHttp(status), `it answers with the HTTP status ${status ?? ''}`);
    this.#events.metadata(metadataOf(headers));
  }

  /** Hands the next message on, or the status when all are. */
  #next(): void {
    const stream = this.#stream;
    if (this.#isOver || this.#isWaiting || stream === undefined) return;
    let bytes: Buffer | undefined;
    try {
      bytes = this.#frames.take();
    } catch (thrown) {
      return this.#fail(Code.INTERNAL, messageOf(thrown));
    }
    if (bytes !== undefined) {
      this.#isWaiting = true;
      stream.pause();
      this.#events.message(bytes, () => {
        this.#isWaiting = false;
        this.#next();
      });
      return;
    }
    if (!stream.readableEnded) {
      stream.resume();
      return;
    }
    this.#finish();
  }

  #finish(): void {
    const from = this.#trailers ?? this.#headers ?? {};
    const given = Number(from['grpc-status'] ?? Number.NaN);
    if (Number.isNaN(given)) return this.#lose(new Error('it has ended the call without a status'));
    this.#isOver = true;
    const { 'grpc-message': message } = from;
    this.#events.status({
      code: given,
      message: typeof message === 'string' ? decoded(message) : '',
      trailers: metadataOf(from),
    });
  }

  #reset(code: number | undefined): void {
    if (code === constants.NGHTTP2_REFUSED_STREAM)
      return this.#fail(Code.UNAVAILABLE, 'it has refused the call');
    this.#lose(new Error(`it has reset the call with ${code ?? 0}`));
  }

  #fail(code: number, message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream?.close(constants.NGHTTP2_CANCEL);
    this.#events.status({ code, message: `the upstream: ${message}`, trailers: new Metadata() });
  }

  #lose(problem: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.lost(problem);
  }
}

function headersOf(
  { path, metadata, timeout }: UpstreamCallHead,
  base: string,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [key, values] of Object.entries(metadata.toHttp2Headers()))
    if (!NOT_FORWARDED.test(key) && values !== undefined) headers[key] = [values].flat().map(String);
  return {
    ...headers,
    ':method': 'POST',
    ':path': base + path,
    te: 'trailers',
    'content-type': 'application/grpc',
    'grpc-accept-encoding': 'identity',
    ...(timeout !== undefined && TIMEOUT.test(timeout) ? { 'grpc-timeout': timeout } : {}),
  };
}

function metadataOf(headers: IncomingHttpHeaders): Metadata {
  const kept = Object.entries(headers).filter(([key]) => !NOT_FORWARDED.test(key));
  return Metadata.fromHttp2Headers(Object.fromEntries(kept));
}

/** The code of a proxy that knows nothing of gRPC (gRPC, "HTTP to gRPC Status Code Mapping"). */
function codeOfHttp(status: number | undefined): number {
  if (status === 400) return Code.INTERNAL;
  if (status === 401) return Code.UNAUTHENTICATED;
  if (status === 403) return Code.PERMISSION_DENIED;
  if (status === 404) return Code.UNIMPLEMENTED;
  return status === 429 || (status !== undefined && status >= 502 && status <= 504)
    ? Code.UNAVAILABLE
    : Code.UNKNOWN;
}

function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
