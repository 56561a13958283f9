import { describe, expect, it } from '@jest/globals';
import { addSpaces, itWithTool } from '@backlot/conformance';
import { codeOf, connect, run, startHost } from './support.js';

const BASE = 'dc=example,dc=com';
const SETTINGS = { base_dn: BASE, entries: [{ dn: BASE, attributes: { objectClass: 'domain' } }] };

describe('a bind that names a space', () => {
  it('has the entries of the space', async () => {
    const running = await startHost(SETTINGS);
    const { t1, t2, main } = await addSpaces(running);
    const names = ['cn=ann', 't1', 't2+cn=ann,dc=example,dc=com', 'cn=t1,dc=example,dc=com', 't3'];
    const clients = names.map(() => connect(running));
    for (const [index, client] of clients.entries()) await client.bind(names[index] ?? '', 'x');
    const [ann, one, two, again, none] = clients;
    await one?.add(`cn=own,${BASE}`, { objectClass: 'device' });
    const counts = await Promise.all(
      clients.map(async (client) => (await client.search(BASE)).searchEntries.length),
    );
    expect(counts).toEqual([1, 2, 1, 2, 1]);
    const whoAmI = async (client: typeof ann): Promise<unknown> =>
      (await client?.exop('1.3.6.1.4.1.4203.1.11.3'))?.value;
    expect(await Promise.all([ann, one, two, again, none].map(whoAmI))).toEqual([
      'dn:cn=ann',
      'u:t1',
      'dn:cn=ann,dc=example,dc=com',
      'dn:cn=t1,dc=example,dc=com',
      'u:t3',
    ]);
    expect([main, t1, t2].map((kind) => kind.connections.list().length)).toEqual([2, 2, 1]);
    await running.host.spaces.remove('t1');
    const late = connect(running);
    await late.bind('t1', 'x');
    expect((await late.search(BASE)).searchEntries).toHaveLength(1);
  });

  it('needs the password of its user there, simple and by SASL', async () => {
    const running = await startHost({
      ...SETTINGS,
      users: [{ username: 'uid=ada,dc=example,dc=com', password: 'two' }],
    });
    const { t1 } = await addSpaces(running);
    const client = connect(running);
    expect(await codeOf(client.bind('t1+ada', 'one'))).toBe(49);
    await client.bind('t1+uid=ada,dc=example,dc=com', 'two');
    const other = connect(running);
    await other.bind('PLAIN', '\0t1+ada\0two');
    expect((await other.exop('1.3.6.1.4.1.4203.1.11.3')).value).toBe('u:ada');
    expect(t1.connections.list()).toHaveLength(2);
  });

  itWithTool('ldapsearch', 'works for ldapsearch', async () => {
    const running = await startHost(SETTINGS);
    const { t1 } = await addSpaces(running);
    await t1.wake();
    await t1.data.put('entries', { dn: `cn=own,${BASE}`, attributes: { objectClass: 'device' } });
    const search = async (name: string): Promise<string> =>
      (await run(running, 'ldapsearch', ['-D', name, '-w', 'x', '-b', BASE, 'dn'])).out;
    expect(await search('cn=t1')).toContain('cn=own');
    expect(await search('cn=ann')).not.toContain('cn=own');
  });
});
