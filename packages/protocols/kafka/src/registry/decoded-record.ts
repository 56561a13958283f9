import type { RecordView } from '../message.js';
import type { RecordHeader, WireRecord } from '../wire/record.js';
import type { Registry } from './registry.js';
import { decodeValue, type DecodedValue } from './wire-format.js';

/** A record whose key or value was decoded: both are seen as JSON. */
export class DecodedRecord implements RecordView {
  readonly #record: WireRecord;
  readonly #key: DecodedValue | undefined;
  readonly #value: DecodedValue | undefined;

  constructor(record: WireRecord, key: DecodedValue | undefined, value: DecodedValue | undefined) {
    this.#record = record;
    this.#key = key;
    this.#value = value;
  }

  get key(): Buffer | null {
    return this.#key?.json ?? this.#record.key;
  }

  get value(): Buffer | null {
    return this.#value?.json ?? this.#record.value;
  }

  get valueLength(): number {
    return this.#value?.json.length ?? this.#record.valueLength;
  }

  get keySchemaId(): number | undefined {
    return this.#key?.schemaId;
  }

  get valueSchemaId(): number | undefined {
    return this.#value?.schemaId;
  }

  get keyText(): string | undefined {
    return this.#key === undefined ? this.#record.keyText : this.#key.json.toString('utf8');
  }

  get valueText(): string | undefined {
    return this.#value === undefined ? this.#record.valueText : this.#value.json.toString('utf8');
  }

  get timestamp(): number {
    return this.#record.timestamp;
  }

  get hasHeaders(): boolean {
    return this.#record.hasHeaders;
  }

  get headers(): readonly RecordHeader[] {
    return this.#record.headers;
  }

  /** Both forms are kept. */
  get size(): number {
    return this.#record.size + (this.#key?.json.length ?? 0) + (this.#value?.json.length ?? 0);
  }
}

/** A record as matching, templates and the lists see it. */
export function viewRecord(record: WireRecord, registry: Registry | undefined): WireRecord | DecodedRecord {
  if (registry === undefined) return record;
  const key = decodeValue(record.key, registry);
  const value = decodeValue(record.value, registry);
  return key === undefined && value === undefined ? record : new DecodedRecord(record, key, value);
}
