import { isUtf8 } from 'node:buffer';
import type { ImportFile, ImportNotes } from '@backlot/core/plugin';
import { headersOf, literalBody, statusOf, typeOf, type AnswerBody } from '../shared/answer.js';
import { literal } from '../shared/literal.js';
import { delayOf, pointTo, textOf, treesOf, type Tree } from '@backlot/contracts';
import { translateTemplate } from '../handlebars/translate.js';
import type { Bucket } from './buckets.js';
import { dialectOf } from './dialect.js';

/** What the answers of an environment are made with. */
export interface ResponseTools {
  readonly file: ImportFile;
  readonly environment: Tree;
  readonly buckets: ReadonlyMap<string, Bucket>;
  readonly notes: ImportNotes;
}

/** An answer of a route as the answer of a mock. */
export function responseOf(response: Tree, tools: ResponseTools, route: string): Tree {
  const { environment, notes } = tools;
  const place = pointTo(route, 'responses');
  const isPlain = response['disableTemplating'] === true;
  const text = (value: string): string =>
    isPlain ? literal(value) : translateTemplate(value, dialectOf(tools.buckets), notes, place);
  const headers = headersOf(
    [...treesOf(environment['headers']), ...treesOf(response['headers'])].map((one) => [
      textOf(one['key']) ?? '',
      text(textOf(one['value']) ?? ''),
    ]),
  );
  const status = statusOf(response['statusCode'] ?? 200);
  if (status === undefined)
    notes.approximated(
      place,
      `status ${String(textOf(response['statusCode'])).slice(0, 20)} is answered as 200`,
    );
  if (treesOf(response['callbacks']).length > 0) notes.refused(place, 'callbacks are not sent');
  return Object.fromEntries(
    Object.entries({
      status: status ?? 200,
      headers,
      ...bodyOf(response, typeOf(headers), text, isPlain, tools, place),
      delay: delayOf((Number(response['latency']) || 0) + (Number(environment['latency']) || 0)),
    }).filter(([, value]) => value !== undefined),
  );
}

function bodyOf(
  response: Tree,
  type: string | undefined,
  text: (value: string) => string,
  isPlain: boolean,
  { file, buckets, notes }: ResponseTools,
  place: string,
): AnswerBody {
  const written = (value: string): AnswerBody =>
    value === '' ? {} : isPlain || !value.includes('{{') ? literalBody(value, type) : { body: text(value) };
  if (response['bodyType'] === 'DATABUCKET') {
    return written(buckets.get(textOf(response['databucketID']) ?? '')?.text ?? '');
  }
  const path = textOf(response['filePath']) ?? '';
  if (response['bodyType'] !== 'FILE' || path === '') return written(textOf(response['body']) ?? '');
  const found = file.near(path);
  if (found === undefined) {
    notes.refused(place, `the body file "${path.slice(0, 200)}" is not beside this file`);
    return {};
  }
  return isUtf8(found.bytes)
    ? written(found.text)
    : { body_base64: Buffer.from(found.bytes).toString('base64') };
}
