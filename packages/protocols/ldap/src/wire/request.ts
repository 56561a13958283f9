import { FramingError } from '@backlot/kit/framing';
import { DirectoryError } from '../data/directory-error.js';
import type { Filter } from '../data/filter.js';
import { RESULT } from '../result-codes.js';
import { SCOPES, type Scope } from '../scopes.js';
import { BerReader } from './ber-reader.js';
import { decodeFilter } from './decode-filter.js';
import {
  readAdd,
  readDelete,
  readExtended,
  readModify,
  readModifyDn,
  readSimpleBind,
  type Change,
  type GivenAttribute,
  type Rename,
} from './library.js';
import { ProtocolError } from './protocol-error.js';
import { countElements } from './structure.js';
import { ANSWER_TO, OP, TAG } from './tags.js';

/** What a client wants beside the operation (RFC 4511, section 4.1.11). */
export interface Control {
  readonly oid: string;
  readonly isCritical: boolean;
  readonly value: Buffer | undefined;
}

/** A message whose operation is not read yet. */
export interface Envelope {
  readonly id: number;
  /** Which operation. */
  readonly tag: number;
  /** With its tag and length. */
  readonly operation: Buffer;
  readonly controls: Buffer | undefined;
}

export interface BindRequest {
  readonly type: 'bind';
  readonly version: number;
  readonly name: string;
  readonly simple: string | undefined;
  readonly sasl: { readonly mechanism: string; readonly credentials: Buffer | undefined } | undefined;
}
export interface SearchRequest {
  readonly type: 'search';
  readonly base: string;
  readonly scope: Scope;
  readonly sizeLimit: number;
  /** Seconds; 0 is none. */
  readonly timeLimit: number;
  readonly typesOnly: boolean;
  readonly filter: Filter;
  readonly attributes: readonly string[];
}
export interface AddRequest {
  readonly type: 'add';
  readonly dn: string;
  readonly attributes: readonly GivenAttribute[];
}
export interface ModifyRequest {
  readonly type: 'modify';
  readonly dn: string;
  readonly changes: readonly Change[];
}
export interface DeleteRequest {
  readonly type: 'delete';
  readonly dn: string;
}
export interface ModifyDnRequest extends Rename {
  readonly type: 'modifydn';
}
export interface CompareRequest {
  readonly type: 'compare';
  readonly dn: string;
  readonly attribute: string;
  readonly value: Buffer;
}
export interface ExtendedRequest {
  readonly type: 'extended';
  readonly oid: string;
  readonly value: Buffer | undefined;
}
/** What a client asks for. */
export type Request =
  | BindRequest
  | SearchRequest
  | AddRequest
  | ModifyRequest
  | DeleteRequest
  | ModifyDnRequest
  | CompareRequest
  | { readonly type: 'unbind' }
  | { readonly type: 'abandon'; readonly id: number }
  | ExtendedRequest;

const MAX_ID = 2 ** 31 - 1;
/** Elements of one request: its values, attributes, changes and parts of filters together. */
const MAX_ELEMENTS = 20_000;
const MAX_ATTRIBUTES = 1000;
/** Parts of a filter, those that hold others included. */
const MAX_CLAUSES = 2000;

/**
 * Reads what is around an operation.
 *
 * @throws FramingError for what is no request: the connection must end then (RFC 4511, section 4.1.1)
 */
export function decodeEnvelope(frame: Buffer): Envelope {
  try {
    const reader = new BerReader(frame);
    const id = reader.integer();
    const { tag } = reader;
    const operation = reader.element();
    if (!ANSWER_TO.has(tag) && tag !== OP.unbindRequest && tag !== OP.abandonRequest) {
      throw new ProtocolError(`0x${tag.toString(16)} is no request`);
    }
    if (id < 1 || id > MAX_ID) throw new ProtocolError(`${id} is no number of a request`);
    const controls = reader.tag === TAG.controls ? reader.bytes(TAG.controls) : undefined;
    return { id, tag, operation, controls };
  } catch (error) {
    if (error instanceof ProtocolError) throw new FramingError('malformed', error.message);
    throw error;
  }
}

/**
 * Reads controls.
 *
 * @throws ProtocolError
 */
