import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { change, place } from '../lib/address.js';
import { oneLine } from '../lib/format.js';
import type { DataEntry } from '../lib/items.js';
import type { KindSchema, Section } from '../lib/kinds.js';
import { saving } from '../lib/sections.js';
import { Empty, Failed } from '../parts/empty.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { useAsync } from '../parts/use-async.js';
import { DataEntryView } from './data-entry.js';
import { Tree } from './tree.js';

/** How many entries are asked for. */
const MOST = 2000;

/** A value in a cell of a table; those of a list one after the other. */
function cellOf(value: unknown): string {
  return Array.isArray(value) ? value.map(oneLine).join(', ') : oneLine(value);
}

/** One section of the data of a kind: a tree or a table, and the entry that is open. */
export function SectionView({
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
      api<DataEntry[]>(
        `${section.path}?limit=${MOST}${section.isMocks === true || section.items !== undefined ? '' : '&max_body=1000'}`,
        {
          signal,
        },
      ),
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
            action={put === undefined ? undefined : saving(schema, section, put.examples[0] ?? {})}
            command={put === undefined ? schema.command?.line : undefined}
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
        <DataEntryView
          key={selected}
          schema={schema}
          section={section}
          id={selected}
          onChanged={found.again}
        />
      )}
      {isWriting && put !== undefined ? (
        <JsonDialog
          title={`New ${noun}`}
          value={put.examples[0] ?? {}}
          source={{ schema: put.schema, defs: schema.$defs }}
          button="Create"
          action={(body) => saving(schema, section, body)}
          onDone={found.again}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </div>
  );
}
