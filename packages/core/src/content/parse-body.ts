import { parseJson } from '../patterns/parse-json.js';

/** A line costs a call of the parser; so many take some 20 ms. */
const MAX_LINES = 100_000;
const LINES =
  /^\s*application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|jsonlines|json-lines|x-json-stream)\s*(?:;|$)/i;
/** What JSON can begin with; the exception of a parser costs more than this. */
const JSON_START = /^\s*[[{"\-0-9tfn]/;

/** Whether a content type says that each line of a body is a JSON value of its own. */
export function isJsonLines(contentType: string | undefined): boolean {
  return contentType !== undefined && LINES.test(contentType);
}

/**
 * Reads a body as JSON, whatever its content type, or as one JSON value per line where the content type says so.
 *
 * @returns a list with the value, which may be `null`, for lines with the list of their values; an empty list when the
 * body is not JSON
 */
export function readJsonBody(
  text: string,
  contentType: string | undefined,
): readonly [] | readonly [unknown] {
  return isJsonLines(contentType) ? readLines(text) : parseJson(text);
}

/** The value of a body as templates see it: of JSON its value, else the text. */
export function parseBody(text: string, contentType: string | undefined): unknown {
  if (!JSON_START.test(text)) return text;
  const parsed = readJsonBody(text, contentType);
  return parsed.length > 0 ? parsed[0] : text;
}

function readLines(text: string): readonly [] | readonly [unknown] {
  const values: unknown[] = [];
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    start = end + 1;
    if (line.trim() === '') continue;
    if (values.length === MAX_LINES) return [];
    const parsed = parseJson(line);
    if (parsed.length === 0) return [];
    values.push(parsed[0]);
  }
  return [values];
}
