/** What an element takes in memory beside its bytes. */
const ELEMENT_BYTES = 24;

/** A list: a ring of elements, so that both ends are equally quick. */
export class ListValue {
  #ring: (string | undefined)[] = new Array<string | undefined>(8);
  #head = 0;
  #length = 0;
  #bytes = 0;

  /** Makes a list of these elements. */
  static from(elements: Iterable<string>): ListValue {
    const list = new ListValue();
    for (const element of elements) list.pushLast(element);
    return list;
  }

  get size(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  at(index: number): string | undefined {
    return index < 0 || index >= this.#length ? undefined : this.#ring[this.#place(index)];
  }

  set(index: number, element: string): void {
    this.#bytes += element.length - (this.at(index)?.length ?? 0);
    this.#ring[this.#place(index)] = element;
  }

  pushFirst(element: string): void {
    this.#grow();
    this.#head = (this.#head - 1) & (this.#ring.length - 1);
    this.#ring[this.#head] = element;
    this.#length += 1;
    this.#bytes += element.length + ELEMENT_BYTES;
  }

  pushLast(element: string): void {
    this.#grow();
    this.#ring[this.#place(this.#length)] = element;
    this.#length += 1;
    this.#bytes += element.length + ELEMENT_BYTES;
  }

  popFirst(): string | undefined {
    if (this.#length === 0) return undefined;
    const element = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = this.#place(1);
    return this.#dropped(element);
  }

  popLast(): string | undefined {
    if (this.#length === 0) return undefined;
    const place = this.#place(this.#length - 1);
    const element = this.#ring[place];
    this.#ring[place] = undefined;
    return this.#dropped(element);
  }

  /** The elements from one index up to, not including, another. */
  slice(start: number, end: number): string[] {
    const elements: string[] = [];
    for (let index = start; index < end; index += 1) elements.push(this.at(index) ?? '');
    return elements;
  }

  /** Puts others in place of all elements. */
  replace(elements: readonly string[]): void {
    this.#ring = new Array<string | undefined>(8);
    this.#head = 0;
    this.#length = 0;
    this.#bytes = 0;
    for (const element of elements) this.pushLast(element);
  }

  clone(): ListValue {
    return ListValue.from(this.slice(0, this.#length));
  }

  #dropped(element: string | undefined): string {
    const text = element ?? '';
    this.#length -= 1;
    this.#bytes -= text.length + ELEMENT_BYTES;
    return text;
  }

  #place(index: number): number {
    return (this.#head + index) & (this.#ring.length - 1);
  }

  #grow(): void {
    const size = this.#ring.length;
    if (this.#length < size) return;
    // The size is a power of two; the elements before the head move behind the others.
    const ring = this.#ring.slice(this.#head).concat(this.#ring.slice(0, this.#head));
    ring.length = size * 2;
    this.#ring = ring;
    this.#head = 0;
  }
}
