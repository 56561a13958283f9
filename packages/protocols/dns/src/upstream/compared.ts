import type { Answer } from '../wire/message-writer.js';
import { nameOfRcode } from '../wire/rcodes.js';
import { lineOf, type ReceivedAnswer } from './read-answer.js';

/** An answer as it is compared. */
export type ComparedAnswer = Pick<ReceivedAnswer, 'rcode' | 'records'>;

/** What is compared of an answer of our own. @param question - the name that was asked for, in lower case */
export function comparedOf(question: string, { rcode, records }: Answer): ComparedAnswer {
  return {
    rcode,
    records: records.map(({ owner, ttl, data }) => ({
      owner: owner?.key ?? question,
      ttl,
      type: data.type,
      text: data.text,
    })),
  };
}

/** Where two answers differ; the order of records and how long they may be kept make no difference. */
export function differencesOf(mocked: ComparedAnswer, real: ComparedAnswer): readonly string[] {
  const found: string[] = [];
  const add = (place: string, ours: unknown, theirs: unknown): void => {
    found.push(`${place}: the mock has ${JSON.stringify(ours)}, the upstream ${JSON.stringify(theirs)}`);
  };
  if (mocked.rcode !== real.rcode) add('rcode', nameOfRcode(mocked.rcode), nameOfRcode(real.rcode));
  const ours = linesOf(mocked);
  const theirs = linesOf(real);
  if (ours.join('\n') !== theirs.join('\n')) add('records', ours, theirs);
  return found;
}

function linesOf({ records }: ComparedAnswer): readonly string[] {
  if (typeof records === 'string') throw new Error(`that of the upstream cannot be read: ${records}`);
  return [...new Set(records.map((record) => lineOf(record).toLowerCase()))].toSorted();
}
