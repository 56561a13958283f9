import type { JSX } from 'preact';
import { addressOf } from '../lib/address.js';
import type { Expectation, Verdict } from '../lib/checks.js';
import { KindName } from '../parts/mark.js';

/** The names of an expectation beside that of its kind. */
const BESIDE = new Set(['times', 'name', 'before', 'apart']);
function timesOf({ times }: Expectation): string {
  if (times === undefined) return 'at least once';
  if (times === 0) return 'never';
  if (typeof times === 'number') return times === 1 ? 'once' : `${times} times`;
  const { min, max } = times as { readonly min?: number; readonly max?: number };
  if (max === undefined) return `at least ${min} times`;
  return min === undefined ? `at most ${max} times` : `${min} to ${max} times`;
}

const CHOICES: readonly (readonly [string, unknown])[] = [
  ['at least once', undefined],
  ['once', 1],
  ['2 times', 2],
  ['3 times', 3],
  ['never', 0],
];

function Result({ verdict }: { readonly verdict: Verdict['expectations'][number] }): JSX.Element {
  const { verified, count, problem, ids, nearest = [] } = verdict;
  return (
    <div class="verdict">
      <p class={verified ? 'held' : 'broken'}>
        {verified ? 'Yes' : 'No'}: {problem ?? (count === 1 ? '1 message' : `${count} messages`)}
        {ids.slice(0, 5).map((id) => (
          <>
            {' '}
            <a key={id} href={addressOf('timeline', { entry: id })}>
              entry {id}
            </a>
          </>
        ))}
      </p>
      {nearest.length === 0 ? null : (
        <ul class="nearest">
          {nearest.map(({ id, method, path, reason }) => (
            <li key={id}>
              <a href={addressOf('timeline', { entry: id })}>
                <span class="verb">{method}</span> <span class="target">{path}</span>
              </a>
              <span class="reason">{reason}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** One expectation of a check, with what became of it. */
export function ExpectationItem({
  expectation,
  verdict,
  onEdit,
  onChange,
}: {
  readonly expectation: Expectation;
  readonly verdict: Verdict['expectations'][number] | undefined;
  readonly onEdit: () => void;
  readonly onChange: (next: Expectation | undefined) => void;
}): JSX.Element {
  const kind = Object.keys(expectation).find((name) => !BESIDE.has(name)) ?? '';
  const { times: _times, ...rest } = expectation;
  const words = timesOf(expectation);
  const isListed = CHOICES.some(([word]) => word === words);
  return (
    <li class={verdict === undefined ? 'item' : verdict.verified ? 'item held' : 'item broken'}>
      <header class="bar">
        <KindName kind={kind} />
        <code class="wide">{JSON.stringify(expectation[kind])}</code>
        <select
          aria-label="How often"
          value={words}
          onChange={(event) => {
            const [, times] = CHOICES.find(([word]) => word === event.currentTarget.value) ?? [];
            onChange(times === undefined ? rest : { ...rest, times });
          }}
        >
          {(isListed ? CHOICES : [...CHOICES, [words, expectation['times']] as const]).map(([word]) => (
            <option key={word}>{word}</option>
          ))}
        </select>
        <button type="button" class="small" onClick={onEdit}>
          Edit
        </button>
        <button type="button" class="plain" aria-label="Take it away" onClick={() => onChange(undefined)}>
          ×
        </button>
      </header>
      {verdict === undefined ? null : <Result verdict={verdict} />}
    </li>
  );
}
