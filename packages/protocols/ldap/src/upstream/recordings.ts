import { isUtf8 } from 'node:buffer';
import {
  escapeRegex,
  exactPattern,
  literal,
  redactText,
  type PatternNote,
  type RecordedPair,
} from '@backlot/kit/upstream';
import { isAttributeName, isBinary } from '../data/attribute-types.js';
import { filterKey, parseFilter } from '../data/filter-text.js';
import { boundKey, requestedKey } from '../matcher.js';
import type { LdapMessage } from '../message.js';
import { formatRequest, type EntryRequest } from '../operations/write.js';
import { RESULT } from '../result-codes.js';
import type { Control, Request } from '../wire/request.js';
import { OID } from '../wire/tags.js';
import type { ReadAnswer } from './compared.js';
import { formatKept, redactFilter } from './kept-request.js';
import { redactValue, type ReadEntry } from './read-answer.js';

/** A request as recordings are made of it. */
export interface RecordedRequest {
  /** Absent for one that cannot be read. */
  readonly request: Request | undefined;
  readonly message: LdapMessage;
  /** Absent where they cannot be read. */
  readonly controls: readonly Control[] | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** What of a request its recording matches, and what became patterns of it; or why it has none. */
interface Match {
  readonly fields: Fields;
  readonly notes: readonly string[];
}

/** The key of the recording of a request: equal for requests that one mock is for; `undefined` where there is none. */
export function keyOf(asked: RecordedRequest): string | undefined {
  const { message } = asked;
  const { method, nameKey, search } = message;
  if (typeof matchOf(asked) === 'string') return undefined;
  const more =
    search === undefined
      ? [asked.request?.type === 'bind' ? message.body : formatKept(asked.request as EntryRequest)]
      : [search.scope, message.filterKey, requestedKey(search.attributes)];
  return JSON.stringify([method, nameKey, ...more, method === 'BIND' ? '' : boundKey(message.boundAs)]);
}

/** The mock of an answer; or why there is none. */
export function recordingsOf(
  asked: RecordedRequest,
  key: string | undefined,
  answer: ReadAnswer,
): { readonly recordings: readonly RecordedPair[] | string; readonly patterns?: readonly string[] } {
  const match = matchOf(asked);
  if (typeof match === 'string') return { recordings: match };
  const { message } = asked;
  const { code } = answer.result;
  if (!answer.isWhole) return { recordings: 'it is longer than 2 MiB' };
  if (message.search !== undefined && CUT.has(code))
    return { recordings: 'it ends at a limit of this request alone, which no mock is for' };
  if (code === RESULT.referral && (answer.result.referral ?? []).length === 0)
    return { recordings: 'it is a referral without an address' };
  const odd = answer.entries
    .flatMap(({ attributes }) => attributes)
    .find(({ name }) => !isAttributeName(name));
  if (odd !== undefined)
    return { recordings: `it has the attribute ${odd.name}, whose name mocks do not have` };
  const name = [message.method, message.path, message.search === undefined ? '' : message.body].join(' ');
  return {
    recordings: [{ key: key ?? '', name, match: match.fields, answer: answerOf(message, answer) }],
    patterns: match.notes,
  };
}

/** Codes of searches that are cut off where the request says. */
const CUT: ReadonlySet<number> = new Set([RESULT.timeLimitExceeded, RESULT.sizeLimitExceeded]);

function matchOf({ request, message, controls }: RecordedRequest): Match | string {
  const { method, path, search } = message;
  if (request === undefined) return 'it cannot be read here';
  if (controls === undefined) return 'its controls cannot be read here';
  if (request.type === 'extended') return 'it is an extended operation, which mocks do not answer';
  if (controls.some(({ oid }) => search === undefined || oid !== OID.pagedResults))
    return 'it has controls, which mocks do not match';
  if (redactText(path) !== path) return 'there is a secret in its name';
  const common: Fields = { base_dn: path, exact_base: true };
  const operation: Fields = { operation: method.toLowerCase(), ...common };
  switch (request.type) {
    case 'search':
      return matchOfSearch(message, request.typesOnly, common);
    case 'bind':
      if (request.sasl !== undefined)
        return 'what SASL says of its user is in its credentials, which are not kept';
      return { fields: { ...operation, body: message.body }, notes: [] };
    case 'compare':
    case 'add':
    case 'modify':
    case 'delete':
    case 'modifydn': {
      const notes: string[] = [];
      const body = bodyOf(request, (place, rule) => notes.push(`${place}: ${rule}`));
      if (body === undefined) return 'there is a secret in it that cannot be left out';
      return { fields: { ...operation, body, bind_dn: message.boundAs }, notes };
    }
    default:
      return 'it has no answer';
  }
}

function matchOfSearch(message: LdapMessage, typesOnly: boolean, common: Fields): Match | string {
  const { search, body, boundAs } = message;
  if (search === undefined) return 'it cannot be read here';
  if (typesOnly) return 'it asks for the names of attributes alone, which mocks do not match';
  if (redactFilter(body) !== body) return 'there is a secret in its filter';
  if (!isReadBack(message)) return 'its filter cannot be written as a text';
  const fields = {
    ...common,
    search_scope: search.scope,
    filter: body,
    requested: [...search.attributes],
    bind_dn: boundAs,
  };
  return { fields, notes: [] };
}

/** Whether a filter is the same once it was written and read. */
function isReadBack({ body, filterKey: key }: LdapMessage): boolean {
  try {
    return filterKey(parseFilter(body)) === key;
  } catch {
    return false;
  }
}

/** The pattern for what an operation holds: just this, but for the secrets in it. */
function bodyOf(request: EntryRequest, note: PatternNote): unknown {
  const text = formatRequest(request);
  const kept = formatKept(request);
  if (kept === text) return exactPattern(text);
  // A secret that is no plain text is written in base64, behind two colons.
  const regex = `^${kept
    .split('\n')
    .map((line) =>
      escapeRegex(line)
        .replace(/: REDACTED$/, '::? [^\\n]+')
        .replaceAll('REDACTED', '[^\\n]+'),
    )
    .join('\\n')}$`;
  if (!new RegExp(regex).test(text)) return undefined;
  note('body', 'secret');
  return { regex };
}

function answerOf(message: LdapMessage, { entries, references, result }: ReadAnswer): Fields {
  const { code, matchedDn = '', message: text = '', referral } = result;
  const success = message.method === 'COMPARE' ? RESULT.compareTrue : RESULT.success;
  return {
    ...(entries.length > 0 && { entries: entries.map(entryOf) }),
    ...(references.length > 0 && {
      references: references.map((addresses) =>
        addresses.length === 1 ? literalOf(addresses[0] ?? '') : addresses.map(literalOf),
      ),
    }),
    ...(referral === undefined
      ? code !== success && { result_code: code }
      : { referral: referral.map(literalOf) }),
    ...(matchedDn !== '' && { matched_dn: literalOf(matchedDn) }),
    ...(text !== '' && { message: literalOf(text) }),
  };
}

function entryOf({ dn, attributes }: ReadEntry): Fields {
  const byName: Record<string, unknown[]> = {};
  for (const { name, values } of attributes)
    (byName[name] ??= []).push(...values.map((value) => valueOf(name, redactValue(name, value))));
  return {
    dn: literalOf(dn),
    attributes: Object.fromEntries(
      Object.entries(byName).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
    ),
  };
}

function valueOf(name: string, value: Buffer): unknown {
  if (isBinary(name) || !isUtf8(value)) return { base64: value.toString('base64') };
  return literal(value.toString('utf8'));
}

function literalOf(text: string): string {
  return literal(redactText(text));
}
