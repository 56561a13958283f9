import { invalid, type ExportNotes, type ExportSource, type Json } from '@backlot/core/plugin';

/** The records of one mock, as a zone file can have them. */
export interface ZoneRecords {
  readonly id: string;
  /** In lower case, without the last dot; empty for the root. */
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly records: readonly string[];
}

const USUAL_TTL = 60;
/** A text that gives just two braces. */
const RAW_BRACES = /\{\{raw "\{\{"\}\}/g;
const NAME = /^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/;

/**
 * The records of mocks that a zone file can have, in the order of the mocks; nothing where others may be let in.
 *
 * @throws BacklotError `invalid` when DNS is not enabled
 */
export function* zoneMocks(
  source: ExportSource,
  notes: ExportNotes,
): Generator<ZoneRecords | undefined, void, undefined> {
  if (source.kind('dns') === undefined) throw invalid('DNS is not enabled: there are no records to write');
  const block = (source.configuration()['protocols'] as Readonly<Record<string, Json>>)['dns'];
  for (const mock of (block?.['mocks'] ?? []) as readonly Json[]) {
    yield recordsOf(mock, (message) => notes.refused(String(mock['id']), message));
    if (mock['state'] !== undefined || mock['times'] !== undefined)
      notes.approximated(String(mock['id']), 'records are there always, whatever the state and how often');
  }
}

function recordsOf(mock: Json, refuse: (message: string) => void): ZoneRecords | undefined {
  const {
    id,
    name: given,
    type = 'A',
    ttl = USUAL_TTL,
    records = [],
    rcode,
    respond,
  } = mock as {
    readonly id: string;
    readonly name: unknown;
    readonly type?: string;
    readonly ttl?: number;
    readonly records?: readonly string[];
    readonly rcode?: unknown;
    readonly respond?: unknown;
  };
  const name = typeof given === 'string' ? given.toLowerCase().replace(/\.$/, '') : undefined;
  if (respond !== undefined) refuse('a mock that is answered by a function is left out');
  else if (rcode !== undefined || records.length === 0)
    refuse('an answer without records, such as NXDOMAIN, is none that a zone can have');
  else if (name === undefined || (name !== '' && !NAME.test(name)))
    refuse('a name that is a pattern, or that has other letters than host names, is left out');
  else {
    const texts = records.map((record) => record.replaceAll(RAW_BRACES, '{{'));
    if (records.some((record) => record.replaceAll(RAW_BRACES, '').includes('{{')))
      refuse('records that are templates are left out: their values are not known');
    else return { id, name, type: type.toUpperCase(), ttl, records: texts };
  }
  return undefined;
}
