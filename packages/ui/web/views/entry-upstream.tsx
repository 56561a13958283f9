import type { JSX } from 'preact';
import { addressOf } from '../lib/address.js';
import type { Entry } from '../lib/entries.js';

function Texts({ title, texts }: { readonly title: string; readonly texts: readonly string[] }): JSX.Element {
  return (
    <>
      <p>{title}</p>
      <ul class="notes">
        {texts.map((text) => (
          <li key={text}>
            <code>{text}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

/** What the upstream has to do with an entry. */
export function EntryUpstream({
  entry,
  isElsewhere = false,
}: {
  readonly entry: Entry;
  /** Whether its mocks are those of another server. */
  readonly isElsewhere?: boolean;
}): JSX.Element | null {
  const { protocol, upstream } = entry;
  if (upstream === undefined) return null;
  const { answered, recorded_id: recorded, patterns = [], differences } = upstream;
  return (
    <section aria-label="Upstream">
      <h3>Upstream</h3>
      {answered === true ? <p>The answer is that of the upstream.</p> : null}
      {recorded === undefined ? null : (
        <p>
          It was recorded as{' '}
          {isElsewhere ? (
            <code>{recorded}</code>
          ) : (
            <a href={addressOf('mocks', { kind: protocol, id: recorded })}>{recorded}</a>
          )}
          .
        </p>
      )}
      {patterns.length === 0 ? null : <Texts title="What became a pattern in it:" texts={patterns} />}
      {differences === undefined ? null : differences.length === 0 ? (
        <p>The upstream answers as the mock does.</p>
      ) : (
        <Texts title="Where the upstream answers otherwise than the mock:" texts={differences} />
      )}
    </section>
  );
}
