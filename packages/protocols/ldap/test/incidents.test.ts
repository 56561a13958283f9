import { expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
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