export function decodeControls(bytes: Buffer): Control[] {
  const reader = new BerReader(bytes);
  const controls: Control[] = [];
  while (!reader.isAtEnd) {
    const one = reader.inside(TAG.sequence);
    const oid = one.text();
    const isCritical = one.tag === TAG.boolean && one.boolean();
    const value = one.tag === TAG.octets ? one.bytes(TAG.octets) : undefined;
    controls.push({ oid, isCritical, value });
  }
  return controls;
}

/**
 * Reads an operation.
 *
 * @throws ProtocolError
 */
export function decodeRequest({ tag, operation }: Envelope): Request {
  checkCount(operation);
  switch (tag) {
    case OP.searchRequest:
      return decodeSearch(operation);
    case OP.bindRequest:
      return decodeBind(operation);
    case OP.unbindRequest:
      return { type: 'unbind' };
    case OP.abandonRequest:
      return { type: 'abandon', id: new BerReader(operation).integer(OP.abandonRequest) };
    case OP.addRequest:
      return { type: 'add', ...readAdd(operation) };
    case OP.modifyRequest: {
      const { dn, attributes } = readModify(operation);
      return { type: 'modify', dn, changes: attributes };
    }
    case OP.deleteRequest:
      return { type: 'delete', dn: readDelete(operation) };
    case OP.modifyDnRequest:
      return { type: 'modifydn', ...readModifyDn(operation) };
    case OP.compareRequest:
      return decodeCompare(operation);
    default:
      return { type: 'extended', oid: readExtended(operation), value: readExtendedValue(operation) };
  }
}

/** @throws DirectoryError when a request has more parts than are worked through at once */
function checkCount(operation: Buffer): void {
  if (operation.length > MAX_ELEMENTS && countElements(operation) > MAX_ELEMENTS) {
    throw new DirectoryError(
      RESULT.adminLimitExceeded,
      `a request has at most ${MAX_ELEMENTS} elements: values, attributes and parts of a filter`,
    );
  }
}

function decodeSearch(operation: Buffer): SearchRequest {
  const reader = new BerReader(operation).inside(OP.searchRequest);
  const base = reader.text();
  const scope = SCOPES[reader.integer(TAG.enumerated)];
  if (scope === undefined) throw new ProtocolError('the scope is none of base, one and sub');
  const dereference = reader.integer(TAG.enumerated);
  if (dereference < 0 || dereference > 3)
    throw new ProtocolError(`${dereference} is no way to follow aliases`);
  const sizeLimit = reader.integer();
  const timeLimit = reader.integer();
  if (sizeLimit < 0 || timeLimit < 0) throw new ProtocolError('a limit is below 0');
  const typesOnly = reader.boolean();
  const filter = decodeFilter(reader, { left: MAX_CLAUSES });
  const names = reader.inside(TAG.sequence);
  const attributes: string[] = [];
  while (!names.isAtEnd) {
    if (attributes.length === MAX_ATTRIBUTES)
      throw new DirectoryError(
        RESULT.adminLimitExceeded,
        `a search names at most ${MAX_ATTRIBUTES} attributes`,
      );
    attributes.push(names.text());
  }
  return { type: 'search', base, scope, sizeLimit, timeLimit, typesOnly, filter, attributes };
}

/** ldapjs knows no SASL. */
function decodeBind(operation: Buffer): BindRequest {
  const reader = new BerReader(operation).inside(OP.bindRequest);
  const version = reader.integer();
  const name = reader.text();
  if (reader.tag === 0x80) {
    const { credentials } = readSimpleBind(operation);
    return { type: 'bind', version, name, simple: credentials, sasl: undefined };
  }
  const sasl = reader.inside(0xa3);
  const mechanism = sasl.text();
  const credentials = sasl.tag === TAG.octets ? sasl.bytes(TAG.octets) : undefined;
  return { type: 'bind', version, name, simple: undefined, sasl: { mechanism, credentials } };
}

/** By ourselves: ldapjs makes a text of it. */
function readExtendedValue(operation: Buffer): Buffer | undefined {
  const reader = new BerReader(operation).inside(OP.extendedRequest);
  reader.element();
  return reader.isAtEnd ? undefined : reader.bytes(0x81);
}

/** By ourselves, since ldapjs makes a text of a value that may be none. */
function decodeCompare(operation: Buffer): CompareRequest {
  const reader = new BerReader(operation).inside(OP.compareRequest);
  const dn = reader.text();
  const pair = reader.inside(TAG.sequence);
  const attribute = pair.text();
  return { type: 'compare', dn, attribute, value: pair.bytes(TAG.octets) };
}
