import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { yaml } from '@codemirror/lang-yaml';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { isMap, isNode, isPair, isScalar, isSeq, parseDocument, stringify, type Node } from 'yaml';
import { fieldsAt, valuesAt, type SchemaSource } from '../lib/schema-at.js';
import type { CodeLanguage } from './code-language.js';

/** YAML in the editor. */
export const YAML_LANGUAGE: CodeLanguage = {
  extension: yaml(),
  lint: (view) => lint(view.state),
  complete,
  spanOf,
};

function lint(state: EditorState): Diagnostic[] {
  const end = state.doc.length;
  return parseDocument(state.doc.toString(), { prettyErrors: false }).errors.map(
    ({ pos: [from, to], message }) => ({
      from: Math.min(from, end),
      to: Math.min(Math.max(to, from), end),
      severity: 'error',
      message,
    }),
  );
}

function spanOf(state: EditorState, steps: readonly string[]): [number, number] {
  let node: unknown = parseDocument(state.doc.toString()).contents;
  let span: [number, number] = [0, Math.min(1, state.doc.length)];
  for (const step of steps) {
    let next: unknown;
    let from: number | undefined;
    if (isMap(node)) {
      const pair = node.items.find(
        ({ key }) => isPair(key) === false && String(isScalar(key) ? key.value : key) === step,
      );
      next = pair?.value;
      from = isNode(pair?.key) ? pair.key.range?.[0] : undefined;
    } else if (isSeq(node)) {
      next = node.items[Number(step)];
      from = isNode(next) ? next.range?.[0] : undefined;
    }
    if (from === undefined) return span;
    const end = isNode(next) ? ((next as Node).range?.[1] ?? from) : from;
    span = [from, Math.max(end, from)];
    node = next;
  }
  return span;
}

/** A line: its indent, the dashes of lists before its key, and its key. */
const LINE = /^( *)((?:- +)*)(?:(?:"([^"]*)"|'([^']*)'|([\w.$/-]+))\s*:(?:\s|$))?/;

/**
 * The keys from the outside in around a line, by its indents; a dash is a step into a list.
 *
 * @param indent - the column at which the line begins, beyond its dashes
 * @param dash - the column of the first of its dashes
 */
function pathAbove(state: EditorState, number: number, indent: number, dash: number | undefined): string[] {
  const path: string[] = dash === undefined ? [] : ['0'];
  let list = dash;
  // The key above a list may stand in the column of its dashes.
  let limit = dash === undefined ? indent : dash + 1;
  for (let line = number - 1; line >= 1 && limit > 0; line -= 1) {
    const { text } = state.doc.line(line);
    if (/^\s*(?:#|$)/.test(text)) continue;
    const [, spaces = '', dashes = '', double, single, plain] = LINE.exec(text) ?? [];
    const key = double ?? single ?? plain;
    const depth = spaces.length + dashes.length;
    if (dashes !== '' && spaces.length === list) continue;
    if (depth < limit && key !== undefined) {
      path.unshift(key);
      limit = depth;
      list = undefined;
    }
    if (dashes !== '' && spaces.length < limit) {
      path.unshift('0');
      list = spaces.length;
      limit = list + 1;
    }
  }
  return path;
}

function complete(context: CompletionContext, source: SchemaSource): CompletionResult | null {
  const { state, pos } = context;
  const word = context.matchBefore(/[\w.$-]*/);
  const from = word?.from ?? pos;
  if (!context.explicit && (word === null || word.from === word.to)) return null;
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, from - line.from);
  const [, spaces = '', dashes = '', double, single, plain] = LINE.exec(before) ?? [];
  const key = double ?? single ?? plain;
  const depth = spaces.length + dashes.length;
  const path = pathAbove(state, line.number, depth, dashes === '' ? undefined : spaces.length);
  if (key !== undefined) {
    const values = valuesAt(source, [...path, key]);
    if (values.length === 0) return null;
    return {
      from,
      options: values.map((value) => ({ label: stringify(value).trimEnd() })),
      validFor: /^[\w.$-]*$/,
    };
  }
  if (before.trim() !== '' && before.length !== depth) return null;
  const fields = fieldsAt(source, path);
  if (fields.length === 0) return null;
  return {
    from,
    options: fields.map(({ name, detail }) => ({
      label: name,
      apply: `${name}: `,
      detail,
      type: 'property',
    })),
    validFor: /^[\w.$-]*$/,
  };
}
