import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { perform, type Action } from '../lib/action.js';
import { ApiError, type Problem } from '../lib/api.js';
import type { SchemaSource } from '../lib/schema-at.js';
import { AsCode } from './as-code.js';
import { CodeField } from './code-field.js';

interface Given {
  readonly title: string;
  readonly value: unknown;
  readonly source: SchemaSource;
  readonly button: string;
  /** The request for a value. */
  readonly action: (value: unknown) => Action;
  /** @param value - what was sent */
  readonly onDone?: (value: unknown) => void;
  readonly onClose: () => void;
}

/** A value to write and to send, with the problems that the server finds in it. */
export function JsonDialog({ title, value, source, button, action, onDone, onClose }: Given): JSX.Element {
  const [text, setText] = useState(() => JSON.stringify(value, undefined, 2));
  const [error, setError] = useState<string>();
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const parsed = useMemo((): { value: unknown } | undefined => {
    try {
      return { value: JSON.parse(text) as unknown };
    } catch {
      return undefined;
    }
  }, [text]);
  const send = async (): Promise<void> => {
    if (parsed === undefined) return;
    try {
      await perform(action(parsed.value));
      onDone?.(parsed.value);
      onClose();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
      setProblems(thrown instanceof ApiError ? thrown.details : []);
    }
  };
  return (
    <dialog
      class="dialog"
      aria-label={title}
      ref={(element) => {
        if (element !== null && !element.open) element.showModal();
      }}
      onClose={onClose}
    >
      <header class="bar">
        <h2>{title}</h2>
        <span class="space" />
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <CodeField text={text} label={title} source={source} problems={problems} onChange={setText} />
      {parsed === undefined ? (
        <p class="failed">This is no JSON yet.</p>
      ) : error === undefined ? null : (
        <p class="failed" role="alert">
          {error}
        </p>
      )}
      {parsed === undefined ? null : <AsCode action={action(parsed.value)} />}
      <footer class="bar">
        <span class="space" />
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={parsed === undefined} onClick={() => void send()}>
          {button}
        </button>
      </footer>
    </dialog>
  );
}
