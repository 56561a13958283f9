import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { messageSchemas } from '../lib/checks.js';
import { oneLine } from '../lib/format.js';
import { allSchemas, running, type KindSchema, type Schema } from '../lib/kinds.js';
import type { SchemaSource } from '../lib/schema-at.js';
import { Act, ActSwitch } from '../parts/act.js';
import { AsCode } from '../parts/as-code.js';
import type { Action } from '../lib/action.js';
import { Empty, Failed } from '../parts/empty.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { KindName } from '../parts/mark.js';
import { useAsync } from '../parts/use-async.js';

type Fields = Readonly<Record<string, unknown>>;

interface Reaction {
  readonly id: string;
  readonly description?: string;
  readonly on: Fields;
  readonly do: readonly Fields[];
  readonly times?: number;
  readonly enabled?: boolean;
  readonly runs: number;
  readonly last_error?: string;
}

const ALL = '/api/reactions';
const text = (description: string): Schema => ({ type: 'string', description });
const object = (description: string, properties: Readonly<Record<string, Schema>> = {}): Schema => ({
  type: 'object',
  description,
  properties,
});

/** What a reaction may hold, with the messages of the kinds that run. */
function sourceOf(kinds: readonly KindSchema[]): SchemaSource {
  const on = messageSchemas(kinds, {
    connection: object('A client connection.', {
      protocol: text('Whose.'),
      event: text('`opened`, `closed`.'),
    }),
    state: object('A key of the state that is set or deleted.', {
      key: text('Which.'),
      value: text('To what.'),
    }),
    fault: text('The protocol whose fault is set, changed or cleared.'),
    webhook: object('An attempt to send a webhook that has ended.', {
      mock: text('Of which mock.'),
      url: text('To where.'),
      status: text('With which status.'),
    }),
    every: text('Again and again, such as `5s`.'),
    at: text('A time such as `2030-01-31T12:00:00Z`.'),
    cron: text('Five fields as crontab has them, in UTC.'),
  });
  const actions = Object.fromEntries(
    kinds.map(({ protocol, publish }) => [protocol, publish?.schema ?? object('What it sends.')] as const),
  );
  return {
    defs: on.defs,
    schema: object('', {
      id: text('Its id; made up when absent.'),
      description: text('What it is for.'),
      on: on.schema,
      do: {
        type: 'array',
        items: object('', {
          after: text('How long it waits, such as `200ms`.'),
          ...actions,
          state: object('Keys of the state; `null` deletes one.'),
          scenario: object('Switches a scenario.', {
            activate: text('The id of the scenario.'),
            deactivate: text('The id of the scenario.'),
          }),
          fault: object('Sets the faults of protocols; `null` clears one.'),
        }),
      },
      times: { type: 'integer', description: 'After so many times it does nothing more.' },
      enabled: { type: 'boolean', description: 'False: it does nothing.' },
    }),
  };
}

/** A trigger or an action: by the name of a kind where it is of one, and what it says. */
function Part({ fields }: { readonly fields: Fields }): JSX.Element {
  const { after, ...rest } = fields;
  return (
    <span class="part">
      {Object.entries(rest).map(([name, value]) => (
        <span key={name} class="part">
          {running.value.some(({ protocol }) => protocol === name) ? (
            <KindName kind={name} />
          ) : (
            <span class="word">{name}</span>
          )}
          <code title={oneLine(value)}>{oneLine(value)}</code>
        </span>
      ))}
      {after === undefined ? null : <span class="quiet">after {oneLine(after)}</span>}
    </span>
  );
}

