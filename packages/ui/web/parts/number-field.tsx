import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/**
 * A number that counts once it was typed: what is drawn anew meanwhile, since something else has changed, leaves what stands in
 * the field.
 */
export function NumberField({
  label,
  minimum,
  value,
  onChange,
}: {
  readonly label: string;
  readonly minimum: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
}): JSX.Element {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      type="number"
      class="short"
      min={minimum}
      step="any"
      aria-label={label}
      value={typed ?? value}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={(event) => {
        const number = event.currentTarget.valueAsNumber;
        setTyped(undefined);
        if (Number.isFinite(number)) onChange(number);
      }}
    />
  );
}
