import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { Forms, type Action } from './as-code.js';
import { attempt } from './notice.js';

interface Does {
  readonly action: Action;
  /** What is written on the button. */
  readonly text: string;
  /** What the button is called where its text does not say enough. */
  readonly label?: string;
  readonly class?: string;
  readonly title?: string;
  readonly isPressed?: boolean;
  /** What is said when it has worked. */
  readonly done?: string;
  readonly onDone?: () => unknown;
}

async function perform({ action: { method, path, body }, done, onDone }: Does): Promise<void> {
  await attempt(async () => {
    await api(path, { method, ...(body === undefined ? {} : { body }) });
    await onDone?.();
  }, done);
}

/** The button beside an action, which shows its forms over the page. */
function Code({ action, called }: { readonly action: Action; readonly called: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="plain code"
        aria-label="As code"
        title="As curl, command and TypeScript"
        onClick={() => setOpen(true)}
      >
        {'<>'}
      </button>
      {isOpen ? (
        <dialog
          class="dialog"
          aria-label={`${called} as code`}
          ref={(element) => {
            if (element !== null && !element.open) element.showModal();
          }}
          onClose={() => setOpen(false)}
        >
          <header class="bar">
            <h2>{called}</h2>
            <span class="space" />
            <button type="button" class="plain" aria-label="Close" onClick={() => setOpen(false)}>
              ×
            </button>
          </header>
          <Forms action={action} />
        </dialog>
      ) : null}
    </>
  );
}

/** A button that makes a request, with the forms of that request beside it. */
export function Act(given: Does): JSX.Element {
  const { action, text, label, title, isPressed } = given;
  return (
    <span class="act">
      <button
        type="button"
        class={given.class}
        aria-label={label}
        aria-pressed={isPressed}
        title={title}
        onClick={() => void perform(given)}
      >
        {text}
      </button>
      <Code action={action} called={label ?? text} />
    </span>
  );
}

interface FormDoes extends Omit<Does, 'isPressed' | 'action' | 'label' | 'title'> {
  /** The request; none while something is missing, and then nothing is sent. */
  readonly action: Action | undefined;
  /** The fields. */
  readonly children: ComponentChildren;
}

/** Fields with a button that sends them, and with the forms of that request. */
export function ActForm(given: FormDoes): JSX.Element {
  const { action, text, children } = given;
  return (
    <form
      class="bar"
      onSubmit={(event) => {
        event.preventDefault();
        if (action !== undefined) void perform({ ...given, action });
      }}
    >
      {children}
      <span class="act">
        <button type="submit" class={given.class}>
          {text}
        </button>
        {action === undefined ? null : <Code action={action} called={text} />}
      </span>
    </form>
  );
}
