import type { ComponentChildren, JSX } from 'preact';

/** A long text as it is. It scrolls when it is longer than the view, so that the keys must reach it. */
export function Code({
  children,
  isHex = false,
}: {
  readonly children: ComponentChildren;
  /** Its lines stay as they are; those of all else are wrapped. */
  readonly isHex?: boolean;
}): JSX.Element {
  return (
    <pre class={isHex ? 'code hex' : 'code'} tabIndex={0}>
      {children}
    </pre>
  );
}
