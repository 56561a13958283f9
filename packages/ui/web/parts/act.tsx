import type { ComponentChildren, JSX } from 'preact';
import { perform, type Action } from '../lib/action.js';
import { Code } from './as-code.js';
import { attempt, warn } from './notice.js';

interface Does<Answer> {
  readonly action: Action;
  /** What is written on the button. */
  readonly text: string;
  /** What the button is called where its text does not say enough. */
  readonly label?: string;
  readonly class?: string;
  readonly title?: string;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  /** What is said when it has worked. */
  readonly done?: string;
  /** @param answer - what the server has answered */
  readonly onDone?: (answer: Answer) => unknown;
}

async function act<Answer>({
  action,
  done,
  onDone,
}: Pick<Does<Answer>, 'action' | 'done' | 'onDone'>): Promise<void> {
  await attempt(async () => {
    const answer = await perform<Answer>(action, warn);
    await onDone?.(answer);
  }, done);
}

/** A button that makes a request, with the forms of that request beside it. */
export function Act<Answer = unknown>(given: Does<Answer>): JSX.Element {
  const { action, text, label, title, isPressed, isDisabled } = given;
  return (
    <span class="act">
      <button
        type="button"
        class={given.class}
        aria-label={label}
        aria-pressed={isPressed}
        disabled={isDisabled}
        title={title}
        onClick={() => void act(given)}
      >
        {text}
      </button>
      <Code title={label ?? text} actions={[[text, action]]} />
    </span>
  );
}

interface FormDoes extends Pick<Does<unknown>, 'text' | 'class' | 'done' | 'onDone'> {
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
        if (action !== undefined) void act({ ...given, action });
      }}
    >
      {children}
      <span class="act">
        <button type="submit" class={given.class}>
          {text}
        </button>
        {action === undefined ? null : <Code title={text} actions={[[text, action]]} />}
      </span>
    </form>
  );
}

interface SwitchDoes extends Pick<Does<unknown>, 'done' | 'onDone'> {
  readonly label: string;
  readonly isOn: boolean;
  /** What switching on does; while it is on, what sets the same again. */
  readonly on: Action;
  readonly off: Action;
  /** What is written beside the switch. */
  readonly children: ComponentChildren;
}

/** A switch that makes a request when it is put on or off, with the forms of both beside it. */
export function ActSwitch(given: SwitchDoes): JSX.Element {
  const { label, isOn, on, off, children, done, onDone } = given;
  return (
    <span class="act">
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-label={label}
          onChange={(event) => {
            const action = event.currentTarget.checked ? on : off;
            void act({
              action,
              ...(done === undefined ? {} : { done }),
              ...(onDone === undefined ? {} : { onDone }),
            });
          }}
        />
        {children}
      </label>
      <Code
        title={label}
        actions={[
          ['On', on],
          ['Off', off],
        ]}
      />
    </span>
  );
}
