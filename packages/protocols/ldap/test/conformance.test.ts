import { describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { Client, ResultCodeError } from 'ldapts';
import { ldap } from '../src/index.js';

const SIMPLE = { base_dn: 'dc=simple', filter: '(objectClass=*)' };

describeConformance(ldap, {
  imports: [
    {
      format: 'ldif',
      name: 'people.ldif',
      content: `version: 1
# RFC 2849, example 1 and 3, under one name
dn: dc=airius,dc=com
objectClass: dcObject
objectClass: organization
o: Airius

dn: ou=Product Development, dc=airius, dc=com
objectClass: organizationalUnit

dn: cn=Barbara Jensen, ou=Product Development, dc=airius, dc=com
objectclass: top
objectclass: person
cn: Barbara Jensen
cn: Barbara J Jensen
sn: Jensen
description: Babs is a big sailing fan, and travels extensively in se
 arch of perfect sailing conditions.
title:: QmlyZSBSYXdseQ==
photo:: /wAB
`,
    },
  ],
  exports: [
    {
      format: 'ldif',
      settings: {
        ldap: {
          base_dn: 'dc=airius,dc=com',
          entries: [
            {
              dn: 'dc=airius,dc=com',
              attributes: { objectClass: ['dcObject', 'organization'], o: ['Airius'] },
            },
            {
              dn: 'cn=Zoë,dc=airius,dc=com',
              attributes: { objectClass: ['person'], cn: ['Zoë', 'Zoe'], sn: [` ${'long'.repeat(30)}`] },
            },
          ],
        },
      },
      bare: { ldap: { base_dn: 'dc=airius,dc=com' } },
    },
  ],
  mocks: {
    simple: { ...SIMPLE, attributes: { cn: 'one' } },
    changed: { ...SIMPLE, attributes: { cn: 'two' } },
    other: { base_dn: 'dc=other', attributes: { cn: 'three' } },
    template: { ...SIMPLE, attributes: { cn: '{{upper request.base}}' } },
    bad: [
      { base_dn: 'no name', attributes: { cn: 'a' } },
      { base_dn: 'dc=a', filter: '(cn=a', attributes: { cn: 'a' } },
      { base_dn: 'dc=a', dn: 'dc', attributes: { cn: 'a' } },
      { base_dn: 'dc=a', attributes: { 'no name': 'a' } },
      { base_dn: 'dc=a', attributes: { jpegPhoto: 'no base64!' } },
      { base_dn: 'dc=a', result_code: 'noSuchCode' },
      { base_dn: 'dc=a', result_code: 'referral' },
      { base_dn: 're:(', attributes: { cn: 'a' } },
      { base_dn: 'dc=a', attributes: { cn: '{{#open}}' } },
      { base_dn: 'dc=a', body: 'simple' },
      { base_dn: 'dc=a', search_scope: 'two' },
      { exact_base: true, attributes: { cn: 'a' } },
      { base_dn: 'ada@example.com', exact_base: true },
      { operation: 'bind', base_dn: 'dc=a', filter: '(cn=a)' },
      { operation: 'add', base_dn: 'dc=a', attributes: { cn: 'a' } },
      { operation: 'unbind' },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'DC=SIMPLE',
    unmatched: '32',
    fault: '52',
  },
  logged: { method: 'SEARCH', path: 'dc=simple' },
  login: {
    async attempt({ host, port }) {
      const client = new Client({ url: `ldap://${host}:${port}` });
      try {
        await client.bind('cn=ann,dc=simple', 'secret');
        return 'accepted';
      } catch (error) {
        return error instanceof ResultCodeError ? String(error.code) : String(error);
      } finally {
        await client.unbind().catch(() => undefined);
      }
    },
    refused: '49',
    custom: { fault: { result_code: 'busy' }, refused: '51' },
  },
  connect,
  namesSpaces: true,
});

/** ldapts: searches for the attribute cn. */
async function connect({ host, port }: ListenAddress, space?: string): Promise<ProbeClient> {
  const client = new Client({ url: `ldap://${host}:${port}` });
  await (space === undefined ? client.bind('', '') : client.bind(`cn=${space}`, 'any')).catch(
    () => undefined,
  );
  return {
    async send(message) {
      try {
        const { searchEntries } = await client.search(`dc=${message}`, { filter: '(objectClass=*)' });
        return searchEntries.map(({ cn }) => String(cn)).join(' ');
      } catch (error) {
        return error instanceof ResultCodeError ? String(error.code) : 'closed';
      }
    },
    close: () => client.unbind().catch(() => undefined),
  };
}
