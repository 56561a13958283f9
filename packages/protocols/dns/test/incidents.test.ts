import { expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { dig, startHost } from './support.js';

itWithTool('dig', 'dig sees names come and go, and TTLs of 0', async () => {
  const { host, port } = await startHost({
    mocks: [
      { name: 'a.example', records: ['192.0.2.1'], ttl: 300 },
      { name: 'b.example', records: ['192.0.2.2'] },
    ],
  });
  host.clock.freeze(true);
  const statusOf = async (name: string): Promise<string | undefined> =>
    /status: ([A-Z]+)/.exec(await dig(port, name))?.[1];
  await host.incidents.start('dns-nxdomain-flap', { name: 'a.*', there: '1s' });
  expect([await statusOf('a.example'), await statusOf('b.example')]).toEqual(['NXDOMAIN', 'NOERROR']);
  await host.clock.advance(5000);
  expect(await statusOf('a.example')).toBe('NOERROR');
  await host.clock.advance(1000);
  expect(await statusOf('a.example')).toBe('NXDOMAIN');
  host.incidents.stop('dns-nxdomain-flap');
  expect(await dig(port, 'a.example')).toMatch(/a\.example\.\s+300\s+IN\s+A\s+192\.0\.2\.1/);
  await host.incidents.start('dns-ttl-zero');
  expect(await dig(port, 'a.example')).toMatch(/a\.example\.\s+0\s+IN\s+A\s+192\.0\.2\.1/);
});
