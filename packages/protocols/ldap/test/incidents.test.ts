import { expect, it } from '@jest/globals';
import { eventually, itWithTool } from '@backlot/conformance';
import { codeOf, COMPANY, connect, run, startHost } from './support.js';

const BASE = ['-b', 'dc=example,dc=com'];

itWithTool('ldapsearch', 'ldapsearch is referred to the same server', async () => {
  const running = await startHost(COMPANY);
  const { host } = running;
  await host.incidents.start('ldap-referral-loop');
  const asked = await run(running, 'ldapsearch', [...BASE, '1.1']);
  expect(asked.code).toBe(10);
  expect(asked.err).toContain(`${running.url}/`);
  host.incidents.stop('ldap-referral-loop');
  expect((await run(running, 'ldapsearch', [...BASE, '1.1'])).code).toBe(0);
});

it('ldapts is told the code of a referral', async () => {
  const running = await startHost(COMPANY);
  await running.host.incidents.start('ldap-referral-loop');
  expect(await codeOf(connect(running).search('dc=example,dc=com'))).toBe(10);
  expect(() => running.kind.fault?.set({ referral: ['ldap://x/'], result_code: 'busy' })).toThrow(
    'leave result_code out',
  );
});

itWithTool(
  'ldapsearch',
  'ldapsearch -C stops after five referrals, and then waits for ever by itself',
  async () => {
    const running = await startHost(COMPANY);
    const { host, kind } = running;
    await host.incidents.start('ldap-referral-loop');
    const searches = (): number => host.journal.list().filter(({ method }) => method === 'SEARCH').length;
    const asking = run(running, 'ldapsearch', ['-C', ...BASE, '1.1']);
    await eventually(() => searches() === 6);
    // OpenLDAP has "more than 5 referral hops (dropping)" in its trace then, and asks for nothing more.
    expect(kind.connections.close({}, 'end')).toBe(1);
    const { code, err } = await asking;
    expect([code === 0, err]).toEqual([false, expect.stringContaining("Can't contact LDAP server")]);
    expect(searches()).toBe(6);
  },
);

it('ldapts is cut when the directory becomes unavailable, and connects again after it', async () => {
  const running = await startHost({ ...COMPANY, users: [{ username: 'ann', password: 'x' }] });
  const { host, kind } = running;
  host.clock.freeze(true);
  const client = connect(running);
  await client.bind('cn=ann', 'x');
  await host.incidents.start('ldap-unavailable', { for: '20s' });
  await eventually(() => !client.isConnected);
  await expect(client.search('dc=example,dc=com')).rejects.toThrow();
  await expect(connect(running).bind('cn=ann', 'x')).rejects.toThrow();
  expect(kind.connections.list()).toEqual([]);
  await host.clock.advance(20_000);
  await client.bind('cn=ann', 'x');
  expect((await client.search('dc=example,dc=com')).searchEntries.length).toBeGreaterThan(0);
});
