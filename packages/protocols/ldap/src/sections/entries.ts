import { checkAt, invalid, type DataEntry, type DataSection, type Json } from '@backlot/core/plugin';
import { isUtf8 } from 'node:buffer';
import { isBinary } from '../data/attribute-types.js';
import type { Directory } from '../data/directory.js';
import { parseDn, type Dn } from '../data/dn.js';
import type { Entry } from '../data/entry.js';
import { makeEntry, type Stamps } from '../data/make-entry.js';
import { passwordsOf, whyUnusable } from '../data/password.js';
import { readValues } from '../data/read-values.js';

/** The entries of the directory, for people. */
export class EntrySection implements DataSection {
  readonly #directory: Directory;
  readonly #stamps: Stamps;

  constructor(directory: Directory, stamps: Stamps) {
    this.#directory = directory;
    this.#stamps = stamps;
  }

  get size(): number {
    return this.#directory.size;
  }

  *entries(): Generator<DataEntry> {
    for (const { dn } of this.#directory.within('', 'sub')) yield this.#entry(dn);
  }

  find(id: string): DataEntry | undefined {
    const dn = readDn(id);
    const entry = dn && this.#directory.get(dn.key);
    return entry === undefined ? undefined : this.#entry(entry.dn);
  }

  put(given: Json): string {
    const { dn: text, attributes = {} } = given as { dn: string; attributes?: Json };
    const dn = checkAt('/dn', () => parseDn(text));
    return checkAt('', () => {
      const values = Object.entries(attributes).map(([name, value]) => ({
        name,
        values: readValues(name, value),
      }));
      const entry = makeEntry(dn, values, this.#stamps);
      const unusable = passwordsOf(entry)
        ?.values.map(whyUnusable)
        .find((why) => why !== undefined);
      if (unusable !== undefined) throw invalid(unusable);
      if (this.#directory.get(dn.key) === undefined) this.#directory.checkFree(dn);
      this.#directory.put(entry);
      return entry.dn.text;
    });
  }

  remove(id: string): void {
    const dn = readDn(id);
    if (dn !== undefined) checkAt('', () => this.#directory.delete(dn, false));
  }

  #entry({ key, text }: Dn): DataEntry {
    return {
      id: text,
      read: () => {
        const entry = this.#directory.get(key);
        return entry === undefined ? undefined : show(entry);
      },
    };
  }
}

function readDn(text: string): Dn | undefined {
  try {
    return parseDn(text);
  } catch {
    return undefined;
  }
}

/** An entry without the attributes that only the server keeps. */
function show({ dn, attributes }: Entry): Json {
  return {
    dn: dn.text,
    attributes: Object.fromEntries(
      attributes
        .filter(({ isOperational }) => !isOperational)
        .map(({ name, values }) => [name, values.map((value) => showValue(name, value))]),
    ),
  };
}

function showValue(name: string, value: Buffer): unknown {
  const isText = !isBinary(name) && isUtf8(value);
  return isText ? value.toString('utf8') : { base64: value.toString('base64') };
}
