import { invalid, type Imported, type Importer, type Json } from '@backlot/core/plugin';
import { readLdif, type LdifEntry } from './ldif.js';

/** LDIF (RFC 2849): entries, and changes that add some, become entries of the directory. */
const ldif: Importer = {
  format: 'ldif',
  title: 'LDIF',
  detect: ({ text }) => (beginsAsLdif(text.slice(0, 65_536)) ? 'sure' : undefined),
  *convert({ text }, notes): Generator<undefined, Imported, undefined> {
    const entries = new Map<string, Json>();
    for (const entry of readLdif(text)) {
      yield;
      const place = `line ${entry.line}`;
      if (entry.change !== undefined && entry.change !== 'add') {
        notes.refused(
          place,
          `a change of the type "${entry.change.slice(0, 40)}" is left out; entries and those that are added are taken`,
        );
        continue;
      }
      for (const name of entry.urls)
        notes.refused(place, `the value of ${name.slice(0, 100)} stands in another file, which is not read`);
      const key = entry.dn.toLowerCase();
      if (entries.has(key)) notes.refused(place, 'an entry that is there already is left out');
      else entries.set(key, { dn: entry.dn, attributes: attributesOf(entry) });
    }
    const list = [...entries.values()];
    if (list.length === 0) throw invalid('the file has no entries');
    // A server that runs takes an entry only below one that is there.
    const sorted = list.toSorted((a, b) => depthOf(a) - depthOf(b));
    return {
      protocols: { ldap: { entries: sorted } },
      data: { ldap: { entries: { section: 'entries', entries: sorted } } },
    };
  },
};

/** Whether the first line that says something is a name, or the version before one. */
function beginsAsLdif(text: string): boolean {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^[# ]/.test(line));
  const [first = '', second = ''] = lines;
  return /^dn::?/i.test(/^version:/i.test(first) ? second : first);
}

function attributesOf({ attributes }: LdifEntry): Json {
  return Object.fromEntries(
    Array.from(attributes.values(), ({ name, values }) => [name, values.length === 1 ? values[0] : values]),
  );
}

function depthOf(entry: Json): number {
  return String(entry['dn']).replaceAll(/\\./g, '').split(',').length;
}

/** The formats that become entries of the directory. */
export const importers: readonly Importer[] = [ldif];
