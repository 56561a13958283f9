import type { ComponentChildren, JSX } from 'preact';
import { Copied } from './copied.js';

/** Says that there is nothing, why, and which command would change that. */
export function Empty({
  children,
  command,
}: {
  readonly children: ComponentChildren;
  readonly command?: string;
}): JSX.Element {
  return (
    <div class="empty">
      <p>{children}</p>
      {command === undefined ? null : <Copied text={command} />}
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
