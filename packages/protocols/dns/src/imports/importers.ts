import { invalid, messageOf, type Imported, type Importer, type Json } from '@backlot/core/plugin';
import { nameOfType } from '../wire/types.js';
import { readRecords } from '../zone/read-records.js';

const MAX_RECORDS = 100_000;
/** Directives, and records that have a class. */
const ZONE_LINE = /^(\$ORIGIN|\$TTL)\s|^[^\s;]\S*\s+(\d\S*\s+)?(IN\s+)?(\d\S*\s+)?SOA\s/im;

/** Zone files, whose records become mocks: one for each name and type. */
const zone: Importer = {
  format: 'zone',
  title: 'DNS zone file',
  detect: ({ text, tree }) =>
    tree === undefined && ZONE_LINE.test(text.slice(0, 65_536)) ? 'sure' : undefined,
  *convert({ text }, notes): Generator<undefined, Imported, undefined> {
    const mocks = new Map<string, Json & { readonly records: string[] }>();
    let count = 0;
    try {
      for (const { line, owner, ttl, data } of readRecords(text.replace(/^\uFEFF/, ''), undefined)) {
        yield;
        count += 1;
        if (count > MAX_RECORDS) throw new Error(`the file has more than ${MAX_RECORDS} records`);
        const name = owner.text.replace(/\.$/, '').toLowerCase();
        const type = nameOfType(data.type);
        if (/[\\*]./.test(name.replace(/^\*\./, ''))) {
          notes.refused(`line ${line}`, 'a name with escapes or with a star inside is left out');
          continue;
        }
        if (name.startsWith('*.'))
          notes.approximated(
            `line ${line}`,
            'a wildcard answers for every name below, also for those that have other records',
          );
        const key = `${name} ${type}`;
        const known = mocks.get(key);
        const record = data.text.replaceAll('{{', '{{raw "{{"}}');
        if (known === undefined)
          mocks.set(key, {
            id: `${name || 'root'}-${type}`,
            name: name || '.',
            type,
            ttl,
            records: [record],
          });
        else if (!known.records.includes(record)) known.records.push(record);
      }
    } catch (thrown) {
      const at = (thrown as { line?: unknown }).line;
      throw invalid(`${typeof at === 'number' ? `line ${at}: ` : ''}${messageOf(thrown).slice(0, 500)}`);
    }
    if (mocks.size > 0)
      notes.approximated(
        '',
        'records become mocks, which know nothing of zones: for referrals and wildcards as servers have them name the file under "zones"',
      );
    return { protocols: { dns: { mocks: [...mocks.values()] } } };
  },
};

/** The formats that become mocks of DNS. */
export const importers: readonly Importer[] = [zone];
