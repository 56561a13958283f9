import { describe, expect, it } from '@jest/globals';
import type { Json } from '@backlot/core';
import { ResultCodeError } from 'ldapts';
import { codeOf, COMPANY, connect, startHost, type Running } from './support.js';

const PEOPLE = 'ou=people,dc=example,dc=com';

/** The entries of a search as `name: values of cn`, or the result code. */
async function ask(
  running: Running,
  base: string,
  filter = '(objectClass=*)',
  more: Json = {},
): Promise<unknown> {
  try {
    const { searchEntries } = await connect(running).search(base, { filter, ...more });
    return searchEntries.map(({ dn, cn }) => `${dn}: ${String(cn)}`);
  } catch (error) {
    if (error instanceof ResultCodeError) return error.code;
    throw error;
  }
}

describe('which mocks answer', () => {
  it('those whose base is at or above that of the search, equal as names', async () => {
    const running = await startHost({
      mocks: [{ base_dn: 'OU=People, dc=example,dc=com', dn: 'cn=a', attributes: { cn: 'a' } }],
    });
    expect(await ask(running, PEOPLE)).toEqual(['cn=a: a']);
    expect(await ask(running, `UID=x,${PEOPLE}`)).toEqual(['cn=a: a']);
    expect(await ask(running, '2.5.4.11=people,0.9.2342.19200300.100.1.25=example,dc=com')).toEqual([
      'cn=a: a',
    ]);
    expect(await ask(running, 'dc=example,dc=com')).toEqual([]);
    expect(await ask(running, 'xou=people,dc=example,dc=com')).toBe(32);
    expect(await ask(running, 'ou=other,dc=example,dc=com')).toBe(32);
  });

  it('those whose pattern fits the base or a name above it', async () => {
    const running = await startHost({
      mocks: [
        { base_dn: 'OU=*,dc=example,dc=com', dn: 'cn=glob', attributes: { cn: 'glob' } },
        { base_dn: { suffix: 'DC=org' }, dn: 'cn=suffix', attributes: { cn: 'suffix' } },
        {
          base_dn: { any_of: ['re:^dc=(?<n>x)$', 're:^DC=r(?<n>[0-9]+)$'] },
          dn: 'cn=re',
          attributes: { cn: 're {{request.params.n}}' },
        },
      ],
    });
    expect(await ask(running, `uid=x, ${PEOPLE}`)).toEqual(['cn=glob: glob']);
    expect(await ask(running, 'o=a,dc=org')).toEqual(['cn=suffix: suffix']);
    expect(await ask(running, 'o=a,dc=r12')).toEqual(['cn=re: re 12']);
    expect(await ask(running, 'dc=example,dc=com')).toBe(32);
  });

  it('those whose filter is equal, whatever case and order; all that fit, in order and by priority', async () => {
    const running = await startHost({
      mocks: [
        {
          base_dn: 'dc=x',
          filter: '(&(uid=Ada)(objectClass=person))',
          dn: 'cn=1',
          attributes: { cn: 'one' },
        },
        { base_dn: 'dc=x', filter: '*', dn: 'cn=2', attributes: { cn: 'two' } },
        { filter: 'uid=bob', dn: 'cn=3', attributes: { cn: 'three' }, priority: 1 },
        { base_dn: 'dc=x', filter: '(2.5.4.3=a\\2ab*)', dn: 'cn=4', attributes: { cn: 'four' } },
      ],
    });
    expect(await ask(running, 'dc=x', '(&(OBJECTCLASS=Person)(userid=ada))')).toEqual([
      'cn=1: one',
      'cn=2: two',
    ]);
    expect(await ask(running, 'dc=x', '(uid=ada)')).toEqual(['cn=2: two']);
    expect(await ask(running, 'dc=x', '(uid=BOB)')).toEqual(['cn=3: three', 'cn=2: two']);
    expect(await ask(running, 'dc=y', '(uid=bob)')).toEqual(['cn=3: three']);
    expect(await ask(running, 'dc=x', '(cn=A\\2aB*)')).toEqual(['cn=2: two', 'cn=4: four']);
    const id = running.kind.mocks.list()[3]?.id;
    const misses = running.kind.explain({ path: 'dc=x', body: '(cn=z)' }).others;
    expect(misses).toContainEqual({ mock_id: id, reason: 'filter: got "(cn=z)", want "(2.5.4.3=a\\2ab*)"' });
    expect(() => running.kind.explain({ path: 'dc', body: '' })).toThrow('no distinguished name');
  });

  it('mocks do not answer for the root of the tree, nor for changes', async () => {
    const running = await startHost({ mocks: [{ id: 'any', attributes: { cn: 'any' } }] });
    const root = await connect(running).search('', { scope: 'base', attributes: ['supportedLDAPVersion'] });
    expect(root.searchEntries).toEqual([{ dn: '', supportedLDAPVersion: '3' }]);
    expect(await codeOf(connect(running).del('cn=a'))).toBe(32);
    expect(await ask(running, 'cn=a')).toEqual(['cn=a: any']);
    expect(running.host.journal.count({ matchedId: 'any' }).count).toBe(1);
  });
});

