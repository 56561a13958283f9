import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState, Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { SchemaSource } from '../lib/schema-at.js';

/** What the editor knows of a language. */
export interface CodeLanguage {
  readonly extension: Extension;
  /** What is wrong with the text itself. */
  lint(view: EditorView): readonly Diagnostic[];
  complete(context: CompletionContext, source: SchemaSource): CompletionResult | null;
  /** Where the value is to which the steps lead, or the innermost that there is. */
  spanOf(state: EditorState, steps: readonly string[]): [from: number, to: number];
}