function ReactionItem({
  reaction,
  source,
  onChanged,
}: {
  readonly reaction: Reaction;
  readonly source: SchemaSource;
  readonly onChanged: () => void;
}): JSX.Element {
  const { id, description, on, do: actions, runs, last_error: failure, times, enabled = true } = reaction;
  const { runs: _runs, last_error: _failure, ...given } = reaction;
  const [isWriting, setWriting] = useState(false);
  const path = `${ALL}/${encodeURIComponent(id)}`;
  const replacing = (body: unknown): Action => ({
    method: 'PUT',
    path,
    body,
    ts: `await backlot.host.reactions.replace(${JSON.stringify(id)}, ${JSON.stringify(body)})`,
  });
  return (
    <li class={enabled ? 'item' : 'item off'}>
      <header class="bar">
        <ActSwitch
          label={`Reaction ${id}`}
          isOn={enabled}
          on={replacing({ ...given, enabled: true })}
          off={replacing({ ...given, enabled: false })}
          onDone={onChanged}
        >
          <strong class="target">{id}</strong>
        </ActSwitch>
        {description === undefined ? null : <span class="quiet">{description}</span>}
        <span class="space" />
        <span class={runs > 0 ? 'fired' : 'fired quiet'}>
          {runs === 0 ? 'never fired' : `fired ${runs === 1 ? 'once' : `${runs} times`}`}
          {times === undefined ? '' : ` of ${times}`}
        </span>
        <button type="button" class="small" onClick={() => setWriting(true)}>
          Edit
        </button>
        <Act
          class="small danger"
          text="Delete"
          label={`Delete ${id}`}
          action={{
            method: 'DELETE',
            path,
            ts: `backlot.host.reactions.remove(${JSON.stringify(id)})`,
          }}
          onDone={onChanged}
        />
      </header>
      <dl class="causes">
        <div>
          <dt>When</dt>
          <dd>
            <Part fields={on} />
          </dd>
        </div>
        <div>
          <dt>Then</dt>
          <dd>
            {actions.map((action, index) => (
              <Part key={index} fields={action} />
            ))}
          </dd>
        </div>
      </dl>
      {failure === undefined ? null : <Failed error={failure} />}
      {isWriting ? (
        <JsonDialog
          title={`Reaction ${id}`}
          value={given}
          source={source}
          button="Replace"
          action={replacing}
          onDone={onChanged}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </li>
  );
}

function creating(body: unknown): Action {
  const ts = `await backlot.host.reactions.create(${JSON.stringify(body)})`;
  return { method: 'POST', path: ALL, body, ts };
}

/** What causes what, over all protocols, and how often it did. */
export function Reactions(): JSX.Element {
  const names = running.value.map(({ protocol }) => protocol).join();
  const schemas = useAsync(() => allSchemas(), [names]);
  const list = useAsync((signal) => api<Reaction[]>(ALL, { signal }), [], 1000);
  const [isWriting, setWriting] = useState(false);
  const failed = schemas.error ?? list.error;
  if (failed !== undefined) return <Failed error={failed} />;
  if (list.value === undefined || schemas.value === undefined) return <p class="quiet loading">...</p>;
  const source = sourceOf(schemas.value);
  const first = running.value[0]?.protocol;
  const example = {
    id: 'night',
    on: first === undefined ? { every: '5s' } : { [first]: { unmatched: true } },
    do: [{ state: { mode: 'night' } }],
  };
  return (
    <div class="view scroll">
      <section>
        <header class="bar">
          <h2>Reactions</h2>
          <span class="space" />
          <button type="button" class="primary" onClick={() => setWriting(true)}>
            New reaction
          </button>
        </header>
        {list.value.length === 0 ? (
          <Empty action={creating(example)}>
            Nothing causes anything yet. A reaction says what follows from what: from a message, a change of
            the state, a time. They stand under `reactions` in the configuration, or are made here.
          </Empty>
        ) : (
          <ul class="items">
            {list.value.map((reaction) => (
              <ReactionItem key={reaction.id} reaction={reaction} source={source} onChanged={list.again} />
            ))}
          </ul>
        )}
        <AsCode action={{ method: 'GET', path: ALL, ts: 'backlot.host.reactions.list()' }} />
      </section>
      {isWriting ? (
        <JsonDialog
          title="New reaction"
          value={example}
          source={source}
          button="Create"
          action={creating}
          onDone={list.again}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </div>
  );
}
