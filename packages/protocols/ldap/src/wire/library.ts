// @ts-expect-error -- the package, which comes with ldapjs, has no types
import asn1 from '@ldapjs/asn1';
import ldapjs from 'ldapjs';
import { ProtocolError } from './protocol-error.js';
import { OP } from './tags.js';

// All that is used of ldapjs stands here. Its published types know none of it.

/** What ldapjs makes of a list of values. */
interface LibraryAttribute {
  readonly type: string;
  readonly buffers: readonly Buffer[];
}

interface Library {
  readonly resultCodes: Readonly<Record<string, number>>;
  readonly Attribute: { fromBer(reader: unknown): LibraryAttribute };
  readonly Change: {
    fromBer(reader: unknown): { readonly operation: ChangeKind; readonly modification: LibraryAttribute };
  };
  readonly BindRequest: { parseToPojo(reader: unknown): SimpleBind };
  readonly DeleteRequest: { parseToPojo(reader: unknown): { readonly entry: string } };
  readonly ModifyDNRequest: { parseToPojo(reader: unknown): Rename };
  readonly ExtendedRequest: { parseToPojo(reader: unknown): { readonly requestName: string } };
}

/** The fields of a simple bind. */
interface SimpleBind {
  readonly version: number;
  readonly name: string;
  readonly credentials: string;
}

/** The fields of a modifyDN. */
export interface Rename {
  readonly entry: string;
  readonly newRdn: string;
  readonly deleteOldRdn: boolean;
  readonly newSuperior?: string | undefined;
}

/** What a change of a modify does. */
type ChangeKind = 'add' | 'delete' | 'replace';

/** An attribute as a client sent it. */
export interface GivenAttribute {
  readonly name: string;
  readonly values: readonly Buffer[];
}

/** One change of a modify. */
export interface Change {
  readonly kind: ChangeKind;
  readonly attribute: GivenAttribute;
}

/** The reader that ldapjs' messages take. */
interface Reader {
  readonly buffer: Buffer;
  /** Of the element whose length was read last. */
  readonly length: number;
  readonly offset: number;
  readLength(offset?: number): number | null;
  readSequence(tag?: number): number | null;
  readString(tag?: number): string | null;
}

const library = ldapjs as unknown as Library;
const { BerReader: LibraryReader } = asn1 as { readonly BerReader: new (bytes: Buffer) => Reader };

/**
 * ldapjs' reader believes lengths, and reads on from wherever they lead, also backwards. It finds every one of them here,
 * so that none is taken which ends beyond the message.
 */
class SoundReader extends LibraryReader {
  override readLength(offset?: number): number | null {
    const next = super.readLength(offset);
    if (next === null || this.length < 0 || this.length > this.buffer.length - next) {
      throw new ProtocolError('an element ends beyond the one around it');
    }
    return next;
  }
}

/** Result codes by their names, such as `NO_SUCH_OBJECT`. */
export const RESULT_CODES = library.resultCodes;

/** Reads a bind with a password. */
export function readSimpleBind(operation: Buffer): SimpleBind {
  return read(operation, (reader) => library.BindRequest.parseToPojo(reader));
}

/** Reads the name in a delete. */
export function readDelete(operation: Buffer): string {
  return read(operation, (reader) => library.DeleteRequest.parseToPojo(reader)).entry;
}

/** Reads a modifyDN. */
export function readModifyDn(operation: Buffer): Rename {
  return read(operation, (reader) => library.ModifyDNRequest.parseToPojo(reader));
}

/** Reads the object identifier of an extended operation. */
export function readExtended(operation: Buffer): string {
  return read(operation, (reader) => library.ExtendedRequest.parseToPojo(reader)).requestName;
}

/** Reads an add; piece by piece, since as a whole ldapjs puts the names of attributes in lower case. */
export function readAdd(operation: Buffer): { readonly dn: string; readonly attributes: GivenAttribute[] } {
  return readList(operation, OP.addRequest, (reader) => toAttribute(library.Attribute.fromBer(reader)));
}

/** Reads a modify; piece by piece, since as a whole ldapjs makes texts of all values. */
export function readModify(operation: Buffer): { readonly dn: string; readonly attributes: Change[] } {
  return readList(operation, OP.modifyRequest, (reader) => {
    const { operation: kind, modification } = library.Change.fromBer(reader);
    return { kind, attribute: toAttribute(modification) };
  });
}

function readList<T>(
  operation: Buffer,
  tag: number,
  readOne: (reader: SoundReader) => T,
): { dn: string; attributes: T[] } {
  return read(operation, (reader) => {
    reader.readSequence(tag);
    const dn = String(reader.readString());
    reader.readSequence(0x30);
    const attributes: T[] = [];
    for (const end = reader.offset + reader.length; reader.offset < end;) attributes.push(readOne(reader));
    return { dn, attributes };
  });
}

function toAttribute({ type, buffers }: LibraryAttribute): GivenAttribute {
  return { name: type, values: buffers };
}

/** Whatever ldapjs throws means that it could not read the request. */
function read<T>(operation: Buffer, readWith: (reader: SoundReader) => T): T {
  try {
    return readWith(new SoundReader(operation));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ProtocolError(`the request cannot be read: ${why}`);
  }
}
