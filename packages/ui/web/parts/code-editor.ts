import {
  autocompletion,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language';
import { forceLinting, linter, lintGutter, type Diagnostic } from '@codemirror/lint';
import { EditorState, StateEffect } from '@codemirror/state';
import { tags } from '@lezer/highlight';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import type { Problem } from '../lib/api.js';
import { fieldsAt, valuesAt, type SchemaSource } from '../lib/schema-at.js';

/** An editor of JSON in a shadow root: CodeMirror writes its own styles, which the policy of the page allows there alone. */
export interface CodeEditor {
  /** Shows problems at their places, which JSON pointers name. */
  showProblems(problems: readonly Problem[]): void;
  focus(): void;
  end(): void;
}

const theme = EditorView.theme({
  '&': { fontSize: '13px', height: '100%', backgroundColor: 'transparent', color: 'inherit' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    lineHeight: '1.5',
  },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'inherit', opacity: '0.55', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, currentColor 5%, transparent)' },
  '.cm-content': { caretColor: 'currentColor' },
  '.cm-cursor': { borderLeftColor: 'currentColor' },
  '.cm-tooltip': {
    backgroundColor: 'Canvas',
    color: 'CanvasText',
    border: '1px solid color-mix(in srgb, currentColor 25%, transparent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.7', whiteSpace: 'normal' },
});

/** Says that there are other problems with the same text. */
const looked = StateEffect.define<null>();

/** The colours of values elsewhere on the page. */
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'light-dark(#176b58, #5cc4a8)' },
  { tag: tags.string, color: 'light-dark(#7a4b00, #e0b97a)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#5b3aa8, #b8a1f0)' },
]);

/**
 * Opens an editor in an element.
 *
 * @param source - gives the schema of what is written, by which fields are completed
 */
export function openEditor(
  element: HTMLElement,
  text: string,
  label: string,
  source: () => SchemaSource,
  onChange: (text: string) => void,
): CodeEditor {
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
  const box = document.createElement('div');
  root.replaceChildren(box);
  box.style.height = '100%';
  let problems: readonly Problem[] = [];
  const parse = jsonParseLinter();
  const view = new EditorView({
    root,
    parent: box,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        syntaxHighlighting(colours),
        json(),
        linter(
          (shown) => [...parse(shown), ...problems.map((problem) => diagnosticOf(shown.state, problem))],
          {
            needsRefresh: (update) =>
              update.transactions.some(({ effects }) => effects.some((effect) => effect.is(looked))),
          },
        ),
        lintGutter(),
        autocompletion({ override: [(context) => complete(context, source())] }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
        theme,
      ],
    }),
  });
  return {
    showProblems(next) {
      if (next.length === 0 && problems.length === 0) return;
      problems = next;
      // Nothing is looked at again as long as the text stays the same.
      view.dispatch({ effects: looked.of(null) });
      forceLinting(view);
    },
    focus: () => view.focus(),
    end: () => view.destroy(),
  };
}

function diagnosticOf(state: EditorState, { path, message }: Problem): Diagnostic {
  const [from, to] = spanOf(state, path.split('/').slice(1));
  return { from, to, severity: 'error', message };
}

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
