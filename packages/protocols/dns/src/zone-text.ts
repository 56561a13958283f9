import type { AnswerRecord } from './wire/answer-record.js';

/** Beyond so many lines a text is put together in one piece: one of thousands of pieces would be kept as such. */
const FEW = 16;

/** Records as zone files show them, one per line, for the journal. */
export function formatRecords(question: string, records: readonly AnswerRecord[]): string | undefined {
  if (records.length > FEW) return records.map((record) => formatRecord(question, record)).join('\n');
  let text: string | undefined;
  for (const record of records) {
    const line = formatRecord(question, record);
    text = text === undefined ? line : `${text}\n${line}`;
  }
  return text;
}

function formatRecord(question: string, { owner, zoneText }: AnswerRecord): string {
  const name = owner === undefined ? question : owner.text;
  return name === '.' ? zoneText : name + zoneText;
}
