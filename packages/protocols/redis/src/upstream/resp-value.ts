import { isUtf8 } from 'node:buffer';
import { runAtOnce } from '@backlot/core/plugin';
import { isSecretName, literal, REDACTED, redactStringSteps } from '@backlot/kit/upstream';
import { fromWire } from '../wire/text.js';

/** A value of an answer. Texts have one character per byte. */
export type RespValue =
  | { readonly type: 'string' | 'error' | 'integer' | 'double' | 'bulk'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  /** `isList`: the null array of RESP2, which is no list in place of no text. */
  | { readonly type: 'nil'; readonly isList?: true }
  | { readonly type: 'array' | 'set' | 'map'; readonly value: readonly RespValue[] }
  | { readonly type: 'other'; readonly value: string };

const LIST_TYPES: Readonly<Record<string, 'array' | 'set' | 'map'>> = {
  '*': 'array',
  '>': 'array',
  '~': 'set',
  '%': 'map',
};
const LINE_TYPES: Readonly<Record<string, 'string' | 'error' | 'integer' | 'double'>> = {
  '+': 'string',
  '-': 'error',
  ':': 'integer',
  ',': 'double',
};
/** Mocks are nested no deeper. */
const MAX_DEPTH = 30;

/** Reads an answer that is there as a whole. @param text - with one character per byte */
export function readResp(text: string): RespValue {
  let at = 0;
  const take = (depth: number): RespValue => {
    const mark = text[at] ?? '';
    const end = text.indexOf('\r\n', at);
    const line = text.slice(at + 1, end);
    at = end + 2;
    const list = LIST_TYPES[mark];
    if (list !== undefined) {
      if (line === '-1') return { type: 'nil', isList: true };
      const count = Number(line) * (list === 'map' ? 2 : 1);
      if (depth > MAX_DEPTH) throw new Error('it is nested too deep');
      return { type: list, value: Array.from({ length: count }, () => take(depth + 1)) };
    }
    const simple = LINE_TYPES[mark];
    if (simple !== undefined) return { type: simple, value: line };
    if (mark === '_' || line === '-1') return { type: 'nil' };
    if (mark === '#') return { type: 'boolean', value: line === 't' };
    if (mark !== '$' && mark !== '=' && mark !== '!') return { type: 'other', value: line };
    const start = at;
    at += Number(line) + 2;
    const value = text.slice(start, at - 2);
    if (mark === '!') return { type: 'error', value };
    return { type: 'bulk', value: mark === '=' ? value.slice(4) : value };
  };
  return take(0);
}

/**
 * Takes the secrets out of an answer: texts with known shapes, and what stands behind a secret name in a list or a map.
 *
 * @param isSecret - whether the value is one by what was asked for
 */
export function redactResp(given: RespValue, isSecret: boolean): RespValue {
  if (given.type === 'bulk' || given.type === 'string') {
    if (isSecret) return given.value === '' ? given : { ...given, value: REDACTED };
    const redacted = redactText(given.value);
    return redacted === given.value ? given : { ...given, value: redacted };
  }
  if (given.type === 'error') return { ...given, value: redactText(given.value) };
  if (given.type !== 'array' && given.type !== 'set' && given.type !== 'map') return given;
  let isNamed = false;
  return {
    ...given,
    value: given.value.map((item) => {
      const redacted = redactResp(item, isSecret || isNamed);
      isNamed = item.type === 'bulk' && !isNamed && given.type !== 'set' && isSecretName(item.value);
      return redacted;
    }),
  };
}

function redactText(value: string): string {
  return runAtOnce(redactStringSteps(value));
}

/** The field `response` of a mock that gives an answer. @throws Error for one that no mock gives */
export function responseOf(given: RespValue): Readonly<Record<string, unknown>> {
  switch (given.type) {
    case 'nil':
      return { type: given.isList === true ? 'nil_array' : 'nil' };
    case 'boolean':
      return { type: 'boolean', value: given.value };
    case 'array':
    case 'set':
      return { type: given.type, value: given.value.map(itemOf) };
    case 'map':
      return { type: 'map', value: membersOf(given.value) };
    case 'other':
      throw new Error('it has a number or an attribute that mocks cannot give');
    default:
      return { type: given.type, value: textOf(given.value) };
  }
}

/** An element of a list, as short as it can be written. */
function itemOf(given: RespValue): unknown {
  switch (given.type) {
    case 'nil':
      return given.isList === true ? responseOf(given) : null;
    case 'bulk':
      return textOf(given.value);
    case 'integer':
      return Number.isSafeInteger(Number(given.value)) ? Number(given.value) : responseOf(given);
    case 'boolean':
      return given.value;
    case 'array':
      return given.value.map(itemOf);
    default:
      return responseOf(given);
  }
}

function membersOf(items: readonly RespValue[]): Readonly<Record<string, unknown>> {
  const members = new Map<string, unknown>();
  for (let index = 0; index + 1 < items.length; index += 2) {
    const [key, value] = [items[index], items[index + 1]];
    if ((key?.type !== 'bulk' && key?.type !== 'string') || value === undefined || members.has(key.value))
      throw new Error('it is a map with names that are no texts, or stand in it twice');
    members.set(textOf(key.value), itemOf(value));
  }
  return Object.fromEntries(members);
}

/** @throws Error for bytes that are no text */
function textOf(bytes: string): string {
  if (!isUtf8(Buffer.from(bytes, 'latin1')))
    throw new Error('it has bytes that are not UTF-8, which mocks of Redis cannot give');
  return literal(fromWire(bytes));
}

/** An answer as JSON, by which answers are compared and shown. */
export function plainOf(given: RespValue): unknown {
  switch (given.type) {
    case 'nil':
      return null;
    case 'boolean':
      return given.value;
    case 'integer':
      return Number.isSafeInteger(Number(given.value)) ? Number(given.value) : given.value;
    case 'error':
      return { error: fromWire(given.value) };
    case 'array':
    case 'set':
      return given.value.map(plainOf);
    case 'map':
      return Object.fromEntries(
        given.value.flatMap((key, index) => {
          const value = given.value[index + 1];
          return index % 2 === 0 && value !== undefined ? [[String(plainOf(key)), plainOf(value)]] : [];
        }),
      );
    default:
      return fromWire(given.value);
  }
}
