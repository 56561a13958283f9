import type { IncomingMessage } from 'node:http';
import { HttpAnswer, makeHeaders, type AnswerHeaders } from '@backlot/kit/http';
import type { Call } from '../call.js';
import { abortAnswer } from '../fault.js';
import { sendHead } from '../wire/outgoing.js';
import { rewriteHeader, type OwnPath } from './rewrite-header.js';

/** What becomes of an answer beside its client. */
export interface Passing {
  /** The most bytes of the body that are kept. */
  readonly limit: number;
  readonly ownPath: OwnPath;
  /** Headers that are added where the upstream has none of the name. */
  readonly further: Readonly<Record<string, string>>;
  /** Called with the whole body, or nothing when it is longer than the limit; the client is told of the end after that. */
  readonly finish: (bytes: Buffer | undefined) => Promise<void>;
  /** Called when the upstream has nothing more to send. */
  readonly over: () => void;
}

/** Headers of a connection (RFC 9110, section 7.6.1). */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Gives the answer of an upstream to the client while it comes, as fast as the client takes it. */
export function passAnswer(call: Call, answer: IncomingMessage, passing: Passing): void {
  const { request, response, exchange, connection } = call;
  const head = new HttpAnswer(answer.statusCode ?? 200, headersFor(answer, passing)).withHeaders(
    passing.further,
  );
  sendHead(request, response, head);
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= passing.limit) chunks.push(chunk);
    else chunks.length = 0;
    if (request.method !== 'HEAD' && !response.write(chunk)) answer.pause();
  });
  response.on('drain', () => answer.resume());
  answer.on('end', () => {
    passing.over();
    // What was recorded is there when the client has its answer.
    passing.finish(size > passing.limit ? undefined : Buffer.concat(chunks)).then(
      () => response.end(),
      () => abortAnswer(request, connection),
    );
  });
  answer.on('error', () => {
    passing.over();
    if (!exchange.ended) exchange.done({ status: head.status });
    abortAnswer(request, connection);
  });
}

function headersFor(answer: IncomingMessage, { ownPath }: Passing): AnswerHeaders {
  const { rawHeaders } = answer;
  const dropped = new Set(HOP_HEADERS);
  for (const name of (answer.headers.connection ?? '').split(',')) dropped.add(name.trim().toLowerCase());
  const headers = makeHeaders();
  const names = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const key = name.toLowerCase();
    if (dropped.has(key)) continue;
    const value = rewriteHeader(key, rawHeaders[index + 1] ?? '', ownPath);
    const known = names.get(key);
    if (known === undefined) {
      names.set(key, name);
      headers[name] = value;
    } else headers[known] = [headers[known] ?? '', value].flat().map(String);
  }
  return headers;
}
