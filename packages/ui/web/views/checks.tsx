import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../lib/action.js';
import { addressOf } from '../lib/address.js';
import { api } from '../lib/api.js';
import { check, messageSchemas, type Check, type Expectation, type Verdict } from '../lib/checks.js';
import { quoted } from '../lib/format.js';
import { allSchemas, running } from '../lib/kinds.js';
import { AsCode } from '../parts/as-code.js';
import { Empty, Failed } from '../parts/empty.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { useAsync } from '../parts/use-async.js';
import { ExpectationItem } from './expectation.js';

const EXAMPLE: Expectation = { times: 1 };

/** The request that says whether a check holds. */
function verifying(body: Check): Action {
  return {
    method: 'POST',
    path: '/api/verify',
    body,
    cli: `verify ${quoted(JSON.stringify(body))}`,
    ts: `await backlot.host.verify(${JSON.stringify(body)})`,
  };
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
      setVerdict(await api<Verdict>('/api/verify', { question: value }));
      setError(undefined);
    } catch (thrown) {
      setVerdict(undefined);
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    } finally {
      setRunning(false);
    }
  };
  const first: Expectation = { [running.value[0]?.protocol ?? '']: {}, ...EXAMPLE };
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
          <Empty action={verifying({ expect: [first] })}>
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
        {expect.length === 0 ? null : <AsCode action={verifying(value)} />}
      </section>
      {editing === undefined ? null : (
        <JsonDialog
          title={editing < expect.length ? 'Expectation' : 'New expectation'}
          value={expect[editing] ?? first}
          source={source}
          button="Keep"
          action={(next) => verifying({ expect: [next as Expectation] })}
          // Looked at by the server, which says what is wrong with it.
          onDone={(next) => {
            if (editing < expect.length) replace(editing, next as Expectation);
            else set({ ...value, expect: [...expect, next as Expectation] });
          }}
          onClose={() => setEditing(undefined)}
        />
      )}
    </div>
  );
}
