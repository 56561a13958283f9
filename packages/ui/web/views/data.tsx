import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import type { DataEntry } from '../lib/items.js';
import { change, go, place } from '../lib/address.js';
import { oneLine, quoted } from '../lib/format.js';
import { allSchemas, running, type KindSchema, type Section } from '../lib/kinds.js';
import { mergedProperties } from '../lib/schema-at.js';
import { edit } from '../lib/working.js';
import { Act } from '../parts/act.js';
import { AsCode, type Action } from '../parts/as-code.js';
import { Empty, Failed } from '../parts/empty.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { Value } from '../parts/json.js';
import { KindTabs } from '../parts/kind-tabs.js';
import { useAsync } from '../parts/use-async.js';
import { Collections } from './collections.js';
import { Tree } from './tree.js';

const MOST = 2000;
/** The field of an id that is made of other fields, which are given in its place. */
const COMPOSED = 'id';

/** The request that puts an entry into a section. */
function saving({ protocol }: KindSchema, { section, path, isMocks }: Section, body: unknown): Action {
  const value = JSON.stringify(body);
  return isMocks === true
    ? {
        method: 'POST',
        path,
        body,
        cli: `add ${protocol} ${quoted(value)}`,
        ts: `backlot.host.kind('${protocol}').mocks.create(${value})`,
      }
    : {
        method: 'POST',
        path,
        body,
        ts: `await backlot.host.kind('${protocol}').data.put('${section}', ${value})`,
      };
}

