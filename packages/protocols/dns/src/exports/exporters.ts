import { invalid, type Exporter, type ExportNotes } from '@backlot/core/plugin';
import { zoneMocks, type ZoneRecords } from './zone-mocks.js';

/** The mocks of DNS as a zone file (RFC 1035, section 5). */
const zone: Exporter = {
  format: 'zone',
  title: 'DNS zone file',
  contentType: 'text/dns; charset=utf-8',
  extension: '.zone',
  *write(source, notes, { id }) {
    const all: ZoneRecords[] = [];
    for (const one of zoneMocks(source, notes)) {
      if (one !== undefined) all.push(one);
      yield undefined;
    }
    const apex = apexOf(all, id);
    // Names in records of mocks are whole, with and without a dot at the end.
    yield `$ORIGIN .\n`;
    yield* openingOf(all, apex, notes);
    const aliases = new Set(all.filter(({ type }) => type === 'CNAME').map(({ name }) => name));
    for (const one of all) {
      if (!isBelow(one.name, apex)) {
        notes.refused(
          one.id,
          `a name that is not below "${apex || '.'}" is none of its zone; "id" names another zone`,
        );
      } else if (aliases.has(one.name) && one.type !== 'CNAME') {
        notes.refused(one.id, 'a name with a CNAME has no other records in a zone');
      } else if (one.type !== 'SOA' || one.name === apex) {
        // The one of the zone is its first record.
        if (one.type === 'SOA') yield undefined;
        else yield linesOf(one);
        for (const _ of one.records) notes.written('records');
      } else {
        notes.refused(one.id, 'a zone has one SOA record, that of its own name');
      }
    }
  },
};

/** The name of the zone: the one that is asked for, that of a SOA record, or what all names have in common. */
function apexOf(all: readonly ZoneRecords[], asked: string | undefined): string {
  if (asked !== undefined) {
    const apex = asked.toLowerCase().replace(/\.$/, '');
    if (all.some(({ name }) => isBelow(name, apex))) return apex;
    throw invalid(`no mock of DNS has a name below ${JSON.stringify(asked.slice(0, 255))}`);
  }
  if (all.length === 0) throw invalid('no mock of DNS has records that a zone can have');
  const zones = [...new Set(all.filter(({ type }) => type === 'SOA').map(({ name }) => name))];
  const [only = '', ...others] = zones;
  if (others.length > 0)
    throw invalid(
      `there are ${zones.length} zones, and a file has one: name it by "id", such as ${JSON.stringify(only)}`,
    );
  if (zones.length === 1) return only;
  const labels = all.map(({ name }) => name.replace(/^\*\./, '').split('.').reverse());
  const [first = []] = labels;
  let length = 0;
  while (length < first.length && labels.every((one) => one[length] === first[length])) length += 1;
  return first.slice(0, length).reverse().join('.');
}

/** The records that a zone begins with; made up where no mock has them. */
function* openingOf(
  all: readonly ZoneRecords[],
  apex: string,
  notes: ExportNotes,
): Generator<string, void, undefined> {
  const find = (type: string): ZoneRecords | undefined =>
    all.find((one) => one.name === apex && one.type === type);
  const soa = find('SOA');
  if (soa !== undefined) yield linesOf({ ...soa, records: soa.records.slice(0, 1) });
  else {
    notes.approximated(
      apex || '.',
      'a zone begins with SOA and NS records; those that no mock has are made up',
    );
    yield linesOf({
      ...{ id: '', name: apex, type: 'SOA', ttl: 60 },
      records: ['ns.invalid. hostmaster.invalid. 1 3600 600 86400 60'],
    });
  }
  if (find('NS') === undefined) {
    if (soa !== undefined)
      notes.approximated(
        apex || '.',
        'a zone begins with SOA and NS records; those that no mock has are made up',
      );
    yield linesOf({ id: '', name: apex, type: 'NS', ttl: 60, records: ['ns.invalid.'] });
  }
}

function linesOf({ name, type, ttl, records }: ZoneRecords): string {
  return records.map((record) => `${name}. ${ttl} IN ${type} ${record}\n`).join('');
}

function isBelow(name: string, apex: string): boolean {
  return apex === '' || name === apex || name.endsWith(`.${apex}`);
}

/** The formats in which mocks of DNS are written. */
export const exporters: readonly Exporter[] = [zone];
