import type { IncomingMessage } from 'node:http';
import { HttpAnswer } from '@backlot/kit/http';
import { passedHeaders, type OwnPlace } from '@backlot/kit/http-upstream';
import type { Call } from '../call.js';
import { abortAnswer } from '../fault.js';
import { sendHead } from '../wire/outgoing.js';

/** What becomes of an answer beside its client. */
export interface Passing {
  /** The most bytes of the body that are kept. */
  readonly limit: number;
  readonly own: OwnPlace;
  /** Headers that are added where the upstream has none of the name. */
  readonly further: Readonly<Record<string, string>>;
  /** Called with the whole body, or nothing when it is longer than the limit; the client is told of the end after that. */
  readonly finish: (bytes: Buffer | undefined) => Promise<void>;
  /** Called when the upstream has nothing more to send. */
  readonly over: () => void;
}

/** Gives the answer of an upstream to the client while it comes, as fast as the client takes it. */
export function passAnswer(call: Call, answer: IncomingMessage, passing: Passing): void {
  const { request, response, exchange, connection } = call;
  const head = new HttpAnswer(answer.statusCode ?? 200, passedHeaders(answer, passing.own)).withHeaders(
    passing.further,
  );
  sendHead(request, response, head);
  const chunks: Buffer[] = [];
  let size = 0;
  // A client that knows the length has its answer with the last byte: that waits until the answer is recorded.
  const length = Number(answer.headers['content-length'] ?? Infinity);
  let last: Buffer | undefined;
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= passing.limit) chunks.push(chunk);
    else chunks.length = 0;
    if (request.method === 'HEAD') return;
    if (size >= length) last = chunk;
    else if (!response.write(chunk)) answer.pause();
  });
  response.on('drain', () => answer.resume());
  answer.on('end', () => {
    passing.over();
    // What was recorded is there when the client has its answer.
    passing.finish(size > passing.limit ? undefined : Buffer.concat(chunks)).then(
      () => response.end(last),
      () => abortAnswer(request, connection),
    );
  });
  answer.on('error', () => {
    passing.over();
    if (!exchange.ended) exchange.done({ status: head.status });
    abortAnswer(request, connection);
  });
}
