import { holdsTooMuch, isLargeJson, messageOf, type Reply } from '@backlot/core/plugin';
import { literalJson, type KeptAnswer } from '@backlot/kit/upstream';
import { isNestedTooDeep } from '../wire/json-depth.js';
import type { OperationMatch } from './operation-match.js';

/** An answer of the upstream, of whichever way it came. */
export interface ResultText {
  /** Of HTTP; absent over WebSocket. */
  readonly status?: number;
  readonly headers?: Reply['headers'];
  /** The result as JSON, or what came in its place, without its secrets. */
  readonly body: string;
  /** Why it is not recorded, where that is known. */
  readonly unrecorded?: string | undefined;
}

const KEYS: ReadonlySet<string> = new Set(['data', 'errors', 'extensions']);

/**
 * Makes a mock of a result, and what the journal shows.
 *
 * @param match - absent where nothing is recorded
 */
export function keepResult(
  { status, headers, body, unrecorded }: ResultText,
  match: OperationMatch | undefined,
): KeptAnswer {
  const reply = { ...(status === undefined ? {} : { status }), ...(headers && { headers }), body };
  if (match === undefined) return { reply, recordings: [] };
  try {
    if (unrecorded !== undefined) throw new Error(unrecorded);
    if (status !== undefined && status !== 200)
      throw new Error(`it has the status ${status}, and mocks have 200`);
    const { key, name, match: fields, patterns } = match;
    return { reply, patterns, recordings: [{ key, name, match: fields, answer: resultOf(body) }] };
  } catch (thrown) {
    return { reply, recordings: messageOf(thrown) };
  }
}

/**
 * The result that a text holds.
 *
 * @throws Error for what is none that a mock can give
 */
export function resultOf(text: string): Readonly<Record<string, unknown>> {
  if (isLargeJson(text) || isNestedTooDeep(text)) throw new Error('it holds more than a mock can');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('it is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it is no result of GraphQL');
  const result = value as Readonly<Record<string, unknown>>;
  const { errors } = result;
  const other = Object.keys(result).find((name) => !KEYS.has(name));
  if (other !== undefined) throw new Error(`it has ${JSON.stringify(other)}, which no mock gives`);
  if (!('data' in result) && errors === undefined) throw new Error('it has neither data nor errors');
  const isList =
    errors === undefined || (Array.isArray(errors) && errors.length > 0 && errors.every(hasMessage));
  if (!isList) throw new Error('its errors are no list of objects that each have a message');
  if (holdsTooMuch(result)) throw new Error('it holds more than a mock can');
  return result;
}

/** The fields of a mock that give a result. */
export function responseOf(result: unknown): Readonly<Record<string, unknown>> {
  return { response: literalJson(result) };
}

function hasMessage(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    typeof (error as { readonly message?: unknown }).message === 'string'
  );
}
