import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf } from '../lib/address.js';
import { api } from '../lib/api.js';
import { check, messageSchemas, type Check, type Expectation, type Verdict } from '../lib/checks.js';
import { quoted } from '../lib/format.js';
import { allSchemas, running } from '../lib/kinds.js';
import { AsCode } from '../parts/as-code.js';
import { Empty, Failed } from '../parts/empty.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { KindName } from '../parts/mark.js';
import { useAsync } from '../parts/use-async.js';

/** The names of an expectation beside that of its kind. */
const BESIDE = new Set(['times', 'name', 'before', 'apart']);
const EXAMPLE: Expectation = { times: 1 };

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

function ExpectationItem({
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

/** What has to have happened: expectations taken from the timeline or written, and whether they hold. */
export function Checks(): JSX.Element {
  const names = running.value.map(({ protocol }) => protocol).join();
  const schemas = useAsync(() => allSchemas(), [names]);
  const [verdict, setVerdict] = useState<Verdict>();
  const [error, setError] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const [editing, setEditing] = useState<number>();
  const { value } = check;
  const { expect } = value;
  const set = (next: Check): void => {
    check.value = next;
    setVerdict(undefined);
    setError(undefined);
  };
  const replace = (at: number, next: Expectation | undefined): void =>
    set({
      ...value,
      expect: expect.flatMap((each, index) => (index === at ? (next === undefined ? [] : [next]) : [each])),
    });
  const run = async (): Promise<void> => {
    setRunning(true);
    try {
      setVerdict(await api<Verdict>('/api/verify', { body: value }));
      setError(undefined);
    } catch (thrown) {
      setVerdict(undefined);
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    } finally {
      setRunning(false);
    }
  };
  const source = messageSchemas(schemas.value ?? [], {
    times: { type: 'integer', description: 'How many: exactly so many, or {"min": 1, "max": 3}.' },
    name: { type: 'string', description: 'What others call it.' },
    before: { type: 'string', description: 'The name of an expectation whose messages all come later.' },
    apart: { type: 'object', description: 'How far apart messages are.' },
  });
  return (
    <div class="view scroll">
      <section>
        <h2>What has to have happened</h2>
        {expect.length === 0 ? (
          <Empty>
            Nothing is expected yet. Open an entry of the <a href={addressOf('timeline')}>timeline</a> and
            press “Expect this”, or write an expectation.
          </Empty>
        ) : (
          <ol class="items">
            {expect.map((expectation, index) => (
              <ExpectationItem
                key={index}
                expectation={expectation}
                verdict={verdict?.expectations[index]}
                onEdit={() => setEditing(index)}
                onChange={(next) => replace(index, next)}
              />
            ))}
          </ol>
        )}
        <div class="bar controls">
          <button
            type="button"
            class="primary"
            disabled={expect.length === 0 || isRunning}
            onClick={() => void run()}
          >
            {isRunning ? 'Waiting ...' : 'Verify'}
          </button>
          <label class="bar">
            <input
              type="checkbox"
              checked={value.order === 'strict'}
              onChange={(event) => {
                const { order: _order, ...rest } = value;
                set(event.currentTarget.checked ? { ...rest, order: 'strict' } : rest);
              }}
            />
            in this order
          </label>
          <label class="bar">
            within
            <input
              type="text"
              class="short"
              placeholder="now"
              value={value.within ?? ''}
              onInput={(event) => {
                const { within: _within, ...rest } = value;
                const within = event.currentTarget.value;
                set(within === '' ? rest : { ...rest, within });
              }}
            />
          </label>
          <button type="button" onClick={() => setEditing(expect.length)}>
            Write an expectation
          </button>
          {expect.length === 0 ? null : (
            <button type="button" onClick={() => set({ expect: [] })}>
              Expect nothing
            </button>
          )}
        </div>
        {error === undefined ? null : <Failed error={error} />}
        {verdict === undefined ? null : (
          <p class={verdict.verified ? 'outcome held' : 'outcome broken'} role="status">
            <strong>{verdict.verified ? 'It holds.' : 'It does not hold.'}</strong> {verdict.looked_at}{' '}
            {verdict.looked_at === 1 ? 'message was' : 'messages were'} looked at
            {verdict.unexpected_count === undefined ? '' : `, ${verdict.unexpected_count} were not expected`}.
          </p>
        )}
        {expect.length === 0 ? null : (
          <AsCode
            action={{
              method: 'POST',
              path: '/api/verify',
              body: value,
              cli: `verify ${quoted(JSON.stringify(value))}`,
              ts: `await backlot.host.verify(${JSON.stringify(value)})`,
            }}
          />
        )}
      </section>
      {editing === undefined ? null : (
        <JsonDialog
          title={editing < expect.length ? 'Expectation' : 'New expectation'}
          value={expect[editing] ?? { [running.value[0]?.protocol ?? '']: {}, ...EXAMPLE }}
          source={source}
          button="Keep"
          action={(next) => ({ method: 'POST', path: '/api/verify', body: { expect: [next] } })}
          onSend={async (next) => {
            // Looked at by the server, which says what is wrong with it.
            await api('/api/verify', { body: { expect: [next] } });
            if (editing < expect.length) replace(editing, next as Expectation);
            else set({ ...value, expect: [...expect, next as Expectation] });
          }}
          onClose={() => setEditing(undefined)}
        />
      )}
    </div>
  );
}
