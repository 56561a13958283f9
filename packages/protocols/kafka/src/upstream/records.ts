import { isUtf8 } from 'node:buffer';
import { runAtOnce } from '@backlot/core/plugin';
import { isSecretName, REDACTED, redactStringSteps, redactText } from '@backlot/kit/upstream';
import { FetchedMessage, KafkaMessage, type RecordView } from '../message.js';
import { RecordBatch } from '../wire/batch.js';
import { canDecompress } from '../wire/compression.js';
import type { RecordHeader, WireRecord } from '../wire/record.js';

/** Where the length of a batch stands, which does not count what is before it and itself. */
const LENGTH_AT = 8;
const BEFORE_LENGTH = 12;
const SMALLEST = 17;

/** The records of the batches that stand one behind the other; what cannot be read ends them. */
export function* recordsIn(bytes: Buffer): Generator<undefined, WireRecord[]> {
  const records: WireRecord[] = [];
  for (let at = 0; at + SMALLEST <= bytes.length;) {
    const end = at + bytes.readInt32BE(at + LENGTH_AT) + BEFORE_LENGTH;
    // The last one of an answer may be cut off.
    if (end > bytes.length || end <= at) break;
    const batch = new RecordBatch(bytes.subarray(at, end));
    if (batch.magic === 2 && !batch.isControl && canDecompress(batch.codec))
      records.push(...(yield* batch.recordsInSteps()));
    at = end;
    yield;
  }
  return records;
}

/** A record without its secrets, as the journal keeps it. */
export function keptMessage(
  method: 'PRODUCE' | 'FETCH',
  topic: string,
  partition: number,
  record: WireRecord,
  remote: string,
): KafkaMessage {
  const { timestamp } = record;
  const keyText = record.keyText === undefined ? undefined : redactText(record.keyText);
  const value = redactBytes(record.value);
  const view: RecordView = {
    keyText,
    valueText: value?.toString('utf8'),
    key: keyText === undefined ? null : Buffer.from(keyText),
    value,
    valueLength: value?.length ?? 0,
    size: record.size,
    timestamp,
    hasHeaders: record.hasHeaders,
    headers: record.headers.map(redactHeader),
  };
  return method === 'FETCH'
    ? new FetchedMessage(topic, partition, view, remote)
    : new KafkaMessage(topic, partition, view, remote);
}

function redactBytes(bytes: Buffer | null): Buffer | null {
  if (bytes === null) return null;
  if (!isUtf8(bytes)) return Buffer.from(bytes);
  return Buffer.from(runAtOnce(redactStringSteps(bytes.toString('utf8'))));
}

function redactHeader([name, value]: RecordHeader): RecordHeader {
  if (value === null) return [name, null];
  return [name, isSecretName(name) ? Buffer.from(REDACTED) : redactBytes(value)];
}
