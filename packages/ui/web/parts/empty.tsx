import type { ComponentChildren, JSX } from 'preact';
import { formsOfAction, type Action } from '../lib/action.js';
import { Copied } from './copied.js';

/** The shortest form of an action that a shell takes. */
function lineOf(action: Action): string {
  const forms = new Map(formsOfAction(action));
  return forms.get('CLI') ?? forms.get('curl') ?? '';
}

/** Says that there is nothing, why, and which command would change that: one that is given, or what an action is for a shell. */
export function Empty({
  children,
  command,
  action,
}: {
  readonly children: ComponentChildren;
  readonly command?: string | undefined;
  readonly action?: Action | undefined;
}): JSX.Element {
  const line = command ?? (action === undefined ? undefined : lineOf(action));
  return (
    <div class="empty">
      <p>{children}</p>
      {line === undefined ? null : <Copied text={line} />}
    </div>
  );
}

/** Says that something could not be had. */
export function Failed({ error }: { readonly error: string }): JSX.Element {
  return (
    <p class="failed" role="alert">
      {error}
    </p>
  );
}
