import type { JSX } from 'preact';
import { isJoined } from '../lib/address.js';
import type { Row } from '../lib/entries.js';
import { durationOf, timeOf } from '../lib/format.js';
import { KindName } from '../parts/mark.js';

/** A row of the timeline. */
export function TimelineRow({ row }: { readonly row: Row }): JSX.Element {
  const flags = [row.unmatched ? 'no match' : '', row.fault ? 'fault' : '', row.aborted ? 'left' : ''];
  const words = flags.filter((flag) => flag !== '');
  return (
    <>
      <span class="at">{timeOf(row.at)}</span>
      {isJoined.value ? <span class="of-space">{row.space}</span> : null}
      <KindName kind={row.protocol} />
      <span class="verb">{row.method}</span>
      <span class="target" title={row.path}>
        {row.path}
      </span>
      <span class="mock">
        {words.map((word) => (
          <span key={word} class={`flag ${word.replace(' ', '-')}`}>
            {word}
          </span>
        ))}
        <span class="matched">{row.mock ?? ''}</span>
      </span>
      <span class="status">{row.status}</span>
      <span
        class={row.delayed > 0 ? 'took delayed' : 'took'}
        title={row.delayed > 0 ? `${durationOf(row.delayed)} of it added on purpose` : undefined}
      >
        {durationOf(row.duration)}
      </span>
    </>
  );
}
