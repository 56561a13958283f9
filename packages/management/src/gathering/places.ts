import { invalidAt } from '../routes/management-route.js';
import type { Target } from './target.js';

/** How many replicas one text can name. */
const MOST = 200;
const START = '0';

interface Place {
  /** Of the process: another one of the same name begins anew. */
  readonly session: string;
  readonly id: string;
}

/** Up to where a reader has read what each replica has. */
export class Places {
  readonly #places: Map<string, Place>;

  private constructor(places: Map<string, Place>) {
    this.#places = places;
  }

  /** Those of a reader who has read nothing. */
  static none(): Places {
    return new Places(new Map());
  }

  /**
   * Reads what {@link write} has written.
   *
   * @param isNumbered - whether ids are numbers
   * @throws BacklotError `invalid`
   */
  static read(text: string, isNumbered: boolean): Places {
    const places = new Map<string, Place>();
    if (text === START) return new Places(places);
    const parts = text.split(',', MOST + 1);
    for (const part of parts) {
      const [, id, name, session] = /^([^@~]+)@([\w.-]{1,100})~(\w{1,50})$/.exec(part) ?? [];
      const isId = id !== undefined && (!isNumbered || /^\d{1,15}$/.test(id));
      if (!isId || name === undefined || session === undefined || parts.length > MOST)
        throw invalidAt(
          '/after',
          `a place in what several replicas have is what the header Backlot-After of an answer, or the id of an event, says of all of them, or 0; got ${JSON.stringify(text.slice(0, 200))}`,
        );
      places.set(name, { session, id: decode(id) });
    }
    return new Places(places);
  }

  /** Up to where it has read one replica; undefined when it has read nothing of this process. */
  of({ name, session }: Target): string | undefined {
    const place = this.#places.get(name);
    return place?.session === session ? place.id : undefined;
  }

  move({ name, session }: Target, id: string): void {
    this.#places.set(name, { session, id });
  }

  copy(): Places {
    return new Places(new Map(this.#places));
  }

  /** All of it as one text without spaces. */
  write(): string {
    if (this.#places.size === 0) return START;
    const parts = Array.from(this.#places, ([name, { session, id }]) => `${encode(id)}@${name}~${session}`);
    return parts.slice(-MOST).join(',');
  }
}

function encode(id: string): string {
  return encodeURIComponent(id).replaceAll('~', '%7E');
}

function decode(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
