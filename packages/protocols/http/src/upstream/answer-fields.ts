import { isUtf8 } from 'node:buffer';
import { hasNoContent } from '@backlot/kit/http';
import type { AnswerCopy } from './answer-copy.js';

/** The answer of a mock, as it is written. */
export type ResponseFields = Readonly<Record<string, unknown>>;

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
  return answers.length === 1 ? { response: answers[0] } : { sequence: answers };
}

function bodyOf(body: Buffer): ResponseFields {
  if (!isUtf8(body)) return { body_base64: body.toString('base64') };
  const text = body.toString();
  if (/^[[{]/.test(text)) {
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

/** A text as a template that gives just this text. */
function literal(text: string): string {
  return text.includes('{{') ? text.replaceAll('{{', '{{raw "{{"}}') : text;
}

function literalJson(value: unknown): unknown {
  if (typeof value === 'string') return literal(value);
  if (Array.isArray(value)) return value.map(literalJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, literalJson(member)]));
}
