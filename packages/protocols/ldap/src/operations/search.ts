import { messageOf, type MatchOf } from '@backlot/core/plugin';
import type { Directory } from '../data/directory.js';
import { isWithin, parseDn, type Dn } from '../data/dn.js';
import { Attribute, Entry } from '../data/entry.js';
import { compileFilter, testLong } from '../data/filter.js';
import { readValues } from '../data/read-values.js';
import { referTo } from '../data/referrals.js';
import type { KnownNames } from '../known-names.js';
import type { SearchPart } from '../message.js';
import { isTemplate, type CompiledEntry } from '../matcher.js';
import { RESULT } from '../result-codes.js';
import type { LdapShape } from '../shape.js';
import { mockedResult } from './mocked-result.js';
import { referralResult } from './refer.js';
import type { Result } from '../wire/encode.js';

/** What a search finds. */
export interface Found {
  readonly entries: readonly Entry[];
  /** Where other servers go on with it: each the addresses of one. */
  readonly references?: readonly (readonly string[])[];
  readonly result: Result;
  /** Why the answer could not be made, for the log. */
  readonly failure?: string;
}

/** What is searched. */
interface Sources {
  readonly directory: Directory;
  readonly known: KnownNames;
}

/** When a search may end before it has seen all. */
export interface SearchLimits {
  /** One more than these need not be found. */
  readonly most: number;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
  /** Whether the search has taken longer than the client allows. */
  readonly isLate?: (() => boolean) | undefined;
  /** Whether entries that refer to other servers are found as any other (the control ManageDsaIT, RFC 3296, 3). */
  readonly managesReferrals?: boolean;
}

type LdapMatch = MatchOf<LdapShape>;

/** Of entries that hold more bytes the filter is asked part by part. */
const LONG_ENTRY = 16 * 1024;

const SUCCESS: Result = { code: RESULT.success };

/**
 * What mocks and the tree answer together: the entries of the mocks in order, then those of the tree that the filter fits and
 * no mock has named. The first mock with a result code other than success decides how it ends, and nothing follows it.
 * Yields after each entry, see `runInSlices`; the tree may change meanwhile.
 */
export function* findEntries(
  search: SearchPart,
  matches: readonly LdapMatch[],
  { directory, known }: Sources,
  limits: SearchLimits,
): Generator<undefined, Found> {
  const entries: Entry[] = [];
  const references: (readonly string[])[] = [];
  let success = SUCCESS;
  try {
    for (const match of matches) {
      const { compiled } = match.mock;
      for (const one of compiled.entries) {
        entries.push(buildEntry(match, one, search.base));
        yield;
      }
      for (const addresses of compiled.references)
        references.push(addresses.map((each) => match.render(each)));
      const result = mockedResult(match);
      if (result.code !== RESULT.success) return { entries, references, result };
      if (success === SUCCESS) success = result;
    }
  } catch (thrown) {
    const failure = messageOf(thrown);
    return { entries: [], result: { code: RESULT.other, message: failure }, failure };
  }
  const { base, scope, filter } = search;
  const managesReferrals = limits.managesReferrals === true;
  const referral = managesReferrals ? undefined : directory.referralAt(base.key);
  if (referral !== undefined)
    return {
      entries,
      references,
      result: matches.length > 0 ? success : referralResult(referral, base, scope),
    };
  if (!directory.knows(base.key)) {
    if (matches.length > 0 || known.has(base.key)) return { entries, references, result: success };
    return { entries, result: directory.missing(base).result };
  }
  const named = new Set(entries.map(({ dn }) => dn.key));
  const compiled = compileFilter(filter);
  /** Entries below one that refers to other servers are there. */
  let elsewhere: string | undefined;
  for (const entry of directory.within(base.key, scope)) {
    if (limits.isGone() || entries.length > limits.most) break;
    if (limits.isLate?.() === true)
      return { entries, references, result: { code: RESULT.timeLimitExceeded } };
    const { key } = entry.dn;
    if (named.has(key) || (elsewhere !== undefined && isWithin(key, elsewhere))) continue;
    if (entry.isReferral && !managesReferrals) {
      elsewhere = key;
      // Whether an entry fits is for the other server to say.
      references.push(referTo(entry, entry.dn, scope === 'one' ? 'base' : scope));
      yield;
      continue;
    }
    const fits = entry.size > LONG_ENTRY ? yield* testLong(compiled, entry) : compiled.test(entry);
    if (fits === true) entries.push(entry);
    yield;
  }
  return { entries, references, result: success };
}

function buildEntry(
  match: LdapMatch,
  { dn, at, fixed, attributes, isWhole }: CompiledEntry,
  base: Dn,
): Entry {
  const name = dn === undefined ? base : isTemplate(dn) ? renderDn(match, dn, at) : dn;
  if (fixed !== undefined) return fixed.named(name);
  const made: Attribute[] = [];
  for (const { name: type, values, at: place } of attributes) {
    const read = explaining(match, place, () => readValues(type, match.renderValue(values)));
    if (read.length > 0) made.push(new Attribute(type, read));
  }
  return new Entry(name, made, isWhole);
}

function renderDn(match: LdapMatch, dn: Parameters<LdapMatch['render']>[0], at: string): Dn {
  return explaining(match, at, () => parseDn(match.render(dn)));
}

/** Says which mock, and which of its fields, could not be made. */
function explaining<T>(match: LdapMatch, at: string, make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    throw new Error(`mock "${match.mock.id}", ${at}: ${messageOf(thrown)}`, { cause: thrown });
  }
}
