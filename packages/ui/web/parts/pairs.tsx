import type { JSX } from 'preact';
import { oneLine } from '../lib/format.js';

/** Names and values, such as headers. */
export function Pairs({
  values,
}: {
  readonly values: Readonly<Record<string, unknown>> | undefined;
}): JSX.Element | null {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return null;
  return (
    <dl class="pairs">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{oneLine(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
