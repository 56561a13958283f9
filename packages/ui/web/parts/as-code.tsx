import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formsOfAction, type Action } from '../lib/action.js';
import { Copied } from './copied.js';

/** The forms of an action, each to be copied. */
function Forms({ action }: { readonly action: Action }): JSX.Element {
  return (
    <>
      {formsOfAction(action).map(([name, text]) => (
        <Copied key={name} label={name} text={text} />
      ))}
    </>
  );
}

/** Shows an action as curl, as a command and in TypeScript, when it is opened. */
export function AsCode({ action }: { readonly action: Action }): JSX.Element {
  return (
    <details class="as-code">
      <summary>As code</summary>
      <Forms action={action} />
    </details>
  );
}

/** What a control does, by what that is called. */
export type Called = readonly (readonly [called: string, action: Action])[];

/** The button beside a control, which shows the forms of what the control does over the page. */
export function Code({ title, actions }: { readonly title: string; readonly actions: Called }): JSX.Element {
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
          aria-label={`${title} as code`}
          ref={(element) => {
            if (element !== null && !element.open) element.showModal();
          }}
          onClose={() => setOpen(false)}
        >
          <header class="bar">
            <h2>{title}</h2>
            <span class="space" />
            <button type="button" class="plain" aria-label="Close" onClick={() => setOpen(false)}>
              ×
            </button>
          </header>
          {actions.map(([called, action]) => (
            <section key={called} aria-label={called}>
              {actions.length < 2 ? null : <h3>{called}</h3>}
              <Forms action={action} />
            </section>
          ))}
        </dialog>
      ) : null}
    </>
  );
}
