import type { ComponentChildren, JSX } from 'preact';
import { schemaOf } from '../lib/kinds.js';
import { Empty } from './empty.js';
import { useAsync } from './use-async.js';

/** Says that nothing has come, and which command sends something of a kind; where there is none, the one that says where all listen. */
export function EmptyOfKind({
  kind,
  children,
}: {
  readonly kind: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { value, error } = useAsync(() => schemaOf(kind), [kind]);
  const isKnown = value !== undefined || error !== undefined;
  return (
    <Empty command={isKnown ? (value?.command?.line ?? 'npx backlot status') : undefined}>{children}</Empty>
  );
}
