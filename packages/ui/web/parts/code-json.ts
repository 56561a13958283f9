import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { fieldsAt, valuesAt, type SchemaSource } from '../lib/schema-at.js';
import type { CodeLanguage } from './code-language.js';

/** JSON in the editor. */
export const JSON_LANGUAGE: CodeLanguage = {
  extension: json(),
  lint: jsonParseLinter(),
  complete,
  spanOf,
};

/** The keys of an object from the outside in, at a place of the text. */
function pathAt(state: EditorState, at: number): { path: string[]; isKey: boolean } {
  const path: string[] = [];
  let isKey = false;
  let isFirst = true;
  for (let node = syntaxTree(state).resolveInner(at, -1), parent = node.parent; ; parent = node.parent) {
    if (
      isFirst &&
      (node.name === 'PropertyName' ||
        node.name === 'Object' ||
        (node.name === '{' && parent?.name === 'Object'))
    )
      isKey = true;
    if (node.name === 'Property') {
      const key = node.getChild('PropertyName');
      if (key !== null && !(isFirst && isKey)) {
        const name = keyText(state, key.from, key.to);
        if (!isKey || path.length > 0 || at > key.to) path.unshift(name);
      }
    } else if (parent?.name === 'Array') path.unshift('0');
    isFirst = false;
    if (parent === null) return { path, isKey };
    node = parent;
  }
}

function keyText(state: EditorState, from: number, to: number): string {
  const text = state.sliceDoc(from, to);
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.replaceAll('"', '');
  }
}

function complete(context: CompletionContext, source: SchemaSource): CompletionResult | null {
  const { state, pos } = context;
  const word = context.matchBefore(/"?[\w.$-]*/);
  const from = word?.from ?? pos;
  if (!context.explicit && (word === null || word.from === word.to)) return null;
  const { path, isKey } = pathAt(state, from);
  const before = state.sliceDoc(Math.max(0, from - 200), from).trimEnd();
  const isValue = before.endsWith(':');
  if (isKey && !isValue) {
    const fields = fieldsAt(source, path);
    return {
      from,
      options: fields.map(({ name, detail }) => ({
        label: `"${name}"`,
        apply: `"${name}": `,
        detail,
        type: 'property',
      })),
      validFor: /^"?[\w.$-]*"?$/,
    };
  }
  const values = valuesAt(source, path);
  if (values.length === 0) return null;
  return {
    from,
    options: values.map((value) => ({ label: JSON.stringify(value) })),
    validFor: /^"?[\w.$-]*"?$/,
  };
}

/** Where the value is to which a pointer leads, or the innermost that there is. */
function spanOf(state: EditorState, steps: readonly string[]): [number, number] {
  let node = syntaxTree(state).topNode.firstChild;
  let span: [number, number] = [node?.from ?? 0, Math.min((node?.from ?? 0) + 1, state.doc.length)];
  for (const step of steps) {
    if (node === null) return span;
    if (node.name === 'Object') {
      const property = node.getChildren('Property').find((each) => {
        const key = each.getChild('PropertyName');
        return key !== null && keyText(state, key.from, key.to) === step;
      });
      if (property === undefined) return span;
      span = [property.from, property.to];
      node = property.lastChild;
    } else if (node.name === 'Array') {
      const values: (typeof node)[] = [];
      for (let child = node.firstChild; child !== null; child = child.nextSibling)
        if (!/^[[\],]$/.test(child.name)) values.push(child);
      node = values[Number(step)] ?? null;
      if (node !== null) span = [node.from, node.to];
    } else return span;
  }
  return span;
}
