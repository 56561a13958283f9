import { RESULT } from '../result-codes.js';
import type { Change, GivenAttribute } from '../wire/library.js';
import { canonicalType, isAttributeName, optionsOf } from './attribute-types.js';
import { DirectoryError } from './directory-error.js';
import type { Dn, NamePart } from './dn.js';
import { Attribute, Entry } from './entry.js';
import { ValueSet } from './value-set.js';

/** What makes the attributes that a server keeps by itself. */
export interface Stamps {
  /** The time as generalized time (RFC 4517, section 3.3.13). */
  now(): string;
  /** A UUID (RFC 4530). */
  newUuid(): string;
}

/**
 * Makes an entry of what was given. Values of its own name are added where they are missing (RFC 4511, section 4.7), and the
 * attributes that a server keeps: entryDN, entryUUID, createTimestamp, modifyTimestamp.
 *
 * @throws DirectoryError
 */
export function makeEntry(dn: Dn, given: readonly GivenAttribute[], stamps: Stamps): Entry {
  const attributes: Attribute[] = [];
  const seen = new Set<string>();
  for (const { name, values } of given) {
    const attribute = new Attribute(checkName(name), values.map(copy));
    if (attribute.isOperational) continue;
    if (values.length === 0) {
      throw new DirectoryError(RESULT.invalidAttributeSyntax, `"${name}" has no value`);
    }
    if (seen.has(attribute.key)) {
      throw new DirectoryError(RESULT.attributeOrValueExists, `"${name}" is given twice`);
    }
    seen.add(attribute.key);
    checkDistinct(attribute);
    attributes.push(attribute);
  }
  const now = stamps.now();
  return withOwnAttributes(
    dn,
    addNameParts(attributes, dn.parts[0] ?? []),
    { entryUUID: stamps.newUuid(), createTimestamp: now },
    now,
  );
}

/**
 * Makes a changed entry; all changes, or none (RFC 4511, section 4.6).
 *
 * @throws DirectoryError
 */
export function modifyEntry(entry: Entry, changes: readonly Change[], stamps: Stamps): Entry {
  const held = entry.attributes.filter((one) => !one.isOperational);
  const attributes = new Map<string, Attribute | ValueSet>(held.map((one) => [one.key, one]));
  for (const { kind, attribute: given } of changes) {
    const named = new Attribute(checkName(given.name), given.values.map(copy));
    if (named.isOperational) {
      throw new DirectoryError(RESULT.unwillingToPerform, `"${given.name}" is kept by the server`);
    }
    const before = attributes.get(named.key);
    const after = change(kind, before instanceof Attribute ? new ValueSet(before) : before, named);
    if (after === undefined) attributes.delete(named.key);
    else attributes.set(named.key, after);
  }
  const changed = new Map<string, Attribute>();
  for (const [key, one] of attributes) changed.set(key, one instanceof ValueSet ? one.toAttribute() : one);
  checkNameParts(entry.dn, changed);
  return restamped(entry, entry.dn, [...changed.values()], stamps.now());
}

/**
 * Makes an entry with a new relative name (RFC 4511, section 4.9).
 *
 * @param deleteOld - the values of the old name are removed unless they are in the new one
 */
export function renameEntry(entry: Entry, dn: Dn, deleteOld: boolean, stamps: Stamps): Entry {
  const [oldName = []] = entry.dn.parts;
  const [newName = []] = dn.parts;
  let attributes = entry.attributes.filter((one) => !one.isOperational);
  if (deleteOld) attributes = attributes.flatMap((one) => withoutNameParts(one, oldName));
  return restamped(entry, dn, addNameParts(attributes, newName), stamps.now());
}

/** The same entry elsewhere, since one above it was moved. */
export function moveEntry(entry: Entry, dn: Dn): Entry {
  return new Entry(
    dn,
    entry.attributes.map((one) => (one.type === 'entrydn' ? new Attribute('entryDN', dn.text) : one)),
  );
}

function restamped(entry: Entry, dn: Dn, attributes: readonly Attribute[], now: string): Entry {
  const read = (type: string): string =>
    entry.attributes.find((one) => one.type === type)?.values[0]?.toString('utf8') ?? '';
  const kept = { entryUUID: read('entryuuid'), createTimestamp: read('createtimestamp') };
  return withOwnAttributes(dn, attributes, kept, now);
}

function withOwnAttributes(
  dn: Dn,
  attributes: readonly Attribute[],
  kept: Readonly<Record<string, string>>,
  now: string,
): Entry {
  const own = { entryDN: dn.text, ...kept, modifyTimestamp: now };
  return new Entry(dn, [
    ...attributes,
    ...Object.entries(own).map(([name, value]) => new Attribute(name, value)),
  ]);
}

function checkName(name: string): string {
  if (!isAttributeName(name)) {
    throw new DirectoryError(RESULT.undefinedAttributeType, `"${name}" is no attribute`);
  }
  return name;
}

/** What came in a message is a view of its bytes; what stays must not hold all of them. */
function copy(value: Buffer): Buffer {
  return Buffer.from(value);
}

function checkDistinct(attribute: Attribute): void {
  if (new Set(attribute.folded).size !== attribute.folded.length) {
    throw new DirectoryError(RESULT.attributeOrValueExists, `"${attribute.name}" has a value more than once`);
  }
}

function change(kind: Change['kind'], before: ValueSet | undefined, given: Attribute): ValueSet | undefined {
  if (kind === 'replace') {
    checkDistinct(given);
    return given.values.length === 0 ? undefined : new ValueSet(given);
  }
  if (kind === 'add') {
    if (given.values.length === 0) {
      throw new DirectoryError(RESULT.protocolError, `"${given.name}" has no value to add`);
    }
    const after = before ?? new ValueSet(new Attribute(given.name, []));
    after.add(given);
    return after;
  }
  if (before === undefined) {
    throw new DirectoryError(RESULT.noSuchAttribute, `the entry has no "${given.name}"`);
  }
  if (given.values.length === 0) return undefined;
  before.delete(given);
  return before.isEmpty ? undefined : before;
}

function checkNameParts(dn: Dn, attributes: ReadonlyMap<string, Attribute>): void {
  for (const { type, value } of dn.parts[0] ?? []) {
    const named = new Attribute(type, [value]);
    if (!attributes.get(named.key)?.folded.includes(named.folded[0] ?? '')) {
      throw new DirectoryError(RESULT.notAllowedOnRdn, `a value of "${type}" is the name of the entry`);
    }
  }
}

function addNameParts(attributes: readonly Attribute[], parts: readonly NamePart[]): Attribute[] {
  const all = [...attributes];
  for (const { type, value } of parts) {
    const named = new Attribute(type, [value]);
    const at = all.findIndex((one) => one.key === named.key);
    const held = all[at];
    if (held === undefined) all.push(named);
    else if (!held.folded.includes(named.folded[0] ?? '')) {
      all[at] = new Attribute(held.name, [...held.values, value]);
    }
  }
  return all;
}

function withoutNameParts(attribute: Attribute, parts: readonly NamePart[]): Attribute[] {
  const gone = new Set(
    parts
      .filter(({ type }) => canonicalType(type) === attribute.type && optionsOf(attribute.name).length === 0)
      .map(({ type, value }) => new Attribute(type, [value]).folded[0]),
  );
  if (gone.size === 0) return [attribute];
  const left = attribute.values.filter((_value, index) => !gone.has(attribute.folded[index]));
  return left.length === 0 ? [] : [new Attribute(attribute.name, left)];
}
