import { describe, expect, it } from '@jest/globals';
import { describePrivateNames, type PrivateName } from '@backlot/conformance';
// @ts-expect-error -- the package, which comes with ldapjs, has no types
import asn1 from '@ldapjs/asn1';
import ldapjs from 'ldapjs';
import {
  readAdd,
  readDelete,
  readExtended,
  readModify,
  readModifyDn,
  readSimpleBind,
} from '../src/wire/library.js';

type Members = Readonly<Record<string, unknown>>;
const library = ldapjs as unknown as Readonly<Record<string, Members>>;
const reader = (): Members => new (asn1 as { BerReader: new (bytes: Buffer) => Members }).BerReader(BYTES);
const BYTES = Buffer.from('300304016b', 'hex');

function read(holder: string, member: string, what: string): PrivateName {
  return {
    name: `${holder}.${member}`,
    use: `reads ${what}, in src/wire/library.ts`,
    // Its own: the class that it extends has one that only says that it is missing.
    find: () => Object.getOwnPropertyDescriptor(library[holder] ?? {}, member)?.value as unknown,
  };
}

function ofReader(name: string, use: string, type: PrivateName['type'] = 'function'): PrivateName {
  return {
    name: `BerReader.${name}`,
    use: `${use}, in src/wire/library.ts`,
    type,
    find: () => reader()[name],
  };
}

describePrivateNames({ name: 'ldapjs', testUrl: import.meta.url }, [
  read('Attribute', 'fromBer', 'the attributes of an add'),
  read('Change', 'fromBer', 'the changes of a modify'),
  read('BindRequest', 'parseToPojo', 'a bind with a password'),
  read('DeleteRequest', 'parseToPojo', 'a delete'),
  read('ModifyDNRequest', 'parseToPojo', 'a modifyDN'),
  read('ExtendedRequest', 'parseToPojo', 'the name of an extended operation'),
  {
    name: 'resultCodes.NO_SUCH_OBJECT',
    use: 'gives the numbers of results their names, in src/wire/library.ts',
    type: 'number',
    find: () => library['resultCodes']?.['NO_SUCH_OBJECT'],
  },
]);

describePrivateNames({ name: '@ldapjs/asn1', testUrl: import.meta.url }, [
  ofReader('readLength', 'is where every length is checked'),
  ofReader('readSequence', 'begins a list of attributes'),
  ofReader('readString', 'reads the name of an entry'),
  ofReader('buffer', 'says how long a message is', 'object'),
  ofReader('length', 'is the length that was read last', 'number'),
  ofReader('offset', 'is where a list has come to', 'number'),
]);

/** A request of ldapjs' own client, without its number. */
function encode(type: string, fields: object): Buffer {
  const Request = ldapjs as unknown as Record<
    string,
    new (fields: object) => { toBer(): { buffer: Buffer } }
  >;
  const message = new (Request[type] as new (fields: object) => { toBer(): { buffer: Buffer } })(fields);
  // 30 <length> 02 01 <number>
  return message.toBer().buffer.subarray(5);
}

describe('what ldapjs reads', () => {
  it('has the fields that we take', () => {
    const { Attribute, Change } = ldapjs;
    const attribute = new Attribute({ type: 'cN', values: ['Ada'] });
    const change = new Change({ operation: 'add', modification: attribute });
    const given = { name: 'cN', values: [Buffer.from('Ada')] };
    expect(
      readSimpleBind(encode('BindRequest', { version: 3, name: 'cn=a', credentials: 'b' })),
    ).toMatchObject({ version: 3, name: 'cn=a', credentials: 'b' });
    expect(readDelete(encode('DeleteRequest', { entry: 'cn=a' }))).toBe('cn=a');
    expect(
      readModifyDn(
        encode('ModifyDNRequest', { entry: 'cn=a', newRdn: 'cn=b', deleteOldRdn: true, newSuperior: 'dc=c' }),
      ),
    ).toMatchObject({ entry: 'cn=a', newRdn: 'cn=b', deleteOldRdn: true, newSuperior: 'dc=c' });
    expect(readExtended(encode('ExtendedRequest', { requestName: '1.3.6' }))).toBe('1.3.6');
    expect(readAdd(encode('AddRequest', { entry: 'cn=a', attributes: [attribute] }))).toMatchObject({
      dn: 'cn=a',
    });
    expect(readModify(encode('ModifyRequest', { object: 'cn=a', changes: [change] }))).toEqual({
      dn: 'cn=a',
      attributes: [{ kind: 'add', attribute: given }],
    });
  });

  it('is held to the lengths of its elements by one method', () => {
    // A delete of 127 bytes of which three are there, and a list that reaches beyond its message.
    expect(() => readDelete(Buffer.from('4a7f616263', 'hex'))).toThrow(
      'an element ends beyond the one around it',
    );
    expect(() => readAdd(Buffer.from('6808040161307f040162', 'hex'))).toThrow(
      'ends beyond the one around it',
    );
  });
});
