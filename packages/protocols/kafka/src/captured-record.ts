import type { ValueOf } from '@backlot/core/plugin';
import type { TransactionMark } from './broker/transaction.js';
import type { CaptureSchema } from './schemas.js';
import { show, type Shown } from './text.js';
import type { RecordHeader } from './wire/record.js';

export type Captured = ValueOf<typeof CaptureSchema>;
type Headers = Captured['headers'];

/** The latest moment that a date can show, in ms since 1970. */
const LAST_DATE = 8.64e15;

/** What is shown of a record. */
interface ShownRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
  readonly timestamp: number;
  /** The ids of the schemas that key and value were decoded by. */
  readonly keySchemaId?: number | undefined;
  readonly valueSchemaId?: number | undefined;
}

/** Where a batch was stored; its records share it. */
export interface StoredPlace {
  readonly baseOffset: number;
  /** Milliseconds since 1970, for a record without a time of its own. */
  readonly takenAt: number;
  readonly newId: () => string;
  /** Of the transaction that it is a part of. */
  readonly mark: TransactionMark | undefined;
}

/** A record as the schema of captured messages has it. @param place - of the record in its batch */
export function captureRecord(
  id: string,
  topic: string,
  partition: number,
  place: number,
  record: ShownRecord,
  stored: StoredPlace | undefined,
): Captured {
  const { baseOffset = 0, takenAt = 0, mark } = stored ?? {};
  const { keySchemaId, valueSchemaId, timestamp } = record;
  const key = show(record.key);
  const value = show(record.value);
  const { headers, encodings } = collectHeaders(record.headers);
  const isDate = timestamp >= 0 && timestamp <= LAST_DATE;
  return {
    id,
    topic,
    partition,
    offset: baseOffset + place,
    key: key.text,
    ...(key.isBase64 ? { key_encoding: 'base64' as const } : {}),
    ...(keySchemaId === undefined ? {} : { key_schema_id: keySchemaId }),
    value: value.text,
    ...(value.isBase64 ? { value_encoding: 'base64' as const } : {}),
    ...(valueSchemaId === undefined ? {} : { value_schema_id: valueSchemaId }),
    headers,
    ...(encodings === undefined ? {} : { headers_encoding: encodings }),
    timestamp: new Date(isDate ? timestamp : takenAt).toISOString(),
    ...(mark === undefined ? {} : { transactional_id: mark.id, transaction: mark.outcome }),
  };
}

function collectHeaders(list: readonly RecordHeader[]): {
  readonly headers: Headers;
  readonly encodings: Record<string, 'base64'> | undefined;
} {
  const byName = new Map<string, (Buffer | null)[]>();
  for (const [name, value] of list) {
    const values = byName.get(name);
    if (values === undefined) byName.set(name, [value]);
    else values.push(value);
  }
  // Without a prototype, so that a header named __proto__ is a header.
  const headers = Object.create(null) as Headers;
  const encodings = Object.create(null) as Record<string, 'base64'>;
  for (const [name, values] of byName) {
    let shown: readonly Shown[] = values.map(show);
    if (shown.some((one) => one.isBase64)) {
      encodings[name] = 'base64';
      shown = values.map((value) => ({ text: value?.toString('base64') ?? null, isBase64: true }));
    }
    const texts = shown.map((one) => one.text);
    headers[name] = texts.length === 1 ? (texts[0] ?? null) : texts;
  }
  return { headers, encodings: Object.keys(encodings).length === 0 ? undefined : encodings };
}
