const FIELD_BYTES = 64;

/** A hash. */
export class HashValue {
  readonly fields = new Map<string, string>();
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
    return old === undefined;
  }

  /** Whether the field was there. */
  delete(field: string): boolean {
    const old = this.fields.get(field);
    if (old === undefined) return false;
    this.#bytes -= field.length + old.length + FIELD_BYTES;
    return this.fields.delete(field);
  }

  clone(): HashValue {
    const copy = new HashValue();
    for (const [field, value] of this.fields) copy.set(field, value);
    return copy;
  }
}
