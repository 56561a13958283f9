import { isUtf8 } from 'node:buffer';
import { holdsTooMuch } from '@backlot/core/plugin';
import { hasNoContent } from '@backlot/kit/http';
import { literal, literalJson } from '@backlot/kit/upstream';
import type { AnswerCopy } from './answer-copy.js';

/** The answer of a mock, as it is written. */
export type ResponseFields = Readonly<Record<string, unknown>>;

/** A longer text of JSON stays a text, which costs little to store. */
const MAX_JSON = 256 * 1024;
/** A text with more that looks like a template is kept as bytes: mocks have a limit of templates. */
const MAX_TAGS = 100;

/** The answer of a mock that gives what the upstream gave. */
export function responseOf({ status, headers, body }: AnswerCopy): ResponseFields {
  return {
    status,
    ...(Object.keys(headers).length === 0
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [
              name,
              typeof value === 'string' ? literal(value) : value.map(literal),
            ]),
          ),
        }),
    ...(hasNoContent(status) || body.length === 0 ? {} : bodyOf(body)),
  };
}

/** The fields of a mock that give these answers one after another; one alone is given each time. */
export function answersOf(answers: readonly unknown[]): ResponseFields {
  const fields = answers.length === 1 ? { response: answers[0] } : { sequence: answers };
  if (!holdsTooMuch(fields)) return fields;
  const texts = (answers as readonly ResponseFields[]).map(({ json, ...rest }) =>
    json === undefined ? rest : { ...rest, body: textOf(json) },
  );
  return texts.length === 1 ? { response: texts[0] } : { sequence: texts };
}

function bodyOf(body: Buffer): ResponseFields {
  const text = isUtf8(body) ? body.toString() : undefined;
  if (text === undefined || text.split('{{', MAX_TAGS + 2).length > MAX_TAGS + 1)
    return { body_base64: body.toString('base64') };
  if (body.length <= MAX_JSON && /^[[{]/.test(text)) {
    try {
      const value: unknown = JSON.parse(text);
      // A value is written anew; a text that would change by that stays a text.
      if (JSON.stringify(value) === text) return { json: literalJson(value) };
    } catch {
      // It is sent as the text that it is.
    }
  }
  return { body: literal(text) };
}

/** A value of templates that give just it, as one such text. */
function textOf(json: unknown): string {
  return JSON.stringify(json).replaceAll(String.raw`{{raw \"{{\"}}`, '{{raw "{{"}}');
}
