import type { LazyCapture, Message } from '@backlot/core/plugin';
import { captureRecord, type Captured, type StoredPlace } from './captured-record.js';
import type { RecordHeader } from './wire/record.js';

type Headers = Record<string, string | string[]>;
const NOTHING = Buffer.alloc(0);

/** What matching and templates ask of a record, wherever it comes from. */
export interface RecordView {
  readonly keyText: string | undefined;
  readonly valueText: string | undefined;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** 0 when the value is null. */
  readonly valueLength: number;
  readonly size: number;
  readonly timestamp: number;
  readonly hasHeaders: boolean;
  readonly headers: readonly RecordHeader[];
  /** The ids of the schemas that key and value were decoded by. */
  readonly keySchemaId?: number | undefined;
  readonly valueSchemaId?: number | undefined;
}

/**
 * A record that a client produced, as matchers, templates and the journal see it. Its parts are cut out of the batch when somebody asks.
 */
export class KafkaMessage implements Message, LazyCapture<Captured> {
  /** The topic. */
  readonly path: string;
  readonly remote: string;
  readonly partition: number;
  readonly record: RecordView;
  /** Where it was stored; it is both the message and what is captured of it, so that one is kept. */
  stored: StoredPlace | undefined = undefined;
  /** Its place in the batch. */
  readonly #place: number;
  #id: string | undefined = undefined;
  /** Header names in lower case; null values as empty texts. */
  declare readonly headers?: Readonly<Headers>;

  /** @param place - of the record in its batch */
  constructor(topic: string, partition: number, record: RecordView, remote: string, place = 0) {
    this.path = topic;
    this.partition = partition;
    this.record = record;
    this.remote = remote;
    this.#place = place;
    if (record.hasHeaders) this.headers = headersOf(record.headers);
  }

  get method(): 'PRODUCE' | 'FETCH' {
    return 'PRODUCE';
  }

  /** The value; empty when it is null. */
  get body(): Buffer {
    return this.record.value ?? NOTHING;
  }

  get bodyLength(): number {
    return this.record.valueLength;
  }

  get captureId(): string {
    return (this.#id ??= this.stored?.newId() ?? '');
  }

  capture(): Captured {
    return captureRecord(this.captureId, this.path, this.partition, this.#place, this.record, this.stored);
  }

  /** The key and the partition, for the journal. */
  get query(): Readonly<Record<string, string>> {
    const key = this.record.keyText;
    const partition = String(this.partition);
    return key === undefined ? { partition } : { key, partition };
  }

  get extras(): Readonly<Record<string, unknown>> {
    const { keyText: key, timestamp } = this.record;
    const extras = { topic: this.path, partition: this.partition, key, timestamp };
    const { valueSchemaId } = this.record;
    return valueSchemaId === undefined ? extras : { ...extras, schema_id: valueSchemaId };
  }

  get size(): number {
    return this.record.size - this.record.valueLength;
  }
}

/** A record that an upstream has given to a client, for the journal alone: no mock answers it. */
export class FetchedMessage extends KafkaMessage {
  override get method(): 'FETCH' {
    return 'FETCH';
  }
}

function headersOf(list: readonly RecordHeader[]): Headers {
  const headers = Object.create(null) as Headers;
  for (const [name, value] of list) {
    const key = name.toLowerCase();
    const text = value?.toString('utf8') ?? '';
    const before = headers[key];
    if (before === undefined) headers[key] = text;
    else if (typeof before === 'string') headers[key] = [before, text];
    else before.push(text);
  }
  return headers;
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{path, query: {key, partition}, headers, body}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): KafkaMessage {
  const { path, remote, body, body_encoding: encoding, query, headers } = entry;
  const { key, partition } = (query ?? {}) as { key?: unknown; partition?: unknown };
  const value =
    typeof body === 'string' ? Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8') : null;
  const list = Object.entries((headers ?? {}) as Record<string, unknown>).flatMap(([name, values]) =>
    [values].flat().map((one): RecordHeader => [name, Buffer.from(String(one))]),
  );
  const record: RecordView = {
    keyText: typeof key === 'string' ? key : undefined,
    valueText: value?.toString('utf8'),
    key: typeof key === 'string' ? Buffer.from(key) : null,
    value,
    valueLength: value?.length ?? 0,
    size: value?.length ?? 0,
    timestamp: -1,
    hasHeaders: list.length > 0,
    headers: list,
  };
  const index = Number(partition ?? 0);
  return new KafkaMessage(
    typeof path === 'string' ? path : '',
    Number.isInteger(index) ? index : 0,
    record,
    typeof remote === 'string' ? remote : '',
  );
}