describe('what is answered', () => {
  it('names, values of every form, and templates', async () => {
    const running = await startHost({
      mocks: [
        {
          base_dn: 'dc=x',
          dn: 'uid={{request.assertions.uid}},{{request.base}}',
          attributes: {
            uid: '{{request.assertions.uid}}',
            uidNumber: 7,
            enabled: true,
            list: ['a', '{{request.scope}}', 3],
            wanted: '{{request.attributes}}',
            jpegPhoto: '/9g=',
            'key;binary': { base64: 'AP8=' },
            other: { base64: 'AP4=' },
            constructor: '<&"{{request.filter}}',
          },
          entries: [{ dn: 'cn=more', attributes: {} }, { dn: 'cn=last' }],
        },
      ],
    });
    expect(await ask(running, 'dc=x', '(&(objectClass=person)(UID=a,b))')).toBe(80);
    const last = running.host.journal.list().at(-1);
    expect(last).toMatchObject({ status: 80 });
    expect(JSON.stringify(last)).toContain('/dn');
    const good = await connect(running).search('dc=x', {
      filter: '(UID=ada)',
      attributes: ['*', 'x'],
      explicitBufferAttributes: ['jpegPhoto', 'key;binary', 'other'],
    });
    expect(good.searchEntries).toMatchObject([
      {
        dn: 'uid=ada,dc=x',
        uid: 'ada',
        uidNumber: '7',
        enabled: 'TRUE',
        list: ['a', 'sub', '3'],
        wanted: ['*', 'x'],
        jpegPhoto: Buffer.from([0xff, 0xd8]),
        'key;binary': Buffer.from([0, 0xff]),
        other: Buffer.from([0, 0xfe]),
        constructor: '<&"(UID=ada)',
      },
      { dn: 'cn=more' },
      { dn: 'cn=last' },
    ]);
  });

  it('who has bound', async () => {
    const running = await startHost({
      mocks: [{ base_dn: 'dc=x', attributes: { cn: '{{request.bind_dn}}' } }],
    });
    const client = connect(running);
    await client.bind('uid=ada,dc=x', 'any');
    expect((await client.search('dc=x')).searchEntries).toEqual([{ dn: 'dc=x', cn: 'uid=ada,dc=x' }]);
  });

  it('mocks and the tree together, each name once', async () => {
    const running = await startHost({
      ...COMPANY,
      mocks: [
        { base_dn: PEOPLE, dn: `UID=Bob,${PEOPLE}`, attributes: { cn: 'mocked' } },
        {
          base_dn: 'ou=gone,dc=example,dc=com',
          dn: 'cn=part',
          attributes: { cn: 'part' },
          result_code: 'ADMIN_LIMIT_EXCEEDED',
        },
        { base_dn: 'ou=gone,dc=example,dc=com', dn: 'cn=never' },
        { base_dn: 'ou=groups,dc=example,dc=com', result_code: 50 },
      ],
    });
    expect(await ask(running, PEOPLE, '(cn=*)')).toEqual([
      `UID=Bob,${PEOPLE}: mocked`,
      `uid=ada,${PEOPLE}: Ada Lovelace,Countess of Lovelace`,
    ]);
    expect(await ask(running, 'ou=groups,dc=example,dc=com')).toBe(50);
    expect(await ask(running, 'ou=gone,dc=example,dc=com')).toBe(11);
    expect(running.host.journal.list().at(-1)).toMatchObject({
      method: 'SEARCH',
      path: 'ou=gone,dc=example,dc=com',
      body: '(objectClass=*)',
      status: 11,
      response: { body: 'dn: cn=part\ncn: part\n' },
    });
  });

  it('pages and limits hold for mocks too, and a page more is no call more', async () => {
    const entries = Array.from({ length: 5 }, (_, index) => ({
      dn: `cn=e${index}`,
      attributes: { cn: `${index}` },
    }));
    const running = await startHost({ mocks: [{ id: 'm', base_dn: 'dc=x', entries }] });
    expect(await ask(running, 'dc=x', '(cn=*)', { paged: { pageSize: 2 } })).toHaveLength(5);
    expect(running.kind.calls.of('m').count).toBe(1);
    // ldapts takes the code 4 for an end like any other when it has set a limit itself.
    expect(await ask(running, 'dc=x', '(cn=*)', { sizeLimit: 2 })).toHaveLength(2);
    expect(running.host.journal.list().at(-1)).toMatchObject({ status: 4 });
  });
});

