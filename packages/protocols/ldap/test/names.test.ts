import { describe, expect, it } from '@jest/globals';
import { formatDn, isWithin, parentKey, parseDn } from '../src/data/dn.js';
import { filterKey, formatFilter, parseFilter } from '../src/data/filter-text.js';
import { decodeFilter } from '../src/wire/decode-filter.js';
import { BerReader } from '../src/wire/ber-reader.js';
import { ber } from './support.js';

describe('names', () => {
  it.each([
    ['uid=Ada,dc=Example,dc=com', 'UID = ada , DC=example;dc=COM'],
    ['cn=A\\, B,o=x', 'CN="a, b",O=X'],
    ['cn=a+sn=b,o=x', 'sn=B + cn=A,o=x'],
    ['cn=Lu\\C4\\8Di\\C4\\87', 'cn=Lučić'],
    ['cn=#0403666f6f', 'cn=Foo'],
    ['cn=two  spaces', 'cn= two spaces '],
    ['OID.2.5.4.3=x', 'commonName=X'],
    ['cn=a\\ ', 'cn=a'],
  ])('%s and %s are equal', (a, b) => {
    expect(parseDn(a).key).toBe(parseDn(b).key);
  });

  it.each([
    ['cn=a\\,dc=b', 'cn=a,dc=b'],
    ['cn=a\\+sn=b', 'cn=a+sn=b'],
    ['cn=a', 'sn=a'],
    ['cn=a\\=b', 'cn=ab'],
  ])('%s and %s are not', (a, b) => {
    expect(parseDn(a).key).not.toBe(parseDn(b).key);
  });

  it.each([
    'a',
    '=a',
    'cn=a,',
    'cn=a,,dc=b',
    'cn=a\\',
    'cn=a\\zz',
    'cn="a',
    'cn="a"b',
    'cn=#0',
    'cn=a"b',
    '1a=b',
    'cn=<',
  ])('%s is none', (text) => {
    expect(() => parseDn(text)).toThrow('is no distinguished name');
  });

  it('are written as they are read', () => {
    for (const text of [
      'cn=\\#a\\,b\\+c\\"d\\\\e\\<f\\>g\\;h\\=i\\ ,o=\\ x',
      'cn=a+sn=b',
      'cn=č',
      'cn=#0402ff00',
    ]) {
      expect(formatDn(parseDn(text).parts)).toBe(text);
    }
  });

  it('know what is above them', () => {
    const { key } = parseDn('cn=a\\,b,ou=x,dc=y');
    expect(isWithin(key, parseDn('OU=x,DC=y').key)).toBe(true);
    expect(isWithin(key, parseDn('b,ou=x,dc=y'.replace('b', 'cn=b')).key)).toBe(false);
    expect(parentKey(parentKey(key))).toBe('dc=y');
  });
});

describe('filters', () => {
  it.each([
    '(cn=a)',
    '(&(cn=a)(|(sn>=b)(sn<=c)(!(sn~=d))))',
    '(cn=*)',
    '(cn=a*b*c)',
    '(cn=*b*)',
    '(cn;lang-de:dn:2.5.13.5:=x\\2a)',
    '(:caseExactMatch:=x)',
    '(objectGUID=\\00\\ff\\28)',
    '(&)',
    '(|)',
  ])('%s is written as it is read', (text) => {
    expect(formatFilter(parseFilter(text))).toBe(text);
  });

  it.each([
    '',
    '(',
    '(cn)',
    '(cn=a',
    '(cn=a))',
    '((cn=a))',
    '(cn=\\zz)',
    '(=a)',
    '(:=x)',
    '(cn=a)(sn=b)',
    '(!(a=b)(c=d))',
    'c n=a',
  ])('%j is none', (text) => {
    expect(() => parseFilter(text)).toThrow('is no filter');
  });

  it('nested too deep are refused', () => {
    expect(() => parseFilter(`${'(!'.repeat(10_000)}(a=b)${')'.repeat(10_000)}`)).toThrow('deeper than 100');
  });

  it('are equal whatever the order and the case', () => {
    expect(filterKey(parseFilter('(&(CN=A  b)(uidNumber=07)(cn=a b))'))).toBe(
      filterKey(parseFilter('(&(uidnumber=7)(commonName=a B))')),
    );
    expect(filterKey(parseFilter('(cn=a)'))).not.toBe(filterKey(parseFilter('(cn~=a)')));
    expect(filterKey(parseFilter('(userPassword=A)'))).not.toBe(filterKey(parseFilter('(userPassword=a)')));
  });

  it('of a choice to come are neither true nor false', () => {
    expect(decodeFilter(new BerReader(ber(0xab, ber(0x04, 'x'))), { left: 100 })).toEqual({
      kind: 'unknown',
    });
  });
});
