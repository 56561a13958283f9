import type { JSX } from 'preact';
import { allSchemas, running } from '../lib/kinds.js';
import { keptOf, keyOf } from '../lib/toxics.js';
import type { Trouble } from '../lib/troubles.js';
import { Empty, Failed } from '../parts/empty.js';
import { useAsync } from '../parts/use-async.js';
import { NewToxic } from './new-toxic.js';
import { ToxicLever, adding } from './toxic-lever.js';
import { FromElsewhere } from './from-elsewhere.js';

/** What a bad network does: toxics as switches, and those that scenarios and incidents have brought. */
export function Toxics({
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
  const shown = schemas.value.flatMap((schema) => {
    const on = troubles.flatMap(({ protocol, source, toxic }) =>
      protocol === schema.protocol && source === 'set' && toxic !== undefined
        ? [{ schema, toxic, isOn: true }]
        : [],
    );
    const keys = new Set(on.map(({ toxic }) => keyOf(schema.protocol, toxic)));
    const off = keptOf(schema.protocol)
      .filter((toxic) => !keys.has(keyOf(schema.protocol, toxic)))
      .map((toxic) => ({ schema, toxic, isOn: false }));
    return [...on, ...off];
  });
  const others = troubles.filter(({ source, toxic }) => source !== 'set' && toxic !== undefined);
  return (
    <section>
      <h2>Toxics</h2>
      {shown.length === 0 && others.length === 0 ? (
        <Empty
          action={adding(schemas.value[0]?.protocol ?? '', { type: 'latency', attributes: { latency: 100 } })}
        >
          The network is as it is. Add what makes it bad: delay, little bandwidth, resets, loss.
        </Empty>
      ) : (
        <ul class="levers toxics">
          {shown.map(({ schema, toxic, isOn }) => (
            <ToxicLever
              key={keyOf(schema.protocol, toxic)}
              schema={schema}
              toxic={toxic}
              isOn={isOn}
              onChanged={onChanged}
            />
          ))}
          <FromElsewhere troubles={others} onChanged={onChanged} />
        </ul>
      )}
      <NewToxic schemas={schemas.value.filter(({ toxics }) => toxics.length > 0)} />
    </section>
  );
}
