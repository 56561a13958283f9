import { Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { perform, type Action } from '../lib/action.js';
import { durationOf, quoted } from '../lib/format.js';
import { allSchemas, running, type KindSchema } from '../lib/kinds.js';
import { wordsOfFault, type Fault, type Trouble } from '../lib/troubles.js';
import { ActSwitch } from '../parts/act.js';
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

function setting(kind: string, { left: _left, ...body }: Fault): Action {
  return {
    method: 'POST',
    path: `/api/fault/${encodeURIComponent(kind)}`,
    body,
    cli: `fault set ${kind} ${quoted(JSON.stringify(body))}`,
    ts: `backlot.host.faults.set('${kind}', ${JSON.stringify(body)})`,
  };
}

function clearing(kind: string): Action {
  return {
    method: 'DELETE',
    path: `/api/fault/${encodeURIComponent(kind)}`,
    cli: `fault clear ${kind}`,
    ts: `backlot.host.faults.clear('${kind}')`,
  };
}

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
  const [isWriting, setWriting] = useState(false);
  const [last, setLast] = useState<Fault>(WHOLE);
  const isOn = fault !== undefined;
  const change = (next: Fault): void => {
    setLast(next);
    if (isOn) void attempt(() => perform(setting(kind, next)).then(onChanged));
  };
  const shown = fault ?? last;
  const { expires_ms: ends } = (fault?.['left'] ?? {}) as { readonly expires_ms?: number };
  const rate = Math.round(Number(shown['error_rate'] ?? 1) * PERCENT);
  const { left: _left, ...body } = shown;
  return (
    <li class={isOn ? 'lever on' : 'lever'}>
      <ActSwitch
        label={`Fault of ${title}`}
        isOn={isOn}
        on={setting(kind, shown)}
        off={clearing(kind)}
        onDone={() => {
          // Switched off it is kept as it was, to be switched on again.
          if (fault !== undefined) setLast(fault);
          onChanged();
        }}
      >
        <KindName kind={kind} />
      </ActSwitch>
      <label class="slider">
        <input
          type="range"
          min="0"
          max="100"
          step="5"
          value={rate}
          aria-label={`How many messages of ${title} fail, in percent`}
          onChange={(event) => change({ ...shown, error_rate: event.currentTarget.valueAsNumber / PERCENT })}
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
            change(expires === '' ? rest : { ...rest, expires });
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
      {isWriting && schema.fault !== undefined ? (
        <JsonDialog
          title={`Fault of ${title}`}
          value={body}
          source={{ schema: schema.fault.schema, defs: schema.$defs }}
          button="Set"
          action={(next) => setting(kind, next as Fault)}
          onDone={onChanged}
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
