import { invalid, type Imported, type Importer, type ImportNotes, type Json } from '@backlot/core/plugin';
import { compileSnmpValue, readSnmprec, readWalk, type WalkedValue } from './walk.js';

const MAX_VALUES = 100_000;

/** What snmpwalk prints, best with `-On`. */
const snmpwalk: Importer = {
  format: 'snmpwalk',
  title: 'snmpwalk output',
  detect: ({ text }) =>
    /^(\.?1|iso)(\.\d+)+ = [A-Za-z0-9-]+: /m.test(text.slice(0, 65_536)) ? 'sure' : undefined,
  *convert({ text }, notes): Generator<undefined, Imported, undefined> {
    return yield* mocksOf(readWalk(text), notes);
  },
};

/** Recordings of snmpsim. */
const snmprec: Importer = {
  format: 'snmprec',
  title: 'snmprec',
  detect: ({ text }) => (/^1(\.\d+)+\|\d+x?(:\w+)?\|/m.test(text.slice(0, 65_536)) ? 'sure' : undefined),
  *convert({ text }, notes): Generator<undefined, Imported, undefined> {
    return yield* mocksOf(readSnmprec(text), notes);
  },
};

function* mocksOf(
  values: Iterable<WalkedValue>,
  notes: ImportNotes,
): Generator<undefined, Imported, undefined> {
  const mocks = new Map<string, Json>();
  for (const walked of values) {
    yield;
    if (mocks.size >= MAX_VALUES)
      throw invalid(`the file has more than ${MAX_VALUES} values; import fewer at once`);
    const place = `line ${walked.line}`;
    if ('problem' in walked) {
      notes.refused(place, walked.problem);
      continue;
    }
    if (walked.note !== undefined) notes.approximated(place, walked.note);
    mocks.set(walked.oid, { id: walked.oid, oid: walked.oid, ...compileSnmpValue(walked) });
  }
  return { protocols: { snmp: { mocks: [...mocks.values()] } } };
}

/** The formats that become values of OIDs. */
export const importers: readonly Importer[] = [snmpwalk, snmprec];
