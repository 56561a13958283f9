import { codingsOf, type ContentCoding } from '@backlot/kit/http';
import type { HttpContext } from './shape.js';
import type { Incoming } from './wire/outgoing.js';

type Decode = NonNullable<HttpContext['config']['decode']>;

const NO_CODINGS: readonly ContentCoding[] = [];

/** Which codings of a body are taken off before anybody looks at it. */
export class DecodedCodings {
  readonly #decode: Decode;
  /** What mounts say of themselves, the longest paths first. */
  readonly #mounts: readonly { readonly path: string; readonly decode: Decode }[];

  constructor({ decode = true, mounts = [] }: Pick<HttpContext['config'], 'decode' | 'mounts'>) {
    this.#decode = decode;
    this.#mounts = mounts
      .flatMap(({ path, decode: own }) => (own === undefined ? [] : [{ path, decode: own }]))
      .sort((one, other) => other.path.length - one.path.length);
  }

  /** The codings of a request's body that are taken off, the outermost first. Its path is that below its mount. */
  codingsOf(request: Incoming): readonly ContentCoding[] {
    const codings = codingsOf(request.headers);
    if (codings === undefined) return NO_CODINGS;
    const decode = this.#mounts.length === 0 ? this.#decode : this.#decodeAt(request.url ?? '/');
    if (typeof decode === 'boolean') return decode ? codings : NO_CODINGS;
    // What is inside of a coding that stays cannot be reached.
    const kept = codings.findIndex((coding) => !decode.includes(coding));
    return kept < 0 ? codings : codings.slice(0, kept);
  }

  /** Whether nothing is left on the body of a request that could be taken off. */
  takesAll(request: Incoming): boolean {
    return this.codingsOf(request).length === (codingsOf(request.headers) ?? NO_CODINGS).length;
  }

  #decodeAt(target: string): Decode {
    const own = this.#mounts.find(
      ({ path }) => target.startsWith(path) && /^[/?]?$/.test(target.charAt(path.length)),
    );
    return own === undefined ? this.#decode : own.decode;
  }
}
