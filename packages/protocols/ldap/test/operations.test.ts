import { describe, expect, it } from '@jest/globals';
import type { Json } from '@backlot/core';
import { itWithTool } from '@backlot/conformance';
import { codeOf, connect, run, startHost, type Running } from './support.js';

const BASE = 'dc=example,dc=com';
const PEOPLE = `ou=people,${BASE}`;

async function found(running: Running, base: string, more: Json = {}): Promise<unknown> {
  return (await connect(running).search(base, more)).searchEntries;
}

describe('a mock of LDAP', () => {
  it('is for one base, one scope, one list of attributes and one user alone where it says so', async () => {
    const running = await startHost({
      mocks: [
        {
          base_dn: PEOPLE,
          exact_base: true,
          search_scope: 'one',
          requested: ['CN', 'memberOf'],
          bind_dn: `uid=Ada,${BASE}`,
          entries: [{ dn: `uid=x,${PEOPLE}`, attributes: { cn: 'x', sn: 'as it stands' } }],
        },
      ],
    });
    const asked = { scope: 'one', attributes: ['memberof', 'cn'] };
    const client = connect(running);
    expect(await codeOf(client.search(PEOPLE, { scope: 'one', attributes: ['cn', 'memberOf'] }))).toBe(0);
    expect(await found(running, PEOPLE, asked)).toEqual([]);
    await client.bind(`uid=ada,${BASE}`, 'any');
    const { searchEntries } = await client.search(PEOPLE, { scope: 'one', attributes: ['memberOf', 'cn'] });
    expect(searchEntries).toEqual([{ dn: `uid=x,${PEOPLE}`, cn: 'x', sn: 'as it stands', memberOf: [] }]);
    for (const [base, more] of [
      [`uid=x,${PEOPLE}`, asked],
      [PEOPLE, { ...asked, scope: 'sub' }],
      [PEOPLE, { ...asked, attributes: ['cn'] }],
    ] as const)
      expect(
        (await client.search(base, more as Json).catch(() => ({ searchEntries: [] }))).searchEntries,
      ).toEqual([]);
  });

  itWithTool('ldapsearch', 'answers binds, comparisons and changes, and shows what it says', async () => {
    const running = await startHost({
      base_dn: BASE,
      mocks: [
        {
          operation: 'bind',
          base_dn: `uid=eve,${BASE}`,
          exact_base: true,
          result_code: 'invalidCredentials',
          message: 'the account of {{request.dn}} is locked',
        },
        { operation: 'bind', base_dn: 'ada@example.com', exact_base: true, result_code: 'busy' },
        { operation: 'compare', base_dn: PEOPLE, body: 'sn: Lovelace\n' },
        {
          operation: 'add',
          base_dn: PEOPLE,
          result_code: 'noSuchObject',
          matched_dn: BASE,
        },
        { operation: 'delete', base_dn: PEOPLE, referral: ['ldap://far.example.org/'] },
        { base_dn: '', exact_base: true, search_scope: 'base', attributes: { vendorName: 'Acme' } },
        {
          base_dn: BASE,
          filter: '(cn=far)',
          references: ['ldap://a.example/', ['ldap://b.example/', 'ldap://c.example/']],
        },
      ],
    });
    const eve = ['-D', `uid=eve,${BASE}`, '-w', 'x'];
    expect(await run(running, 'ldapwhoami', eve)).toMatchObject({
      code: 49,
      err: expect.stringContaining(`the account of uid=eve,${BASE} is locked`),
    });
    expect(await run(running, 'ldapwhoami', ['-D', 'ada@example.com', '-w', 'x'])).toMatchObject({
      code: 51,
    });
    expect(await run(running, 'ldapwhoami', ['-D', `uid=bob,${BASE}`, '-w', 'x'])).toMatchObject({
      out: `dn:uid=bob,${BASE}\n`,
    });
    expect(await run(running, 'ldapcompare', [`uid=x,${PEOPLE}`, 'sn:Lovelace'])).toMatchObject({ code: 6 });
    expect(await run(running, 'ldapcompare', [`uid=x,${PEOPLE}`, 'sn:Byron'])).toMatchObject({ code: 32 });
    expect(
      await run(running, 'ldapadd', [], `dn: uid=y,${PEOPLE}\nobjectClass: account\nuid: y\n`),
    ).toMatchObject({ code: 32, err: expect.stringContaining(`matched DN: ${BASE}`) });
    expect(await run(running, 'ldapdelete', [`uid=y,${PEOPLE}`])).toMatchObject({
      err: expect.stringContaining('ldap://far.example.org/'),
    });
    expect(await found(running, '', { scope: 'base', attributes: ['vendorName'] })).toEqual([
      { dn: '', vendorName: 'Acme' },
    ]);
    expect((await run(running, 'ldapsearch', ['-b', BASE, '(cn=far)'])).out.match(/# ref.*/g)).toEqual([
      '# refldap://a.example/',
      '# refldap://b.example/',
      '# refldap://c.example/',
    ]);
  });

  it('names binds for a fault, which leaves them alone otherwise', async () => {
    const running = await startHost({});
    const bind = (): Promise<number> => codeOf(connect(running).bind(`uid=ada,${BASE}`, 'x'));
    running.host.faults.set('ldap', { result_code: 'busy' });
    expect(await bind()).toBe(0);
    running.host.faults.set('ldap', { match: { operation: 'bind' }, result_code: 'busy' });
    expect(await bind()).toBe(51);
    expect(await codeOf(connect(running).search(BASE))).toBe(32);
  });
});
