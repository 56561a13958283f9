import { parseDn } from './dn.js';
import { Attribute, Entry } from './entry.js';

/** The name of an entry, and its attributes with their values. */
type PackedEntry = readonly [
  dn: string,
  attributes: readonly (readonly [name: string, values: readonly Buffer[]])[],
];

/** A snapshot of the entries as it passes to another process. */
export function packEntries(entries: readonly Entry[]): readonly PackedEntry[] {
  return entries.map(({ dn, attributes }) => [dn.text, attributes.map(({ name, values }) => [name, values])]);
}

/** Takes back {@link packEntries}. */
export function unpackEntries(packed: unknown): readonly Entry[] {
  return (packed as readonly PackedEntry[]).map(
    ([dn, attributes]) =>
      new Entry(
        parseDn(dn),
        attributes.map(([name, values]) => new Attribute(name, values)),
      ),
  );
}
