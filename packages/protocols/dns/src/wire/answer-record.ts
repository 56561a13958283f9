import type { DomainName } from './name.js';
import type { RecordData } from './record-data.js';
import { nameOfType } from './types.js';

/** A record of an answer. */
export interface AnswerRecord {
  /** Whose record it is; undefined for the name in the question. */
  readonly owner: DomainName | undefined;
  /** Seconds. */
  readonly ttl: number;
  readonly data: RecordData;
  /** The record as zone files show it, without its owner's labels. */
  readonly zoneText: string;
}

/** Makes a record; without an owner it is one of the name in the question, and can be used for every question. */
export function makeAnswerRecord(data: RecordData, ttl: number, owner?: DomainName): AnswerRecord {
  return { owner, ttl, data, zoneText: `. ${ttl} IN ${nameOfType(data.type)} ${data.text}` };
}
