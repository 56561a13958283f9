import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Draft } from '../lib/drafts.js';
import { oneLine, quoted, timeOf } from '../lib/format.js';
import type { Schema } from '../lib/kinds.js';
import { ActSwitch } from '../parts/act.js';
import type { Action } from '../lib/action.js';
import { Form } from '../parts/form.js';
import { KindName } from '../parts/mark.js';
import { Pairs } from '../parts/pairs.js';

/** An incident, as `GET /api/incidents` has it. */
export interface Incident {
  readonly name: string;
  readonly protocols: readonly string[];
  readonly summary: string;
  readonly advice: string;
  readonly lasts: string;
  readonly fields: Schema;
  readonly running?: {
    readonly fields: Readonly<Record<string, unknown>>;
    readonly began_at: string;
    readonly ends_at: string;
    readonly stages: Readonly<Record<string, number>>;
  };
}

/** For how long an incident may be begun, beside how long it lasts by itself. */
const TIMES = ['10s', '30s', '1m', '5m', '1h'];

/** Up to how many kinds are named. */
const NAMED = 1;

function beginning(name: string, body: Draft): Action {
  const { for: lasts, ...fields } = body;
  const parts = [
    `incident start ${name}`,
    ...(Object.keys(fields).length === 0 ? [] : [quoted(JSON.stringify(fields))]),
    ...(lasts === undefined ? [] : [`--for ${oneLine(lasts)}`]),
  ];
  return {
    method: 'POST',
    path: `/api/incidents/${encodeURIComponent(name)}`,
    body,
    cli: parts.join(' '),
    ts: `await backlot.host.incidents.start('${name}', ${JSON.stringify(body)})`,
  };
}

function ending(name: string): Action {
  return {
    method: 'DELETE',
    path: `/api/incidents/${encodeURIComponent(name)}`,
    cli: `incident stop ${name}`,
    ts: `backlot.host.incidents.stop('${name}')`,
  };
}

/** The stages that run, in words; none where an incident has only one. */
function stageOf(stages: Readonly<Record<string, number>>): string {
  const numbers = [...new Set(Object.values(stages))];
  return numbers.length === 1 && numbers[0] !== 0 ? `stage ${numbers[0]}, ` : '';
}

/** An incident as a switch: begun for so long, with what can be said of it, and ended by hand. */
export function IncidentLever({
  incident,
  onChanged,
}: {
  readonly incident: Incident;
  readonly onChanged: () => void;
}): JSX.Element {
  const { name, protocols, summary, advice, lasts, fields, running } = incident;
  const [time, setTime] = useState('');
  const [said, setSaid] = useState<Draft>({});
  const body: Draft = time === '' ? said : { ...said, for: time };
  const { for: _for, ...own } = fields.properties ?? {};
  return (
    <li class={running === undefined ? 'lever' : 'lever on'}>
      <ActSwitch
        label={`Incident ${name}`}
        isOn={running !== undefined}
        on={beginning(name, body)}
        off={ending(name)}
        onDone={onChanged}
      >
        <strong>{name}</strong>
      </ActSwitch>
      <span class="of">
        {protocols.length > NAMED
          ? `${protocols.length} protocols`
          : protocols.map((kind) => <KindName key={kind} kind={kind} />)}
      </span>
      <details class="what">
        <summary title={summary}>{summary}</summary>
        <dl>
          <dt>Clients that are right</dt>
          <dd>{advice}</dd>
        </dl>
        {running !== undefined ? (
          <Pairs values={running.fields} />
        ) : Object.keys(own).length === 0 ? null : (
          <Form
            value={said}
            source={{ schema: { ...fields, properties: own }, defs: {} }}
            problems={[]}
            onChange={setSaid}
          />
        )}
      </details>
      <span class="until">
        {running === undefined ? (
          <select
            aria-label={`How long ${name} lasts`}
            value={time}
            onChange={(event) => setTime(event.currentTarget.value)}
          >
            <option value="">for {lasts}</option>
            {TIMES.filter((each) => each !== lasts).map((each) => (
              <option key={each} value={each}>
                for {each}
              </option>
            ))}
          </select>
        ) : (
          <span class="count">
            {stageOf(running.stages)}until {timeOf(Date.parse(running.ends_at)).slice(0, 8)}
          </span>
        )}
      </span>
    </li>
  );
}
