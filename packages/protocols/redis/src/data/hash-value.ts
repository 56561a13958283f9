import { FieldExpiries } from './field-expiries.js';
import { LargeMap } from './large-map.js';
import { Places } from './places.js';

/** What a field takes in memory beside its bytes and those of its value. */
const FIELD_BYTES = 128;
/** What its expiry takes. */
const EXPIRY_BYTES = 128;
/** Most fields of a hash that expire: those of one moment go away in one step. */
export const MAX_TIMED = 16_384;

/** A hash. */
export class HashValue {
  readonly fields = new LargeMap<string>();
  /** The fields as HRANDFIELD and HSCAN see them. */
  readonly places = new Places(
    () => this.fields.keys(),
    () => this.size,
  );
  #bytes = 0;
  /** When fields go away, once one does. */
  #expiries: FieldExpiries | undefined;

  get size(): number {
    return this.fields.size;
  }

  get bytes(): number {
    return this.#bytes + EXPIRY_BYTES * this.timed;
  }

  /** How many fields will go away. */
  get timed(): number {
    return this.#expiries?.size ?? 0;
  }

  /** When the next field goes away, in milliseconds since 1970; 0: never. */
  get nextExpiry(): number {
    return this.#expiries?.next ?? 0;
  }

  /** When a field goes away, in milliseconds since 1970; 0: never. */
  expiryOf(field: string): number {
    return this.#expiries?.of(field) ?? 0;
  }

  /** Sets when a field that is there goes away; 0: never. */
  expireField(field: string, dueAt: number): void {
    if (dueAt === 0) {
      this.#expiries?.remove(field);
      if (this.timed === 0) this.#expiries = undefined;
      return;
    }
    this.#expiries ??= new FieldExpiries();
    this.#expiries.set(field, dueAt);
  }

  /** Removes the fields whose moment has come. */
  removeExpired(now: number): void {
    for (;;) {
      const field = this.#expiries?.due(now);
      if (field === undefined) return;
      this.delete(field);
    }
  }

  /**
   * Whether the field is new.
   *
   * @param keepsExpiry - whether it goes away when it would have
   */
  set(field: string, value: string, keepsExpiry = false): boolean {
    if (this.#expiries !== undefined && !keepsExpiry) this.expireField(field, 0);
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
    if (this.#expiries !== undefined) this.expireField(field, 0);
    this.places.removed(field);
    return this.fields.delete(field);
  }

  /** An independent copy, made step by step. */
  *copy(): Generator<undefined, HashValue> {
    const made = new HashValue();
    for (const [field, value] of this.fields) {
      made.set(field, value);
      const dueAt = this.expiryOf(field);
      if (dueAt > 0) made.expireField(field, dueAt);
      yield;
    }
    return made;
  }
}
