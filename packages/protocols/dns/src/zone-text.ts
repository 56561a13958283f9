import type { AnswerRecord } from './wire/message-writer.js';
import { nameOfType } from './wire/types.js';

/** Records as zone files show them, one per line, for the journal. */
export function formatRecords(question: string, records: readonly AnswerRecord[]): string | undefined {
  let text: string | undefined;
  for (const { owner, ttl, data } of records) {
    const name = owner?.text ?? question;
    const line = `${name === '.' ? '' : name}. ${ttl} IN ${nameOfType(data.type)} ${data.text}`;
    text = text === undefined ? line : `${text}\n${line}`;
  }
  return text;
}
