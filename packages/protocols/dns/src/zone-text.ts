import type { AnswerRecord } from './wire/answer-record.js';

/** Records as zone files show them, one per line, for the journal. */
export function formatRecords(question: string, records: readonly AnswerRecord[]): string | undefined {
  let text: string | undefined;
  for (const { owner, zoneText } of records) {
    const name = owner === undefined ? question : owner.text;
    const line = name === '.' ? zoneText : name + zoneText;
    text = text === undefined ? line : `${text}\n${line}`;
  }
  return text;
}