describe('configuration', () => {
  it.each<[Json, string]>([
    [{ base_dn: 'x' }, '/base_dn'],
    [{ entries: [{ dn: 'x' }] }, '/entries/0'],
    [{ entries: [{ dn: 'cn=a' }, { dn: 'CN=A' }] }, '/entries/1'],
    [{ entries: [{ dn: 'x' }, { dn: 'cn=a' }, { dn: 'y' }] }, '/entries/2'],
    [{ base_dn: 'dc=x', entries: [{ dn: 'dc=y' }] }, '/entries/0'],
    [{ entries: [{ dn: 'cn=a', attributes: { jpegPhoto: '?' } }] }, '/entries/0'],
    [{ users: [{ username: 'a' }] }, '/users/0'],
  ])('%j is refused', async (settings, place) => {
    await expect(startHost(settings)).rejects.toThrow();
    const error = await startHost(settings).catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error) + String(error)).toContain(place);
  });

  it('an empty server takes any first entry, and a snapshot brings entries back', async () => {
    const running = await startHost();
    const client = connect(running);
    expect(await ask(running, 'dc=x')).toBe(32);
    await client.add('uid=ada,ou=people,dc=x', { cn: 'Ada' });
    expect(await ask(running, 'dc=x')).toEqual(['uid=ada,ou=people,dc=x: Ada']);
    expect(await codeOf(client.add('uid=bob,ou=other,dc=x', { cn: 'Bob' }))).toBe(32);
    const { id } = running.host.snapshots.create();
    await client.del('uid=ada,ou=people,dc=x');
    expect(await ask(running, 'dc=x')).toBe(32);
    running.host.snapshots.restore(id);
    expect(await ask(running, 'dc=x')).toEqual(['uid=ada,ou=people,dc=x: Ada']);
    running.host.reset();
    expect(await ask(running, 'dc=x')).toBe(32);
  });
});

describe('the journal', () => {
  it('takes what the tree answers for no missing mock, and a search that finds nothing for one', async () => {
    const running = await startHost({ ...COMPANY, mocks: [{ base_dn: 'dc=mock', attributes: { cn: 'm' } }] });
    const client = connect(running);
    expect(await ask(running, PEOPLE, '(uid=bob)')).toHaveLength(1);
    await client.compare(PEOPLE, 'ou', 'x');
    expect(await codeOf(client.del('dc=nowhere'))).toBe(32);
    expect(await ask(running, 'dc=mock')).toEqual(['dc=mock: m']);
    expect(await ask(running, PEOPLE, '(uid=nobody)')).toEqual([]);
    expect(await ask(running, 'dc=nowhere')).toBe(32);
    const bodies = (unmatched: boolean): unknown[] =>
      running.host.journal.list({ unmatched }).map(({ path, body }) => [path, body]);
    expect(bodies(true)).toEqual([
      [PEOPLE, '(uid=nobody)'],
      ['dc=nowhere', '(objectClass=*)'],
    ]);
    expect(bodies(false)).toEqual([['dc=mock', '(objectClass=*)']]);
  });
});

describe('faults', () => {
  it('answer every operation on entries, by number or name, and no bind', async () => {
    const running = await startHost(COMPANY);
    running.host.faults.set('ldap', { result_code: 'busy', message: 'come back' });
    const client = connect(running);
    await client.bind('uid=ada,ou=people,dc=example,dc=com', 'Secret');
    await expect(client.search(PEOPLE)).rejects.toMatchObject({
      code: 51,
      message: expect.stringContaining('come back'),
    });
    expect(await codeOf(client.del(PEOPLE))).toBe(51);
    expect(await codeOf(client.compare(PEOPLE, 'ou', 'x'))).toBe(51);
    running.host.faults.set('ldap', { result_code: 3 });
    expect(await codeOf(client.search(PEOPLE))).toBe(3);
    expect(() => running.host.faults.set('ldap', { result_code: 'nothing' })).toThrow('no result code');
    running.host.faults.clearAll();
    expect(await codeOf(client.search(PEOPLE))).toBe(0);
  });

  it('delay a change, which a reset in between makes void', async () => {
    const running = await startHost(COMPANY);
    running.host.faults.set('ldap', { delay: '1h' });
    const client = connect(running);
    await client.bind('', '');
    const removed = codeOf(client.del(`uid=bob,${PEOPLE}`));
    // An answer that comes later says that the delete has arrived.
    await client.exop('1.3.6.1.4.1.4203.1.11.3');
    running.host.reset();
    await running.host.clock.advance(3_600_000);
    expect(await removed).toBe(52);
    expect(await codeOf(client.search(`uid=bob,${PEOPLE}`))).toBe(0);
  });
});
