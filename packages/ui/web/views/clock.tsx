import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { durationOf, quoted } from '../lib/format.js';
import { Act, ActForm } from '../parts/act.js';
import type { Action } from '../lib/action.js';
import { Failed } from '../parts/empty.js';
import { useAsync } from '../parts/use-async.js';

interface Clock {
  readonly now: string;
  readonly frozen: boolean;
  readonly offset_ms: number;
}

const STEPS = ['1s', '1m', '1h', '24h'];

function change(body: object, cli: string, ts?: string): Action {
  return {
    method: 'POST',
    path: '/api/clock',
    body,
    cli: `clock ${cli}`,
    ...(ts === undefined ? {} : { ts }),
  };
}

function advance(duration: string): Action {
  return change({ advance: duration }, `advance ${quoted(duration)}`);
}

/** @returns nothing while it is no moment */
function setTo(moment: string): Action | undefined {
  const at = Date.parse(moment);
  if (Number.isNaN(at)) return undefined;
  const now = new Date(at).toISOString();
  return change({ now }, `set ${now}`, `await backlot.host.clock.setNow(Date.parse('${now}'))`);
}

/** The clock of the server: stopped, moved, set. */
export function ClockLever(): JSX.Element {
  const clock = useAsync((signal) => api<Clock>('/api/clock', { signal }), [], 1000);
  const [step, setStep] = useState('30m');
  const [moment, setMoment] = useState('');
  if (clock.error !== undefined) return <Failed error={clock.error} />;
  const { now = '', frozen = false, offset_ms: offset = 0 } = clock.value ?? {};
  return (
    <section>
      <h2>Clock</h2>
      <p class="clock">
        <time>{now.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>{' '}
        <span class="quiet">
          {frozen
            ? 'stopped'
            : Math.abs(offset) < 1000
              ? 'as on this machine'
              : `${durationOf(Math.abs(offset))} ${offset > 0 ? 'ahead' : 'behind'}`}
        </span>
      </p>
      <div class="bar">
        <Act
          text={frozen ? 'Let it go on' : 'Freeze'}
          isPressed={frozen}
          action={change(
            { freeze: !frozen },
            frozen ? 'go' : 'stop',
            `backlot.host.clock.freeze(${String(!frozen)})`,
          )}
          onDone={clock.again}
        />
        {STEPS.map((each) => (
          <Act key={each} text={`+ ${each}`} action={advance(each)} onDone={clock.again} />
        ))}
        <ActForm text="Move on" action={advance(step)} onDone={clock.again}>
          <input
            type="text"
            class="short"
            aria-label="A duration to move on by"
            value={step}
            onInput={(event) => setStep(event.currentTarget.value)}
          />
        </ActForm>
        <ActForm text="Set" action={setTo(moment)} onDone={clock.again}>
          <input
            type="datetime-local"
            step="1"
            aria-label="A moment to set the clock to"
            value={moment}
            onInput={(event) => setMoment(event.currentTarget.value)}
          />
        </ActForm>
      </div>
    </section>
  );
}
