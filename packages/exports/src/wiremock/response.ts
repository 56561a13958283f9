import { parseDuration, type ExportNotes } from '@backlot/core/plugin';
import type { HttpAnswer, HttpCase } from '../http/http-case.js';
import { textOf, treeOf, withoutAbsent, type Tree } from '../shared/trees.js';
import { wiremockJson, wiremockTemplate } from './template.js';

const FAULTS: Readonly<Record<string, string>> = {
  empty: 'EMPTY_RESPONSE',
  truncated: 'MALFORMED_RESPONSE_CHUNK',
  garbage: 'RANDOM_DATA_THEN_CLOSE',
  reset: 'CONNECTION_RESET_BY_PEER',
};

/** Fields of an answer that stubs have. */
export const SAID = ['delay', 'chunks', 'broken'];

/** An answer of a stub. */
export function responseOf(answer: HttpAnswer, { id }: HttpCase, notes: ExportNotes): Tree {
  const { delay, chunks, broken } = answer.more;
  const waits = typeof delay === 'string' ? milliseconds(delay) : undefined;
  if (delay !== undefined && waits === undefined)
    notes.approximated(id, 'a delay that is rolled is left out');
  const pieces = treeOf(chunks);
  const { fields, isTemplate } = contentOf(answer, id, notes);
  return withoutAbsent({
    status: answer.status,
    headers: headersOf(answer, isTemplate),
    ...fields,
    fixedDelayMilliseconds: waits,
    chunkedDribbleDelay:
      chunks === undefined
        ? undefined
        : {
            numberOfChunks: pieces['count'],
            totalDuration: milliseconds(textOf(pieces['over']) ?? '0s') ?? 0,
          },
    fault: typeof broken === 'string' ? FAULTS[broken] : undefined,
    transformers: isTemplate ? ['response-template'] : undefined,
  });
}

function contentOf(
  answer: HttpAnswer,
  id: string,
  notes: ExportNotes,
): { readonly fields: Tree; readonly isTemplate: boolean } {
  const { body, hasTemplates } = answer;
  const plain = ((): Tree => {
    switch (body.is) {
      case 'none':
        return {};
      case 'bytes':
        return { base64Body: body.base64 };
      case 'json':
        return { jsonBody: body.value };
      case 'text':
        return { body: body.text };
    }
  })();
  if (!hasTemplates && !('isTemplate' in body && body.isTemplate))
    return { fields: plain, isTemplate: false };
  const headers = answer.headers.map(([, value]) => wiremockTemplate(value));
  const translated =
    body.is === 'json'
      ? { jsonBody: wiremockJson(body.value) }
      : body.is === 'text'
        ? { body: wiremockTemplate(body.text) }
        : plain;
  if (!headers.includes(undefined) && !Object.values(translated).includes(undefined))
    return { fields: translated, isTemplate: true };
  notes.approximated(id, 'a template whose tags have no counterpart is sent as it is written');
  return { fields: plain, isTemplate: false };
}

function headersOf({ headers }: HttpAnswer, isTemplate: boolean): Tree | undefined {
  if (headers.length === 0) return undefined;
  const all = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const text = isTemplate ? (wiremockTemplate(value) ?? value) : value;
    all.set(name, [...(all.get(name) ?? []), text]);
  }
  return Object.fromEntries(
    Array.from(all, ([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

function milliseconds(duration: string): number | undefined {
  try {
    return Math.round(parseDuration(duration));
  } catch {
    return undefined;
  }
}
