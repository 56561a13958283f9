import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { space } from '../lib/address.js';
import { api } from '../lib/api.js';
import { timeOf } from '../lib/format.js';
import { allSchemas, running, type KindSchema } from '../lib/kinds.js';
import { formsOf } from '../lib/schema-at.js';
import { AsCode } from '../parts/as-code.js';
import { Empty, Failed } from '../parts/empty.js';
import { KindName } from '../parts/mark.js';
import { attempt } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';

interface Toxic {
  readonly name?: string;
  readonly type: string;
  readonly stream?: string;
  readonly toxicity?: number;
  readonly attributes?: Readonly<Record<string, number>>;
  readonly client?: string;
  readonly ttl?: string;
  readonly expires_at?: string;
}

/** A toxic of a kind: one that is set, or one that is switched off and kept by this page. */
interface Kept {
  readonly key: string;
  readonly kind: string;
  readonly space: string;
  readonly toxic: Toxic;
}

const PERCENT = 100;
/** After which times a toxic may end; the first is none. */
const TIMES = ['', '10s', '30s', '1m', '5m', '1h'];

const kept = signal<readonly Kept[]>([]);

function nameOf({ name, type, stream = 'downstream' }: Toxic): string {
  return name ?? `${type}_${stream}`;
}

function keyOf(kind: string, toxic: Toxic): string {
  return `${kind} ${nameOf(toxic)}`;
}

function keep(kind: string, toxic: Toxic): void {
  const key = keyOf(kind, toxic);
  const others = kept.value.filter((each) => each.key !== key || each.space !== space.value);
  kept.value = [...others, { key, kind, space: space.value, toxic }];
}

function forget(key: string): void {
  kept.value = kept.value.filter((each) => each.key !== key || each.space !== space.value);
}

function ToxicLever({
  schema,
  toxic,
  isOn,
  onChanged,
}: {
  readonly schema: KindSchema;
  readonly toxic: Toxic;
  readonly isOn: boolean;
  readonly onChanged: () => void;
}): JSX.Element {
  const { protocol: kind, title, toxics, $defs: defs } = schema;
  const name = nameOf(toxic);
  const label = `${name} of ${title}`;
  const path = `/api/toxics/${encodeURIComponent(kind)}`;
  const one = `${path}/${encodeURIComponent(name)}`;
  const type = toxics.find((each) => each.type === toxic.type);
  const fields =
    type === undefined
      ? []
      : formsOf({ schema: type.schema, defs }).flatMap(({ properties = {} }) => Object.entries(properties));
  const { expires_at: ends, ...body } = toxic;
  const change = (next: Toxic): void => {
    if (!isOn) keep(kind, { ...next, name });
    else void attempt(() => api(one, { method: 'PUT', body: next }).then(onChanged));
  };
  const set = (on: boolean): void =>
    void attempt(async () => {
      if (on) {
        await api(path, { body: { ...body, name } });
        forget(keyOf(kind, toxic));
      } else {
        keep(kind, { ...body, name });
        await api(one, { method: 'DELETE' });
      }
      onChanged();
    });
  return (
    <li class={isOn ? 'lever on' : 'lever'}>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-label={label}
          onChange={(event) => set(event.currentTarget.checked)}
        />
        <KindName kind={kind} />
      </label>
      <span class="what" title={type?.summary}>
        <strong class="target">{toxic.type}</strong>{' '}
        <span class="quiet">
          {toxic.stream === 'upstream' ? 'from clients' : 'to clients'}
          {toxic.client === undefined ? '' : `, ${toxic.client} alone`}
          {name === `${toxic.type}_${toxic.stream ?? 'downstream'}` ? '' : `, ${name}`}
        </span>
      </span>
      <span class="attributes">
        {fields.map(([field, { description, minimum = 0, default: byDefault = 0 }]) => (
          <label key={field} title={description}>
            {field}{' '}
            <input
              type="number"
              class="short"
              min={minimum}
              step="any"
              aria-label={`${field} of ${label}`}
              value={toxic.attributes?.[field] ?? Number(byDefault)}
              onChange={(event) => {
                const value = event.currentTarget.valueAsNumber;
                if (Number.isFinite(value))
                  change({ ...body, attributes: { ...toxic.attributes, [field]: value } });
              }}
            />
          </label>
        ))}
        {fields.length === 0 ? <span class="quiet">{type?.summary}</span> : null}
      </span>
      <label class="slider" title="How likely it acts">
        <input
          type="range"
          min="0"
          max="100"
          step="5"
          value={Math.round((toxic.toxicity ?? 1) * PERCENT)}
          aria-label={`How likely ${label} acts, in percent`}
          onChange={(event) => change({ ...body, toxicity: event.currentTarget.valueAsNumber / PERCENT })}
        />
        <span class="count">{Math.round((toxic.toxicity ?? 1) * PERCENT)} %</span>
      </label>
      <label class="until">
        <select
          aria-label={`When ${label} ends`}
          value={toxic.ttl ?? ''}
          onChange={(event) => {
            const { ttl: _ttl, ...rest } = body;
            const ttl = event.currentTarget.value;
            change(ttl === '' ? rest : { ...rest, ttl });
          }}
        >
          {(toxic.ttl === undefined || TIMES.includes(toxic.ttl) ? TIMES : [...TIMES, toxic.ttl]).map(
            (time) => (
              <option key={time} value={time}>
                {time === '' ? 'until switched off' : `for ${time}`}
              </option>
            ),
          )}
        </select>
        {isOn && ends !== undefined ? (
          <span class="count">until {timeOf(Date.parse(ends)).slice(0, 8)}</span>
        ) : null}
      </label>
      {isOn ? (
        <AsCode action={{ method: 'DELETE', path: one }} />
      ) : (
        <span class="actions">
          <AsCode action={{ method: 'POST', path, body: { ...body, name } }} />
          <button
            type="button"
            class="plain"
            aria-label={`Forget ${label}`}
            onClick={() => forget(keyOf(kind, toxic))}
          >
            ×
          </button>
        </span>
      )}
    </li>
  );
}

