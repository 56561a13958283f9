import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { change, go } from '../lib/address.js';
import { oneLine } from '../lib/format.js';
import type { DataEntry } from '../lib/items.js';
import type { KindSchema, Section } from '../lib/kinds.js';
import { mergedProperties } from '../lib/schema-at.js';
import { removing, saving } from '../lib/sections.js';
import { edit } from '../lib/working.js';
import { Act } from '../parts/act.js';
import { AsCode } from '../parts/as-code.js';
import { Failed } from '../parts/empty.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { Value } from '../parts/json.js';
import { useAsync } from '../parts/use-async.js';

/** The field of an id that is made of other fields, which are given in its place. */
const COMPOSED = 'id';

/** One of the items of a list, which has them whole. @throws Error when it has none of this id */
async function oneOf(
  { path, noun, id: field }: Section,
  id: string,
  signal: AbortSignal,
): Promise<DataEntry> {
  const found = (await api<DataEntry[]>(path, { signal })).find((entry) => oneLine(entry[field]) === id);
  if (found === undefined) throw new Error(`there is no ${noun} "${id}"`);
  return found;
}

/** One entry of a section: what it holds, and what can be done with it. */
export function DataEntryView({
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
  const { value, error, again } = useAsync(
    (signal) => (section.items === undefined ? api<DataEntry>(path, { signal }) : oneOf(section, id, signal)),
    [path],
    3000,
  );
  const [isWriting, setWriting] = useState(false);
  const { put } = section;
  const known = Object.keys(
    put === undefined ? {} : mergedProperties({ schema: put.schema, defs: schema.$defs }),
  );
  return (
    <section class="detail" aria-label={id}>
      <header class="bar">
        <h2>{id}</h2>
        <span class="space" />
        {put === undefined || value === undefined || section.items?.replace === false ? null : (
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
            action={removing(schema, section, id)}
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
      <AsCode action={{ method: 'GET', path: section.items === undefined ? path : section.path }} />
      {isWriting && put !== undefined && value !== undefined ? (
        <JsonDialog
          title={`Edit ${section.noun} ${id}`}
          value={Object.fromEntries(
            Object.entries(value).filter(([name]) => name !== COMPOSED && known.includes(name)),
          )}
          source={{ schema: put.schema, defs: schema.$defs }}
          button="Save"
          action={(body) => saving(schema, section, body, id)}
          onDone={() => {
            again();
            onChanged();
          }}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </section>
  );
}
