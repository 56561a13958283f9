import { literal, redactText, type RecordedPair } from '@backlot/kit/upstream';
import type { DnsMessage } from '../message.js';
import { nameOfRcode, RCODE } from '../wire/rcodes.js';
import { nameOfType, TYPE } from '../wire/types.js';
import type { ReceivedAnswer, ReceivedRecord } from './read-answer.js';

/** What cannot stand in a mock as the name alone that it is. */
const NO_PLAIN_NAME = /[\\*]/;

/** Which recording answers a question. */
export function keyOf({ key, body }: Pick<DnsMessage, 'key' | 'body'>): string {
  return `${body} ${key}`;
}

/** Mocks that give an answer, one for each name and type in it; or why there are none. */
export function recordingsOf(message: DnsMessage, answer: ReceivedAnswer): readonly RecordedPair[] | string {
  const { rcode, records, isTruncated } = answer;
  if (isTruncated) return 'it is cut off, and the whole comes by TCP';
  if (typeof records === 'string') return `it cannot be read: ${records}`;
  if (rcode > 15) return `its response code ${rcode} needs EDNS`;
  const sets = new Map<string, ReceivedRecord[]>();
  for (const record of records) {
    const key = `${nameOfType(record.type)} ${record.owner}`;
    const set = sets.get(key);
    if (set === undefined) sets.set(key, [record]);
    else set.push(record);
  }
  const pairs = Array.from(sets, ([key, set]) => pairOf(key, set));
  const last = lastName(message.key, records);
  const key = `${message.body} ${last}`;
  const isAnswered = message.type === TYPE.ANY ? sets.size > 0 : sets.has(key);
  if (!isAnswered || rcode !== RCODE.NOERROR)
    pairs.push({
      key,
      name: key,
      match: { name: last, type: message.body },
      answer: rcode === RCODE.NOERROR ? { records: [] } : { rcode: nameOfRcode(rcode).replace('RCODE', '') },
    });
  if (pairs.some(({ match }) => NO_PLAIN_NAME.test(String(match['name']))))
    return 'a name in it has escapes or a star';
  return pairs;
}

function pairOf(key: string, set: readonly ReceivedRecord[]): RecordedPair {
  const [{ owner, type }] = set as readonly [ReceivedRecord];
  // The order of records of a set means nothing (RFC 2181 section 5), and servers turn it around.
  const records = [...new Set(set.map(({ text }) => redactText(text)))].toSorted().map(literal);
  return {
    key,
    name: key,
    match: { name: owner, type: nameOfType(type) },
    // A server that has it from another one counts it down.
    rest: { ttl: Math.min(...set.map(({ ttl }) => ttl)) },
    answer: { records },
  };
}

/** The name that the aliases of an answer lead to. */
function lastName(question: string, records: readonly ReceivedRecord[]): string {
  let name = question;
  for (let count = 0; count < records.length; count += 1) {
    const alias = records.find(({ owner, type }) => type === TYPE.CNAME && owner === name);
    if (alias === undefined) return name;
    name = alias.text.replace(/(.)\.$/, '$1').toLowerCase();
  }
  return name;
}
