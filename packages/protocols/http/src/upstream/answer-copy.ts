import type { IncomingMessage } from 'node:http';
import { runInSlices } from '@backlot/core/plugin';
import { CONNECTION_HEADERS } from '@backlot/kit/http';
import { decodeContent, rewriteHeader, type OwnPlace } from '@backlot/kit/http-upstream';
import { redactHeader } from '@backlot/kit/upstream';
import { redactBodySteps, shownBody } from './redact-message.js';

/** An answer of the upstream without its secrets, decoded. */
export interface AnswerCopy {
  readonly status: number;
  /** By the name as the upstream writes it. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
  /** The body with its secrets, for comparing it. */
  readonly plain: Buffer;
}

/** The most bytes of a body that are searched for secrets, and kept, as they come and decoded: others wait meanwhile. */
export const MAX_COPY = 2 * 1024 * 1024;

/** Headers that are made anew for each answer. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  'content-encoding',
  'content-length',
  'date',
  'trailer',
]);

/**
 * Makes the copy of an answer that was received.
 *
 * @param isWhole - whether the whole body is kept, and not only as much as the log shows
 * @throws Error when the body cannot be decoded
 */
export async function copyAnswer(
  answer: IncomingMessage,
  bytes: Buffer,
  own: OwnPlace,
  isWhole: boolean,
): Promise<AnswerCopy> {
  const headers = new Map<string, { readonly name: string; readonly values: string[] }>();
  const { rawHeaders } = answer;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const key = name.toLowerCase();
    if (MADE_ANEW.has(key)) continue;
    const value = redactHeader(key, rewriteHeader(key, rawHeaders[index + 1] ?? '', own));
    const known = headers.get(key);
    if (known === undefined) headers.set(key, { name, values: [value] });
    else known.values.push(value);
  }
  const body = await decodeContent(bytes, answer.headers['content-encoding'], MAX_COPY);
  const contentType = answer.headers['content-type'];
  const kept = isWhole ? await runInSlices(redactBodySteps(body, contentType)) : shownBody(body, contentType);
  return {
    status: answer.statusCode ?? 200,
    headers: Object.fromEntries(
      Array.from(headers.values(), ({ name, values }) => [
        name,
        values.length === 1 ? (values[0] ?? '') : values,
      ]),
    ),
    body: kept,
    plain: body,
  };
}
