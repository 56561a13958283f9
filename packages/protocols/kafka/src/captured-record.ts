import type { ValueOf } from '@backlot/core/plugin';
import type { TransactionMark } from './broker/transaction.js';
import type { CaptureSchema } from './schemas.js';
import { show, type Shown } from './text.js';
import type { RecordHeader } from './wire/record.js';

type Captured = ValueOf<typeof CaptureSchema>;
type Headers = Captured['headers'];

/** The latest moment that a date can show, in ms since 1970. */
const LAST_DATE = 8.64e15;

/** What is shown of a record. */
export interface ShownRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
  readonly timestamp: number;
  /** The ids of the schemas that key and value were decoded by. */
  readonly keySchemaId?: number | undefined;
  readonly valueSchemaId?: number | undefined;
}

/** A record that a client produced; made readable when somebody reads it. */
export class CapturedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly #record: ShownRecord;
  readonly #takenAt: number;
  readonly #newId: () => string;
  readonly #mark: TransactionMark | undefined;
  #id: string | undefined;

  /**
   * @param takenAt - milliseconds since 1970, for a record without a time of its own
   * @param mark - of the transaction that it is a part of
   */
  constructor(
    topic: string,
    partition: number,
    offset: number,
    record: ShownRecord,
    takenAt: number,
    newId: () => string,
    mark?: TransactionMark,
  ) {
    this.topic = topic;
    this.partition = partition;
    this.offset = offset;
    this.#record = record;
    this.#takenAt = takenAt;
    this.#newId = newId;
    this.#mark = mark;
  }

  get id(): string {
    return (this.#id ??= this.#newId());
  }

  get captureId(): string {
    return this.id;
  }

  get key(): string | null {
    return show(this.#record.key).text;
  }

  get value(): string | null {
    return show(this.#record.value).text;
  }

  get headers(): Headers {
    return collectHeaders(this.#record.headers).headers;
  }

  get timestamp(): string {
    const { timestamp } = this.#record;
    const isDate = timestamp >= 0 && timestamp <= LAST_DATE;
    return new Date(isDate ? timestamp : this.#takenAt).toISOString();
  }

  /** The record as the schema of captured messages has it. */
  capture(): Captured {
    const mark = this.#mark;
    const { keySchemaId, valueSchemaId } = this.#record;
    const key = show(this.#record.key);
    const value = show(this.#record.value);
    const { headers, encodings } = collectHeaders(this.#record.headers);
    return {
      id: this.id,
      topic: this.topic,
      partition: this.partition,
      offset: this.offset,
      key: key.text,
      ...(key.isBase64 ? { key_encoding: 'base64' as const } : {}),
      ...(keySchemaId === undefined ? {} : { key_schema_id: keySchemaId }),
      value: value.text,
      ...(value.isBase64 ? { value_encoding: 'base64' as const } : {}),
      ...(valueSchemaId === undefined ? {} : { value_schema_id: valueSchemaId }),
      headers,
      ...(encodings === undefined ? {} : { headers_encoding: encodings }),
      timestamp: this.timestamp,
      ...(mark === undefined ? {} : { transactional_id: mark.id, transaction: mark.outcome }),
    };
  }
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
