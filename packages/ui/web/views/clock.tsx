import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { durationOf } from '../lib/format.js';
import { AsCode } from '../parts/as-code.js';
import { Failed } from '../parts/empty.js';
import { attempt } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';

interface Clock {
  readonly now: string;
  readonly frozen: boolean;
  readonly offset_ms: number;
}

const STEPS = ['1s', '1m', '1h', '24h'];

/** The clock of the server: stopped, moved, set. */
export function ClockLever(): JSX.Element {
  const clock = useAsync((signal) => api<Clock>('/api/clock', { signal }), [], 1000);
  const [step, setStep] = useState('30m');
  const [moment, setMoment] = useState('');
  if (clock.error !== undefined) return <Failed error={clock.error} />;
  const { now = '', frozen = false, offset_ms: offset = 0 } = clock.value ?? {};
  const change = (body: object): void => void attempt(() => api('/api/clock', { body }).then(clock.again));
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
        <button type="button" aria-pressed={frozen} onClick={() => change({ freeze: !frozen })}>
          {frozen ? 'Let it go on' : 'Freeze'}
        </button>
        {STEPS.map((each) => (
          <button key={each} type="button" onClick={() => change({ advance: each })}>
            + {each}
          </button>
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            change({ advance: step });
          }}
        >
          <input
            type="text"
            class="short"
            aria-label="A duration to move on by"
            value={step}
            onInput={(event) => setStep(event.currentTarget.value)}
          />
          <button type="submit">Move on</button>
        </form>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (moment !== '') change({ now: new Date(moment).toISOString() });
          }}
        >
          <input
            type="datetime-local"
            step="1"
            aria-label="A moment to set the clock to"
            value={moment}
            onInput={(event) => setMoment(event.currentTarget.value)}
          />
          <button type="submit">Set</button>
        </form>
      </div>
      <AsCode
        action={{
          method: 'POST',
          path: '/api/clock',
          body: { advance: step },
          ts: `await backlot.host.clock.advance('${step}')`,
        }}
      />
    </section>
  );
}
