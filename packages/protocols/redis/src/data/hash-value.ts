import { Places } from './places.js';

/** What a field takes in memory beside its bytes and those of its value. */
const FIELD_BYTES = 128;

/** A hash. */
export class HashValue {
  readonly fields = new Map<string, string>();
  /** The fields as HRANDFIELD and HSCAN see them. */
  readonly places = new Places(() => this.fields.keys());
  #bytes = 0;

  get size(): number {
    return this.fields.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the field is new. */
  set(field: string, value: string): boolean {
    const old = this.fields.get(field);
    this.#bytes += old === undefined ? field.length + value.length + FIELD_BYTES : value.length - old.length;
    this.fields.set(field, value);
    if (old === undefined) this.places.added(field);
    return old === undefined;
  }

  /** Whether the field was there. */
  delete(field: string): boolean {
    const old = this.fields.get(field);
    if (old === undefined) return false;
    this.#bytes -= field.length + old.length + FIELD_BYTES;
    this.places.removed(field);
    return this.fields.delete(field);
  }

  /** An independent copy, made step by step. */
  *copy(): Generator<undefined, HashValue> {
    const made = new HashValue();
    for (const [field, value] of this.fields) {
      made.set(field, value);
      yield;
    }
    return made;
  }
}
