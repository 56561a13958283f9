import { parseOid } from '../oid.js';
import type { MibModule } from './read-mib.js';

/** The names at the root of the tree (X.660), which no module assigns. */
const ROOTS: ReadonlyMap<string, string> = new Map([
  ['ccitt', '0'],
  ['itu-t', '0'],
  ['iso', '1'],
  ['joint-iso-ccitt', '2'],
  ['joint-iso-itu-t', '2'],
]);
/** A name, with its module where that is given, and the numbers behind it. */
const FORM = /^(?:([A-Z][A-Za-z0-9-]*)::)?([a-z][A-Za-z0-9-]*)((?:\.\d+)*)$/;
const SHOWN = 5;
const DEEPEST = 128;

/** Where a name is assigned an OID. */
interface Place {
  readonly module: MibModule;
  readonly parts: readonly string[];
}

/** The names of MIB modules, and the OIDs that they stand for. */
export class MibNames {
  readonly #modules = new Map<string, MibModule>();
  readonly #places = new Map<string, Place[]>();
  readonly #known = new Map<string, string>();

  /** @param modules - of two with the same name the later one counts */
  constructor(modules: Iterable<MibModule>) {
    for (const module of modules) this.#modules.set(module.name, module);
    for (const module of this.#modules.values())
      for (const [name, parts] of module.assigned) {
        const places = this.#places.get(name);
        if (places === undefined) this.#places.set(name, [{ module, parts }]);
        else places.push({ module, parts });
      }
  }

  /**
   * The OID that a text stands for: numbers, or a name of a module with the numbers behind it, as in `IF-MIB::ifDescr.1` and
   * `sysDescr.0`.
   *
   * @throws Error when it is no OID, or no module has the name
   */
  read(text: string): string {
    if (!/^[A-Za-z]/.test(text)) return parseOid(text);
    const [, module, name = '', index = ''] = FORM.exec(text) ?? [];
    if (name === '')
      throw new Error(
        `must be numbers, or a name with numbers behind it such as IF-MIB::ifDescr.1, got ${JSON.stringify(text)}`,
      );
    return parseOid(this.#oidOf(name, module) + index);
  }

  #oidOf(name: string, module: string | undefined): string {
    const key = `${module ?? ''}::${name}`;
    let oid = this.#known.get(key);
    if (oid === undefined) this.#known.set(key, (oid = this.#find(name, module)));
    return oid;
  }

  #find(name: string, wanted: string | undefined): string {
    const root = wanted === undefined ? ROOTS.get(name) : undefined;
    if (root !== undefined) return root;
    if (wanted !== undefined && !this.#modules.has(wanted))
      throw new Error(`no module ${wanted} is known; name its file in mibs`);
    const places = (this.#places.get(name) ?? []).filter(
      ({ module }) => wanted === undefined || module.name === wanted,
    );
    const [first] = places;
    if (first === undefined)
      throw new Error(
        wanted === undefined
          ? `no module that is known has the name ${name}; name the file of its module in mibs`
          : `the module ${wanted} has no name ${name}`,
      );
    const oids = new Set(places.map((place) => this.#resolve(place, name, 0)));
    if (oids.size > 1) {
      const modules = places.slice(0, SHOWN).map(({ module }) => `${module.name}::${name}`);
      throw new Error(`${name} is another OID in several modules; say which, as in ${modules.join(' or ')}`);
    }
    return this.#resolve(first, name, 0);
  }

  #resolve({ module, parts }: Place, name: string, depth: number): string {
    if (depth > DEEPEST) throw new Error(`${module.name}::${name} is below itself, or too deep`);
    const [first = '', ...rest] = parts;
    return [this.#parentOf(module, first, name, depth), ...rest].join('.');
  }

  #parentOf(module: MibModule, parent: string, name: string, depth: number): string {
    if (/^\d/.test(parent)) return parent;
    const own = module.assigned.get(parent);
    if (own !== undefined) return this.#resolve({ module, parts: own }, parent, depth + 1);
    const source = module.imports.get(parent);
    const other = source === undefined ? undefined : this.#modules.get(source);
    const parts = other?.assigned.get(parent);
    if (other !== undefined && parts !== undefined)
      return this.#resolve({ module: other, parts }, parent, depth + 1);
    // Modules move names to others, and old ones import nothing: what all that have the name agree on is it.
    const places = this.#places.get(parent) ?? [];
    const oids = new Set(places.map((place) => this.#resolve(place, parent, depth + 1)));
    const [oid] = oids.size === 1 ? oids : [ROOTS.get(parent)];
    if (oid !== undefined) return oid;
    throw new Error(
      `${module.name}::${name} is below ${parent}${source === undefined ? '' : ` of ${source}`}, which is in no file of mibs`,
    );
  }
}
