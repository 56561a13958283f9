import { canonicalType, isAttributeName } from '../data/attribute-types.js';
import type { Directory } from '../data/directory.js';
import { DirectoryError } from '../data/directory-error.js';
import { makeDn, parseDn, type Dn } from '../data/dn.js';
import { formatLine } from '../data/entry.js';
import { assertion, equalTo } from '../data/filter.js';
import { makeEntry, modifyEntry, moveEntry, renameEntry, type Stamps } from '../data/make-entry.js';
import { RESULT } from '../result-codes.js';
import { refer } from './refer.js';
import type { Result } from '../wire/encode.js';
import type {
  AddRequest,
  CompareRequest,
  DeleteRequest,
  ModifyDnRequest,
  ModifyRequest,
} from '../wire/request.js';

/** An operation on one entry of the tree. */
export type EntryRequest = AddRequest | CompareRequest | DeleteRequest | ModifyDnRequest | ModifyRequest;

/** What the controls of a request ask for. */
export interface OperationControls {
  /** A delete takes what is below too. */
  readonly withTree: boolean;
  /** Entries that refer to other servers are as any other (the control ManageDsaIT, RFC 3296, 3). */
  readonly managesReferrals: boolean;
}

const SUCCESS: Result = { code: RESULT.success };

/**
 * Does an operation on the tree.
 *
 * @throws DirectoryError, DnError
 */
export function operate(
  request: EntryRequest,
  directory: Directory,
  stamps: Stamps,
  { withTree, managesReferrals }: OperationControls,
): Result {
  if (!managesReferrals) referElsewhere(request, directory);
  switch (request.type) {
    case 'add':
      directory.add(makeEntry(parseDn(request.dn), request.attributes, stamps));
      return SUCCESS;
    case 'delete':
      directory.delete(parseDn(request.dn), withTree);
      return SUCCESS;
    case 'modify':
      directory.put(modifyEntry(directory.require(parseDn(request.dn)), request.changes, stamps));
      return SUCCESS;
    case 'modifydn':
      return rename(request, directory, stamps);
    case 'compare':
      return compare(request, directory);
  }
}

/** @throws DirectoryError */
function referElsewhere(request: EntryRequest, directory: Directory): void {
  const { type } = request;
  const dn = parseDn(type === 'modifydn' ? request.entry : request.dn);
  refer(directory, dn);
  const superior = type === 'modifydn' ? request.newSuperior : undefined;
  if (superior !== undefined && directory.referralAt(parseDn(superior).key) !== undefined)
    throw new DirectoryError(RESULT.affectsMultipleDsas, `"${superior}" is on another server`);
}

function rename(
  { entry: name, newRdn, deleteOldRdn, newSuperior }: ModifyDnRequest,
  directory: Directory,
  stamps: Stamps,
): Result {
  const dn = parseDn(name);
  const entry = directory.require(dn);
  const rdn = parseDn(newRdn);
  const [own, ...more] = rdn.parts;
  if (own === undefined || more.length > 0) {
    throw new DirectoryError(RESULT.invalidDnSyntax, `"${newRdn}" is not one relative name, as uid=ada is`);
  }
  let above: Dn['parts'] = entry.dn.parts.slice(1);
  if (newSuperior !== undefined) {
    const superior = parseDn(newSuperior);
    if (superior.key !== '' && !directory.knows(superior.key)) throw directory.missing(superior);
    above = superior.parts;
  }
  const moved = renameEntry(entry, makeDn([own, ...above]), deleteOldRdn, stamps);
  const depth = entry.dn.parts.length;
  directory.move(dn, moved, (below) =>
    moveEntry(below, makeDn([...below.dn.parts.slice(0, -depth), ...moved.dn.parts])),
  );
  return SUCCESS;
}

function compare({ dn, attribute, value }: CompareRequest, directory: Directory): Result {
  const entry = directory.require(parseDn(dn));
  if (!isAttributeName(attribute)) {
    throw new DirectoryError(RESULT.undefinedAttributeType, `"${attribute}" is no attribute`);
  }
  const asserted = assertion(attribute, value);
  const held = entry.attributes.filter((one) => one.is(canonicalType(attribute), asserted.options));
  if (held.length === 0) {
    throw new DirectoryError(RESULT.noSuchAttribute, `the entry has no "${attribute}"`);
  }
  const isSame = held.some(({ folded }) => folded.some(equalTo(asserted)));
  return { code: isSame ? RESULT.compareTrue : RESULT.compareFalse };
}

/** What an operation holds, as LDIF (RFC 2849), for the journal and templates. */
export function formatRequest(request: EntryRequest): string {
  switch (request.type) {
    case 'add':
      return request.attributes.map(({ name, values }) => formatValues(name, values)).join('');
    case 'modify':
      return request.changes
        .map(({ kind, attribute: { name, values } }) => `${kind}: ${name}\n${formatValues(name, values)}-\n`)
        .join('');
    case 'modifydn': {
      const { newRdn, deleteOldRdn, newSuperior } = request;
      const superior = newSuperior === undefined ? '' : `newsuperior: ${newSuperior}\n`;
      return `newrdn: ${newRdn}\ndeleteoldrdn: ${deleteOldRdn ? 1 : 0}\n${superior}`;
    }
    case 'compare':
      return formatValues(request.attribute, [request.value]);
    case 'delete':
      return '';
  }
}

function formatValues(name: string, values: readonly Buffer[]): string {
  return values.map((value) => formatLine(name, value)).join('');
}
