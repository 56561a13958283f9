import type { JSX } from 'preact';
import { addressOf } from '../lib/address.js';
import { protocols, type Upstream } from '../lib/kinds.js';
import { UPSTREAM_MODES } from '../lib/upstream-modes.js';

/** How many unused recordings are named. */
const NAMED = 20;

/** What became of the messages, in words: what has not happened is left out. */
function wordsOf({ passed, recorded, replayed, compared, differing }: Upstream): string {
  const words = [
    passed > 0 ? `${passed} passed` : '',
    recorded > 0 ? `${recorded} recorded` : '',
    replayed > 0 ? `${replayed} replayed` : '',
    compared > 0 ? `${differing} of ${compared} compared differ` : '',
  ];
  return words.filter((each) => each !== '').join(', ');
}

/** Where a kind leads, what is asked there, and what became of the messages. */
export function UpstreamOf({
  kind,
  recordings,
  unused,
}: {
  readonly kind: string;
  /** The ids of recordings, and those that nobody has used. */
  readonly recordings: readonly string[];
  readonly unused: readonly string[];
}): JSX.Element | null {
  const upstream = protocols.value.find(({ protocol }) => protocol === kind)?.upstream;
  if (upstream === undefined) return null;
  const { url, mode, missed } = upstream;
  const words = wordsOf(upstream);
  const used = recordings.length - unused.length;
  return (
    <section class="upstream" aria-label="Upstream">
      <p class="quiet">
        Upstream{' '}
        {url === undefined && mode === 'replay' ? null : (
          <>
            <code>{url ?? 'the host that each request names'}</code>,{' '}
          </>
        )}
        mode <code>{mode}</code>: {UPSTREAM_MODES[mode]}
      </p>
      <p>
        {words === '' && missed === 0 ? <span class="quiet">Nothing was counted yet.</span> : null}
        {words}
        {missed === 0 ? null : (
          <>
            {words === '' ? '' : ', '}
            <a class="missed" href={addressOf('timeline', { protocol: kind, unmatched: '1' })}>
              {missed} missed
            </a>
          </>
        )}
      </p>
      {recordings.length === 0 ? null : unused.length === 0 ? (
        <p>
          {recordings.length === 1
            ? 'The recording was used.'
            : `All of the ${recordings.length} recordings were used.`}
        </p>
      ) : (
        <details>
          <summary>
            {used} of {recordings.length} {recordings.length === 1 ? 'recording' : 'recordings'}{' '}
            {used === 1 ? 'was' : 'were'} used
          </summary>
          <p class="quiet">Nobody has used these:</p>
          <ul class="notes">
            {unused.slice(0, NAMED).map((id) => (
              <li key={id}>
                <a href={addressOf('mocks', { kind, id })}>{id}</a>
              </li>
            ))}
          </ul>
          {unused.length > NAMED ? <p class="quiet">and {unused.length - NAMED} more</p> : null}
        </details>
      )}
    </section>
  );
}
