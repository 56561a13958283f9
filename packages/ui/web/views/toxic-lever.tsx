import type { JSX } from 'preact';
import { perform, type Action } from '../lib/action.js';
import { timeOf } from '../lib/format.js';
import type { KindSchema } from '../lib/kinds.js';
import { formsOf } from '../lib/schema-at.js';
import { forget, keep, keyOf, nameOf, type Toxic } from '../lib/toxics.js';
import { ActSwitch } from '../parts/act.js';
import { KindName } from '../parts/mark.js';
import { attempt } from '../parts/notice.js';
import { NumberField } from '../parts/number-field.js';

const PERCENT = 100;
/** After which times a toxic may end; the first is none. */
const TIMES = ['', '10s', '30s', '1m', '5m', '1h'];

/** The request that makes a toxic. */
export function adding(kind: string, toxic: Toxic): Action {
  return {
    method: 'POST',
    path: `/api/toxics/${encodeURIComponent(kind)}`,
    body: toxic,
    ts: `backlot.host.kind('${kind}').toxics.add(${JSON.stringify(toxic)})`,
  };
}

function replacing(kind: string, name: string, toxic: Toxic): Action {
  return {
    method: 'PUT',
    path: `/api/toxics/${encodeURIComponent(kind)}/${encodeURIComponent(name)}`,
    body: toxic,
    ts: `backlot.host.kind('${kind}').toxics.replace(${JSON.stringify(name)}, ${JSON.stringify(toxic)})`,
  };
}

function removing(kind: string, name: string): Action {
  return {
    method: 'DELETE',
    path: `/api/toxics/${encodeURIComponent(kind)}/${encodeURIComponent(name)}`,
    ts: `backlot.host.kind('${kind}').toxics.remove(${JSON.stringify(name)})`,
  };
}

/** A toxic as a switch, with its attributes, how likely it acts, and when it ends. */
export function ToxicLever({
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
  const type = toxics.find((each) => each.type === toxic.type);
  const fields =
    type === undefined
      ? []
      : formsOf({ schema: type.schema, defs }).flatMap(({ properties = {} }) => Object.entries(properties));
  const { expires_at: ends, ...body } = toxic;
  const change = (next: Toxic): void => {
    if (!isOn) keep(kind, { ...next, name });
    else void attempt(() => perform(replacing(kind, name, next)).then(onChanged));
  };
  return (
    <li class={isOn ? 'lever on' : 'lever'}>
      <ActSwitch
        label={label}
        isOn={isOn}
        on={isOn ? replacing(kind, name, body) : adding(kind, { ...body, name })}
        off={removing(kind, name)}
        onDone={() => {
          if (isOn) keep(kind, { ...body, name });
          else forget(keyOf(kind, toxic));
          onChanged();
        }}
      >
        <KindName kind={kind} />
      </ActSwitch>
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
            <NumberField
              label={`${field} of ${label}`}
              minimum={minimum}
              value={toxic.attributes?.[field] ?? Number(byDefault)}
              onChange={(value) => change({ ...body, attributes: { ...toxic.attributes, [field]: value } })}
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
      {isOn ? null : (
        <button
          type="button"
          class="plain"
          aria-label={`Forget ${label}`}
          onClick={() => forget(keyOf(kind, toxic))}
        >
          ×
        </button>
      )}
    </li>
  );
}
