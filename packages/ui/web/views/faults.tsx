import { Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { durationOf, quoted } from '../lib/format.js';
import { allSchemas, running, type KindSchema } from '../lib/kinds.js';
import { wordsOfFault, type Fault, type Trouble } from '../lib/troubles.js';
import { AsCode } from '../parts/as-code.js';
import { Failed } from '../parts/empty.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { KindName } from '../parts/mark.js';
import { attempt } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';
import { FromElsewhere } from './from-elsewhere.js';

const PERCENT = 100;
/** After which times a fault may end; the first is none. */
const TIMES = ['', '10s', '30s', '1m', '5m', '1h'];

/** What a switch sets that nobody has written anything for: every message fails, in the way of the kind. */
const WHOLE: Fault = { error_rate: 1 };

function Lever({
  schema,
  fault,
  isCovered,
  onChanged,
}: {
  readonly schema: KindSchema;
  readonly fault: Fault | undefined;
  /** Whether the fault of an incident takes its place. */
  readonly isCovered: boolean;
  readonly onChanged: () => void;
}): JSX.Element {
  const { protocol: kind, title } = schema;
  const path = `/api/fault/${encodeURIComponent(kind)}`;
  const [isWriting, setWriting] = useState(false);
  const [last, setLast] = useState<Fault>(WHOLE);
  const isOn = fault !== undefined;
  const set = async (next: Fault): Promise<void> => {
    const { left: _left, ...given } = next;
    await api(path, { body: given });
    onChanged();
  };
  const clear = async (): Promise<void> => {
    if (fault !== undefined) setLast(fault);
    await api(path, { method: 'DELETE' });
    onChanged();
  };
  const shown = fault ?? last;
  const { expires_ms: ends } = (fault?.['left'] ?? {}) as { readonly expires_ms?: number };
  const rate = Math.round(Number(shown['error_rate'] ?? 1) * PERCENT);
  const { left: _left, ...body } = shown;
  return (
    <li class={isOn ? 'lever on' : 'lever'}>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-label={`Fault of ${title}`}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            void attempt(() => (checked ? set(last) : clear()));
          }}
        />
        <KindName kind={kind} />
      </label>
      <label class="slider">
        <input
          type="range"
          min="0"
          max="100"
          step="5"
          value={rate}
          aria-label={`How many messages of ${title} fail, in percent`}
          onChange={(event) => {
            const next = { ...shown, error_rate: event.currentTarget.valueAsNumber / PERCENT };
            setLast(next);
            if (isOn) void attempt(() => set(next));
          }}
        />
        <span class="count">{rate} %</span>
      </label>
      <span class="target" title={isOn ? wordsOfFault(shown) : ''}>
        {isOn ? wordsOfFault(shown) : <span class="quiet">off</span>}
        {isCovered ? <span class="quiet">, covered by an incident</span> : null}
      </span>
      <label class="until">
        <span class="unseen">Ends by itself</span>
        <select
          aria-label={`When the fault of ${title} ends`}
          value={typeof shown['expires'] === 'string' ? shown['expires'] : ''}
          onChange={(event) => {
            const { expires: _old, ...rest } = shown;
            const expires = event.currentTarget.value;
            const next = expires === '' ? rest : { ...rest, expires };
            setLast(next);
            if (isOn) void attempt(() => set(next));
          }}
        >
          {TIMES.map((time) => (
            <option key={time} value={time}>
              {time === '' ? 'until switched off' : `for ${time}`}
            </option>
          ))}
          {typeof shown['expires'] === 'string' && !TIMES.includes(shown['expires']) ? (
            <option value={shown['expires']}>for {shown['expires']}</option>
          ) : null}
        </select>
        <span class="count" role="timer">
          {ends === undefined ? '' : durationOf(Math.ceil(ends / 1000) * 1000)}
        </span>
      </label>
      <button type="button" class="small" onClick={() => setWriting(true)}>
        Edit
      </button>
      <AsCode
        action={
          isOn
            ? {
                method: 'DELETE',
                path,
                cli: `fault clear ${kind}`,
                ts: `backlot.host.faults.clear('${kind}')`,
              }
            : {
                method: 'POST',
                path,
                body,
                cli: `fault set ${kind} ${quoted(JSON.stringify(body))}`,
                ts: `backlot.host.faults.set('${kind}', ${JSON.stringify(body)})`,
              }
        }
      />
      {isWriting && schema.fault !== undefined ? (
        <JsonDialog
          title={`Fault of ${title}`}
          value={body}
          source={{ schema: schema.fault.schema, defs: schema.$defs }}
          button="Set"
          action={(next) => ({
            method: 'POST',
            path,
            body: next,
            cli: `fault set ${kind} ${quoted(JSON.stringify(next))}`,
          })}
          onSend={(next) => set(next as Fault)}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </li>
  );
}

/** What goes wrong, by protocol: the faults that are set, and those that scenarios and incidents have brought. */
export function Faults({
  troubles,
  onChanged,
}: {
  readonly troubles: readonly Trouble[];
  readonly onChanged: () => void;
}): JSX.Element {
  const names = running.value.map(({ protocol }) => protocol).join();
  const schemas = useAsync(() => allSchemas(), [names]);
  if (schemas.error !== undefined) return <Failed error={schemas.error} />;
  if (schemas.value === undefined) return <p class="quiet loading">...</p>;
  return (
    <section>
      <h2>Faults</h2>
      <ul class="levers">
        {schemas.value
          .filter(({ fault }) => fault !== undefined)
          .map((schema) => {
            const ofKind = troubles.filter(
              ({ protocol, fault }) => protocol === schema.protocol && fault !== undefined,
            );
            const set = ofKind.find(({ source }) => source === 'set');
            return (
              <Fragment key={schema.protocol}>
                <Lever
                  schema={schema}
                  fault={set?.fault}
                  isCovered={set?.in_force === false}
                  onChanged={onChanged}
                />
                <FromElsewhere
                  troubles={ofKind.filter(({ source }) => source !== 'set')}
                  onChanged={onChanged}
                />
              </Fragment>
            );
          })}
      </ul>
    </section>
  );
}
