import { DelimiterFramer, LineFramer, withLineEnd, type Framer } from '@backlot/kit/framing';
import { invalid } from '@backlot/core/plugin';

/** How the text of one message holds several. */
export type FramingName = 'record-separator' | 'json-array' | 'line';

/** The names of framings, as mocks give them. */
export const FRAMINGS = ['record-separator', 'json-array', 'line'] as const;

/** U+001E, which ends each message of SignalR and of others. */
const RECORD_SEPARATOR = '\u001E';
/** Most parts of one message: each is matched, counted and logged by itself. */
const MAX_PARTS = 10_000;

/** The parts of a text message; `isBatch`: they came in a list of JSON, and their answers leave in one. */
export interface Parts {
  readonly texts: readonly Buffer[];
  readonly isBatch: boolean;
}

/**
 * The messages that the text of one holds. What is left behind the last ending is one too, and in `json-array` a text that
 * is no list is the message itself; a text in the list stands for itself, without its quotes.
 *
 * @throws BacklotError `invalid` for more than 10,000
 */
export function splitText(framing: FramingName, text: Buffer): Parts {
  switch (framing) {
    case 'line':
      return { texts: cut(new LineFramer({ maxLength: text.length }), text), isBatch: false };
    case 'record-separator': {
      const framer = new DelimiterFramer({ delimiter: RECORD_SEPARATOR, maxLength: text.length });
      return { texts: cut(framer, text), isBatch: false };
    }
    case 'json-array': {
      const list = listIn(text);
      if (list === undefined) return { texts: [text], isBatch: false };
      if (list.length > MAX_PARTS) throw tooMany();
      return { texts: list.map((item) => Buffer.from(textOf(item))), isBatch: true };
    }
  }
}

/** A text that is sent by itself, in the framing; in `json-array` as a list of one, unless it is a list. */
export function frameText(framing: FramingName, text: string): string {
  switch (framing) {
    case 'line':
      return withLineEnd(text);
    case 'record-separator':
      return text.endsWith(RECORD_SEPARATOR) ? text : text + RECORD_SEPARATOR;
    case 'json-array':
      return text.trimStart().startsWith('[') && isJson(text) ? text : frameList([text]);
  }
}

/** Texts in one list of JSON; what is no JSON is a text in it. */
export function frameList(texts: readonly string[]): string {
  return `[${texts.map((text) => (isJson(text) ? text : JSON.stringify(text))).join()}]`;
}

function cut(framer: Framer, text: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  framer.push(text, (part) => {
    if (parts.length === MAX_PARTS) throw tooMany();
    parts.push(part);
  });
  const rest = framer.takeRest();
  if (rest.length > 0 || parts.length === 0) parts.push(rest);
  return parts;
}

function listIn(text: Buffer): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(item: unknown): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function tooMany(): Error {
  return invalid(`a message holds more than ${MAX_PARTS} others`);
}
