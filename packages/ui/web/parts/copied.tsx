import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Puts a text on the clipboard; where that is not allowed, selects it. */
async function copy(text: string, shown: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (shown !== null) getSelection()?.selectAllChildren(shown);
    return false;
  }
}

/** A text to copy, such as a command. */
export function Copied({ text, label }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [state, setState] = useState('Copy');
  let shown: HTMLElement | null = null;
  return (
    <div class="copied">
      {label === undefined ? null : <span class="label">{label}</span>}
      <code
        ref={(element) => {
          shown = element;
        }}
      >
        {text}
      </code>
      <button
        type="button"
        class="small"
        onClick={() => {
          void copy(text, shown).then((done) => {
            setState(done ? 'Copied' : 'Press Ctrl+C');
            setTimeout(() => setState('Copy'), 1500);
          });
        }}
      >
        {state}
      </button>
    </div>
  );
}
