import { afterEach, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { cleanUp, run, startHost } from './support.js';

const NAME = '1.3.6.1.2.1.1.5.0';

afterEach(cleanUp);

itWithTool('snmpget', 'snmpget is refused as with wrong credentials', async () => {
  const host = await startHost({
    mocks: [{ oid: NAME, value: 'router' }],
    v3_users: [{ username: 'ada', auth_protocol: 'sha', auth_passphrase: 'authpass1' }],
  });
  const v3 = ['-v3', '-lauthNoPriv', '-uada', '-a', 'SHA', '-Aauthpass1'];
  const v2 = ['-v2c', '-cpublic', '-t', '0.3'];
  expect((await run('snmpget', host, v3, [NAME])).out).toContain('router');
  await host.incidents.start('snmp-authentication-failure');
  expect((await run('snmpget', host, v3, [NAME])).err).toContain('Authentication failure');
  expect((await run('snmpget', host, v2, [NAME])).err).toContain('Timeout');
  host.incidents.stop('snmp-authentication-failure');
  for (const words of [v3, v2]) expect((await run('snmpget', host, words, [NAME])).out).toContain('router');
});
