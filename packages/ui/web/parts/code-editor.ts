import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { forceLinting, linter, lintGutter, type Diagnostic } from '@codemirror/lint';
import { EditorState, StateEffect } from '@codemirror/state';
import { tags } from '@lezer/highlight';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import type { Problem } from '../lib/api.js';
import type { CodeFormat } from '../lib/code-format.js';
import type { SchemaSource } from '../lib/schema-at.js';
import { JSON_LANGUAGE } from './code-json.js';
import type { CodeLanguage } from './code-language.js';
import { YAML_LANGUAGE } from './code-yaml.js';

/** The languages of the editor. */
const LANGUAGES: Readonly<Record<CodeFormat, CodeLanguage>> = { json: JSON_LANGUAGE, yaml: YAML_LANGUAGE };

/** An editor in a shadow root: CodeMirror writes its own styles, which the policy of the page allows there alone. */
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
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, currentColor 5%, transparent)' },
  '.cm-content': { caretColor: 'currentColor' },
  '.cm-cursor': { borderLeftColor: 'currentColor' },
  '.cm-tooltip': {
    backgroundColor: 'Canvas',
    color: 'CanvasText',
    border: '1px solid color-mix(in srgb, currentColor 25%, transparent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.85', whiteSpace: 'normal' },
});

/**
 * Types over what is selected. Chromium would keep the colour of a token that it removes, as a style of the element that comes in its
 * place, which the policy of the page refuses.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data } = event;
    if (inputType !== 'insertText' || data === null || view.composing || view.state.selection.main.empty)
      return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
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
  { format, label }: { readonly format: CodeFormat; readonly label: string },
  source: () => SchemaSource,
  onChange: (text: string) => void,
): CodeEditor {
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
  const box = document.createElement('div');
  root.replaceChildren(box);
  box.style.height = '100%';
  let problems: readonly Problem[] = [];
  const language = LANGUAGES[format];
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
        language.extension,
        linter(
          (shown) => [
            ...language.lint(shown),
            ...problems.map((problem) => diagnosticOf(shown.state, problem, language)),
          ],
          {
            needsRefresh: (update) =>
              update.transactions.some(({ effects }) => effects.some((effect) => effect.is(looked))),
          },
        ),
        lintGutter(),
        autocompletion({ override: [(context) => language.complete(context, source())] }),
        typedOver,
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

function diagnosticOf(state: EditorState, { path, message }: Problem, language: CodeLanguage): Diagnostic {
  const [from, to] = language.spanOf(state, path.split('/').slice(1));
  return { from, to, severity: 'error', message };
}
