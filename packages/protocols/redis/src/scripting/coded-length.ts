import { LuaFailure } from './lua-values.js';

/** Most bytes of a JSON or MessagePack text that a script encodes or decodes: that is done at once. */
export const MAX_CODED = 4 * 1024 * 1024;
/** Most values of one such text; a key of an object is a value as well. */
export const MAX_CODED_VALUES = 32_768;
/** So many escapes of a JSON text take as long as a value. */
const ESCAPES_PER_VALUE = 4;

type Form = 'JSON' | 'MessagePack';

/** @throws LuaFailure when a text has more bytes than {@link MAX_CODED} */
export function checkLength(text: string, form: Form): void {
  if (text.length > MAX_CODED)
    throw new LuaFailure(`the ${form} text is longer than ${MAX_CODED} bytes`, false);
}

/** Counts the values of one text. */
export class CodedCount {
  readonly #form: Form;
  #left = MAX_CODED_VALUES * ESCAPES_PER_VALUE;

  constructor(form: Form) {
    this.#form = form;
  }

  /** @throws LuaFailure when there are more than {@link MAX_CODED_VALUES} */
  values(count: number): void {
    this.escapes(count * ESCAPES_PER_VALUE);
  }

  /** @throws LuaFailure when there are more, together with the values */
  escapes(count: number): void {
    this.#left -= count;
    if (this.#left < 0) this.#fail();
  }

  /** Looks at how many entries a table has, before they are gone through. @throws LuaFailure */
  checkEntries(count: number): void {
    if (count > MAX_CODED_VALUES) this.#fail();
  }

  #fail(): never {
    const escapes = this.#form === 'JSON' ? ` (${ESCAPES_PER_VALUE} escapes count as one)` : '';
    throw new LuaFailure(`the ${this.#form} text has more than ${MAX_CODED_VALUES} values${escapes}`, false);
  }
}