function Entry({
  schema,
  section,
  id,
  onChanged,
}: {
  readonly schema: KindSchema;
  readonly section: Section;
  readonly id: string;
  readonly onChanged: () => void;
}): JSX.Element {
  const path = `${section.path}/${encodeURIComponent(id)}`;
  const { value, error, again } = useAsync((signal) => api<DataEntry>(path, { signal }), [path], 3000);
  const [isWriting, setWriting] = useState(false);
  const { put } = section;
  const known = Object.keys(put?.schema.properties ?? {});
  return (
    <section class="detail" aria-label={id}>
      <header class="bar">
        <h2>{id}</h2>
        <span class="space" />
        {put === undefined || value === undefined ? null : (
          <button
            type="button"
            class="primary"
            onClick={() => {
              if (section.isMocks !== true) {
                setWriting(true);
                return;
              }
              edit({ kind: schema.protocol, id, mock: value });
              go('edit');
            }}
          >
            Edit
          </button>
        )}
        {section.remove ? (
          <Act
            class="danger"
            text="Delete"
            action={{
              method: 'DELETE',
              path,
              ...(section.isMocks === true ? { cli: `delete ${schema.protocol} ${quoted(id)}` } : {}),
              ts:
                section.isMocks === true
                  ? `backlot.host.kind('${schema.protocol}').mocks.remove(${JSON.stringify(id)})`
                  : `await backlot.host.kind('${schema.protocol}').data.remove('${section.section}', ${JSON.stringify(id)})`,
            }}
            done={`"${id}" is deleted`}
            onDone={() => {
              change({ id: undefined });
              onChanged();
            }}
          />
        ) : null}
        <button type="button" class="plain" aria-label="Close" onClick={() => change({ id: undefined })}>
          ×
        </button>
      </header>
      {error === undefined ? null : <Failed error={error} />}
      {value === undefined ? null : <Value value={value} />}
      <AsCode action={{ method: 'GET', path }} />
      {isWriting && put !== undefined && value !== undefined ? (
        <JsonDialog
          title={`Edit ${section.noun} ${id}`}
          value={Object.fromEntries(
            Object.entries(value).filter(([name]) => name !== COMPOSED && known.includes(name)),
          )}
          source={{ schema: put.schema, defs: schema.$defs }}
          button="Save"
          action={(body) => saving(schema, section, body)}
          onSend={async (body) => {
            await api(section.path, { body });
            again();
            onChanged();
          }}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </section>
  );
}

/** A value in a cell of a table; those of a list one after the other. */
function cellOf(value: unknown): string {
  return Array.isArray(value) ? value.map(oneLine).join(', ') : oneLine(value);
}

function SectionView({
  schema,
  section,
}: {
  readonly schema: KindSchema;
  readonly section: Section;
}): JSX.Element {
  const [text, setText] = useState('');
  const [isWriting, setWriting] = useState(false);
  const found = useAsync(
    (signal) =>
      api<DataEntry[]>(`${section.path}?limit=${MOST}${section.isMocks === true ? '' : '&max_body=1000'}`, {
        signal,
      }),
    [section.path],
    2000,
  );
  const selected = place.value.params['id'];
  const all = found.value ?? [];
  const wanted = text.toLowerCase();
  const shown =
    wanted === '' ? all : all.filter((entry) => JSON.stringify(entry).toLowerCase().includes(wanted));
  const { put, noun, view } = section;
  const fields = Object.keys(section.schema.properties ?? {}).filter(
    (name) => name !== view?.value && name !== 'value',
  );
  const idOf = (entry: DataEntry): string => oneLine(entry[section.id]);
  return (
    <div class={selected === undefined ? 'columns' : 'columns with-detail'}>
      <section class="list" aria-label={section.section}>
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
            {shown.length}
            {all.length === MOST ? ' of the first 2,000' : ''}
          </span>
          {put === undefined ? null : (
            <button type="button" class="primary" onClick={() => setWriting(true)}>
              New {noun}
            </button>
          )}
        </div>
        {found.error === undefined ? null : <Failed error={found.error} />}
        {found.value !== undefined && all.length === 0 ? (
          <Empty
            command={
              put === undefined
                ? `curl -s localhost:9091${section.path}`
                : `curl -s localhost:9091${section.path} -d ${quoted(JSON.stringify(put.examples[0] ?? {}))}`
            }
          >
            There is no {noun}. {section.summary}
          </Empty>
        ) : view?.as === 'tree' && wanted === '' ? (
          <Tree entries={shown} section={section} selected={selected} onSelect={(id) => change({ id })} />
        ) : (
          <div class="table-box">
            <table class="table">
              <thead>
                <tr>
                  {fields.slice(0, 7).map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {shown.slice(0, 500).map((entry) => (
                  <tr
                    key={idOf(entry)}
                    aria-selected={idOf(entry) === selected}
                    onClick={() => change({ id: idOf(entry) })}
                  >
                    {fields.slice(0, 7).map((name) => (
                      <td key={name}>
                        {name === section.id ? (
                          <button type="button" class="link" onClick={() => change({ id: idOf(entry) })}>
                            {oneLine(entry[name])}
                          </button>
                        ) : (
                          cellOf(entry[name]).slice(0, 120)
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      {selected === undefined ? null : (
        <Entry key={selected} schema={schema} section={section} id={selected} onChanged={found.again} />
      )}
      {isWriting && put !== undefined ? (
        <JsonDialog
          title={`New ${noun}`}
          value={put.examples[0] ?? {}}
          source={{ schema: put.schema, defs: schema.$defs }}
          button="Create"
          action={(body) => saving(schema, section, body)}
          onSend={async (body) => {
            await api(section.path, { body });
            found.again();
          }}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </div>
  );
}

/** A kind whose mocks are things of its own, such as records, with them as a section. */
function withMocks(kind: KindSchema): KindSchema {
  const { protocol, mock, data } = kind;
  const { view, noun, schema } = mock;
  if (view === undefined) return kind;
  const known = mergedProperties({ schema, defs: kind.$defs });
  const columns = ['id', ...view.columns].map((name) => [name, known[name] ?? {}] as const);
  const section: Section = {
    section: view.title,
    noun,
    summary: '',
    path: `/api/mocks/${encodeURIComponent(protocol)}`,
    id: 'id',
    schema: { properties: Object.fromEntries(columns) },
    put: { schema, examples: mock.examples },
    remove: true,
    isMocks: true,
  };
  return { ...kind, data: [section, ...data] };
}

/** What services hold: keys, queues, files, entries of a directory, and the collections of all. */
export function Data(): JSX.Element {
  const { params } = place.value;
  const names = running.value.map(({ protocol }) => protocol).join();
  const { value, error } = useAsync(() => allSchemas(), [names]);
  if (error !== undefined) return <Failed error={error} />;
  if (value === undefined) return <p class="quiet loading">...</p>;
  const kinds = value.map(withMocks).filter(({ data }) => data.length > 0);
  const chosen =
    params['kind'] === undefined ? kinds[0] : kinds.find(({ protocol }) => protocol === params['kind']);
  const section = chosen?.data.find((each) => each.section === params['section']) ?? chosen?.data[0];
  return (
    <div class="view">
      <div class="kinds-line">
        <KindTabs
          kinds={kinds.map(({ protocol }) => ({ kind: protocol }))}
          chosen={chosen?.protocol ?? ''}
          onChoose={(kind) => change({ kind, section: undefined, id: undefined })}
        />
        <button
          type="button"
          class="kind-tab"
          aria-pressed={chosen === undefined}
          onClick={() => change({ kind: 'collections', section: undefined, id: undefined })}
        >
          Collections
        </button>
      </div>
      {chosen === undefined || section === undefined ? (
        <Collections />
      ) : (
        <>
          {chosen.data.length < 2 ? null : (
            <div class="forms pad" role="group" aria-label="Sections">
              {chosen.data.map(({ section: name }) => (
                <button
                  key={name}
                  type="button"
                  class="tab"
                  aria-pressed={name === section.section}
                  onClick={() => change({ section: name, id: undefined })}
                >
                  {name}
                </button>
              ))}
            </div>
          )}
          <SectionView key={section.path} schema={chosen} section={section} />
        </>
      )}
    </div>
  );
}
