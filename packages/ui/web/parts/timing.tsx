import type { JSX } from 'preact';
import type { Entry } from '../lib/entries.js';
import { durationOf } from '../lib/format.js';

/** How long an answer took, and how much of that mocks and faults have added. */
export function Timing({ entry }: { readonly entry: Entry }): JSX.Element {
  const { duration_ms: took, delays = {} } = entry;
  const { mock_ms: mock = 0, fault_ms: fault = 0 } = delays;
  const rest = Math.max(0, took - mock - fault);
  const parts = [
    { name: 'mock', ms: mock, says: 'delay of the mock' },
    { name: 'fault', ms: fault, says: 'delay of the fault' },
    { name: 'rest', ms: rest, says: 'the rest' },
  ].filter(({ ms, name }) => ms > 0 || name === 'rest');
  const whole = Math.max(1, mock + fault + rest);
  let at = 0;
  return (
    <div class="timing">
      <strong class="count">{durationOf(took)}</strong>
      <svg class="timing-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, ms }) => {
          const width = (ms / whole) * 100;
          const x = at;
          at += width;
          return <rect key={name} class={name} x={x} y="0" width={width} height="4" />;
        })}
      </svg>
      {mock + fault === 0 ? null : (
        <ul>
          {parts.map(({ name, ms, says }) => (
            <li key={name} class={name}>
              <span class="count">{durationOf(ms)}</span> {says}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
