import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { KindSchema } from '../lib/kinds.js';
import { keep } from '../lib/toxics.js';

/** Makes a toxic of a kind and a type, which is off at first. */
export function NewToxic({ schemas }: { readonly schemas: readonly KindSchema[] }): JSX.Element | null {
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
