import {
  canonicalJson,
  escapeRegex,
  isSecretName,
  jsonPattern,
  patternOf,
  type PatternNote,
} from '@backlot/kit/upstream';
import type { GraphqlMessage } from '../message.js';
import { secretPieces } from './redact-document.js';

/** Which operations a recording is for. */
export interface OperationMatch {
  readonly key: string;
  readonly name: string;
  /** The fields of the mock that say so. */
  readonly match: Readonly<Record<string, unknown>>;
  /** What became a pattern, and by which rule. */
  readonly patterns: readonly string[];
}

/** Longer variables are not compared. */
const MAX_VARIABLES = 64 * 1024;
const MAX_NOTES = 20;
/** With more secrets a document is not compared: a pattern with many gaps takes long. */
const MAX_GAPS = 20;
/** Any one text or number in a document. */
const ANY_VALUE = String.raw`(?:"""[^"]*"""|"(?:[^"\\]|\\.)*"|[-+.0-9eE]+)`;
/** A name that is a place by itself. */
const NAME = /^[_A-Za-z]\w*$/;

/** Makes what a recorded mock asks of an operation: the same one again, but for what is another each time, and secrets. */
export function matchOf(message: GraphqlMessage): OperationMatch {
  const patterns: string[] = [];
  const note: PatternNote = (place, rule) => {
    if (patterns.length < MAX_NOTES) patterns.push(`${place}: ${rule}`);
  };
  const { method, name } = message;
  const match = {
    operation_type: method,
    ...(name === undefined ? {} : { operation_name: name }),
    document: documentPattern(message.document, note),
    variables: variablesPattern(message.variables, note),
  };
  return {
    key: JSON.stringify(canonicalJson(match)),
    name: name === undefined ? method : `${method} ${name}`,
    match,
    patterns,
  };
}

function documentPattern(document: string, note: PatternNote): unknown {
  const pieces = secretPieces(document);
  // A star would be one of a pattern.
  if (pieces.length === 1) return document.includes('*') ? { equals: document } : document;
  note('document', 'secret');
  if (pieces.length > 2 * MAX_GAPS) return { present: true };
  const parts = pieces.map(({ text, isSecret }) => (isSecret ? ANY_VALUE : escapeRegex(text)));
  return { regex: `(?s)^${parts.join('')}$` };
}

function variablesPattern(
  variables: GraphqlMessage['variables'],
  note: PatternNote,
): Readonly<Record<string, unknown>> {
  if (variables === undefined) return { $: { absent: true } };
  const entries = Object.entries(variables);
  if (JSON.stringify(variables).length > MAX_VARIABLES) {
    note('variables', 'they are longer than 64 KiB and not compared');
    return { $: { present: true } };
  }
  // Texts each have a place of their own, by which mocks are found; the whole says that there are no others.
  if (!entries.every(([name]) => NAME.test(name))) return { $: jsonPattern(variables, 'variables', note) };
  return {
    ...Object.fromEntries(entries.map(([name, value]) => [name, valuePattern(name, value, note)])),
    $: { json_schema: { type: 'object', maxProperties: entries.length } },
  };
}

function valuePattern(name: string, value: unknown, note: PatternNote): unknown {
  const place = `variable ${name}`;
  if (typeof value === 'string') return patternOf(place, name, value, note);
  if (typeof value === 'number') {
    const text = String(value);
    const pattern = patternOf(place, name, text, note);
    return pattern === text ? { json: { equals: value } } : pattern;
  }
  if (isSecretName(name)) {
    note(place, 'secret');
    return { present: true };
  }
  return jsonPattern(value, place, note);
}
