import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import type { Message } from '../lib/items.js';
import { change, place } from '../lib/address.js';
import { dateOf, oneLine } from '../lib/format.js';
import { allSchemas, refreshProtocols, running, type CaptureView, type KindSchema } from '../lib/kinds.js';
import { Empty, Failed } from '../parts/empty.js';
import { EmptyOfKind } from '../parts/empty-of-kind.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { Act } from '../parts/act.js';
import { KindTabs } from '../parts/kind-tabs.js';
import { useAsync } from '../parts/use-async.js';
import { MailView } from './mail.js';
import { MessageView, publishing } from './message.js';

/** How many are asked for at once. */
const MOST = 500;
/** How much of each is asked for in the list. */
const SHOWN = 2000;

type Captures = NonNullable<KindSchema['captures']>;

/** What a message is called in a list. */
function titleOf(message: Message, view: CaptureView): string {
  const title = oneLine(message[view.title ?? 'id']).trim();
  const text = oneLine(message[view.text ?? view.source ?? 'id']).trim();
  return title === '' || view.title === undefined ? text.slice(0, 200) || '(empty)' : title;
}

interface ListGiven {
  readonly messages: readonly Message[];
  readonly captures: Captures;
  readonly view: CaptureView;
  readonly selected: string | undefined;
}

function MessageList({ messages, captures, view, selected }: ListGiven): JSX.Element {
  return (
    <ul class="cards">
      {[...messages].reverse().map((message) => {
        const id = String(message['id']);
        return (
          <li key={id}>
            <button
              type="button"
              class="card"
              aria-current={id === selected ? 'true' : undefined}
              onClick={() => change({ id })}
            >
              <span class="line">
                <strong>{titleOf(message, view)}</strong>
                <time class="quiet">{dateOf(oneLine(message[captures.time]))}</time>
              </span>
              <span class="quiet target">
                {view.from === undefined
                  ? oneLine(message[view.group ?? 'id'])
                  : `${oneLine(message[view.from])} → ${[message[view.to ?? '']].flat().map(oneLine).join(', ')}`}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Groups({
  messages,
  view,
  chosen,
}: {
  readonly messages: readonly Message[];
  readonly view: CaptureView;
  readonly chosen: string | undefined;
}): JSX.Element | null {
  const { group } = view;
  if (group === undefined) return null;
  const counts = new Map<string, number>();
  for (const message of messages) {
    const name = oneLine(message[group]);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  return (
    <div class="groups" role="group" aria-label={`By ${group}`}>
      {[...counts]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={chosen === name}
            onClick={() => change({ group: chosen === name ? undefined : name, id: undefined })}
          >
            {name === '' ? '(none)' : name} <span class="count">{count}</span>
          </button>
        ))}
    </div>
  );
}

function Kind({ schema }: { readonly schema: KindSchema }): JSX.Element {
  const { params } = place.value;
  const { captures, publish, protocol } = schema;
  const [text, setText] = useState('');
  const [isWriting, setWriting] = useState(false);
  const found = useAsync(
    (signal) =>
      captures === undefined
        ? Promise.resolve([])
        : api<Message[]>(`${captures.path}?max_body=${SHOWN}`, { signal }),
    [protocol],
    2000,
  );
  const view = captures?.view ?? { as: 'list' };
  const all = found.value ?? [];
  const wanted = text.toLowerCase();
  const chosen = params['group'];
  const fitting = all.filter(
    (message) =>
      (chosen === undefined || view.group === undefined || oneLine(message[view.group]) === chosen) &&
      (wanted === '' || JSON.stringify(message).toLowerCase().includes(wanted)),
  );
  const selected = params['id'];
  const [example = {}] = publish?.examples ?? [];
  return (
    <>
      <div class={selected === undefined ? 'columns' : 'columns with-detail'}>
        <section class="list" aria-label="Messages">
          <div class="bar">
            <input
              type="search"
              id="filter-q"
              class="wide"
              placeholder="Search (/)"
              aria-label="Search"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <span class="quiet counted">
              {fitting.length === all.length ? all.length : `${fitting.length} of ${all.length}`}
            </span>
            {publish === undefined ? null : (
              <button type="button" class="primary" onClick={() => setWriting(true)}>
                Publish
              </button>
            )}
            {captures === undefined ? null : (
              <Act
                text="Clear"
                action={{ method: 'DELETE', path: captures.path, cli: `messages clear ${protocol}` }}
                onDone={found.again}
              />
            )}
          </div>
          <Groups messages={all} view={view} chosen={chosen} />
          {found.error === undefined ? null : <Failed error={found.error} />}
          {captures === undefined ? (
            <p class="quiet pad">
              What clients of {schema.title} send is in the timeline; it is not captured.
            </p>
          ) : all.length === 0 && found.value !== undefined ? (
            <EmptyOfKind kind={protocol}>No message has come yet.</EmptyOfKind>
          ) : (
            <MessageList
              messages={fitting.slice(-MOST)}
              captures={captures}
              view={view}
              selected={selected}
            />
          )}
          {fitting.length > MOST ? (
            <p class="quiet pad">{fitting.length - MOST} older ones are not shown; search for them.</p>
          ) : null}
        </section>
        {selected === undefined || captures === undefined ? null : view.as === 'mail' ? (
          <MailView key={selected} captures={captures} id={selected} />
        ) : (
          <MessageView key={selected} schema={schema} captures={captures} id={selected} />
        )}
      </div>
      {isWriting && publish !== undefined ? (
        <JsonDialog
          title={publish.summary}
          value={example}
          source={{ schema: publish.schema, defs: schema.$defs }}
          button="Publish"
          action={(body) => publishing(protocol, publish.path, body)}
          onDone={found.again}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </>
  );
}

/** Messages that were captured, and publishing. */
export function Messages(): JSX.Element {
  const names = running.value.map(({ protocol }) => protocol).join();
  const { value, error } = useAsync(() => allSchemas(), [names]);
  useEffect(() => {
    const timer = setInterval(() => void refreshProtocols().catch(() => undefined), 3000);
    return () => clearInterval(timer);
  }, []);
  if (error !== undefined) return <Failed error={error} />;
  if (value === undefined) return <p class="quiet loading">...</p>;
  const kinds = value.filter(({ captures, publish }) => captures !== undefined || publish !== undefined);
  const counts = new Map(running.value.map(({ protocol, messages }) => [protocol, messages]));
  const most = [...kinds].sort((a, b) => (counts.get(b.protocol) ?? 0) - (counts.get(a.protocol) ?? 0))[0];
  const chosen = kinds.find(({ protocol }) => protocol === place.value.params['kind']) ?? most;
  if (chosen === undefined)
    return <Empty command="npx backlot plugins">No protocol that runs keeps messages.</Empty>;
  return (
    <div class="view">
      <KindTabs
        kinds={kinds.map(({ protocol }) => {
          const count = counts.get(protocol);
          return count === undefined ? { kind: protocol } : { kind: protocol, count };
        })}
        chosen={chosen.protocol}
        onChoose={(kind) => change({ kind, id: undefined, group: undefined })}
      />
      <Kind key={chosen.protocol} schema={chosen} />
    </div>
  );
}