/** Makes a toxic of a kind and a type, which is switched on then. */
function NewToxic({ schemas }: { readonly schemas: readonly KindSchema[] }): JSX.Element | null {
  const [kind, setKind] = useState('');
  const [type, setType] = useState('');
  const [stream, setStream] = useState('downstream');
  const chosen = schemas.find(({ protocol }) => protocol === kind) ?? schemas[0];
  if (chosen === undefined) return null;
  const known = chosen.toxics.find((each) => each.type === type) ?? chosen.toxics[0];
  if (known === undefined) return null;
  return (
    <form
      class="bar"
      onSubmit={(event) => {
        event.preventDefault();
        const needed = known.schema.required ?? [];
        const attributes = Object.fromEntries(
          needed.map((name) => [name, known.schema.properties?.[name]?.minimum ?? 1] as const),
        );
        keep(chosen.protocol, { type: known.type, stream, ...(needed.length === 0 ? {} : { attributes }) });
      }}
    >
      <select
        aria-label="Protocol of the toxic"
        value={chosen.protocol}
        onChange={(event) => setKind(event.currentTarget.value)}
      >
        {schemas.map(({ protocol, title }) => (
          <option key={protocol} value={protocol}>
            {title}
          </option>
        ))}
      </select>
      <select
        aria-label="Type of the toxic"
        value={known.type}
        onChange={(event) => setType(event.currentTarget.value)}
      >
        {chosen.toxics.map((each) => (
          <option key={each.type} value={each.type}>
            {each.type}
          </option>
        ))}
      </select>
      <select
        aria-label="Direction of the toxic"
        value={stream}
        onChange={(event) => setStream(event.currentTarget.value)}
      >
        <option value="downstream">to clients</option>
        <option value="upstream">from clients</option>
      </select>
      <button type="submit">Add</button>
      <span class="quiet">{known.summary}</span>
    </form>
  );
}

/** What a bad network does: toxics as switches. */
export function Toxics(): JSX.Element {
  const names = running.value.map(({ protocol }) => protocol).join();
  const schemas = useAsync(() => allSchemas(), [names]);
  const set = useAsync(
    (stop) => api<Readonly<Record<string, readonly Toxic[]>>>('/api/toxics', { signal: stop }),
    [],
    1000,
  );
  const failed = schemas.error ?? set.error;
  if (failed !== undefined) return <Failed error={failed} />;
  if (schemas.value === undefined || set.value === undefined) return <p class="quiet loading">...</p>;
  const { value } = set;
  const shown = schemas.value.flatMap((schema) => {
    const on = (value[schema.protocol] ?? []).map((toxic) => ({ schema, toxic, isOn: true }));
    const keys = new Set(on.map(({ toxic }) => keyOf(schema.protocol, toxic)));
    const off = kept.value
      .filter((each) => each.kind === schema.protocol && each.space === space.value && !keys.has(each.key))
      .map(({ toxic }) => ({ schema, toxic, isOn: false }));
    return [...on, ...off];
  });
  return (
    <section>
      <h2>Toxics</h2>
      {shown.length === 0 ? (
        <Empty>The network is as it is. Add what makes it bad: delay, little bandwidth, resets, loss.</Empty>
      ) : (
        <ul class="levers toxics">
          {shown.map(({ schema, toxic, isOn }) => (
            <ToxicLever
              key={keyOf(schema.protocol, toxic)}
              schema={schema}
              toxic={toxic}
              isOn={isOn}
              onChanged={set.again}
            />
          ))}
        </ul>
      )}
      <NewToxic schemas={schemas.value.filter(({ toxics }) => toxics.length > 0)} />
    </section>
  );
}
