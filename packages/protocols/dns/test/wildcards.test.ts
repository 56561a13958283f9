import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { collectCleanups, itWithTool } from '@backlot/conformance';
import { dig, encodeQuery, startHost, UdpClient } from './support.js';

const afterThis = collectCleanups();

/** The zone of RFC 4592 section 2.2.1. */
const MOCKS = [
  { name: 'example', type: 'SOA', records: ['ns.example.com admin.example.com 1 2 3 4 60'], ttl: 3600 },
  { name: 'example', type: 'NS', records: ['ns.example.com', 'ns.example.net'] },
  { id: 'mx', name: '*.example', type: 'MX', records: ['10 host1.example'], ttl: 3600 },
  { id: 'txt', name: '*.example', type: 'TXT', records: ['this is a wildcard'], ttl: 3600 },
  { name: 'sub.*.example', type: 'TXT', records: ['this is not a wildcard'] },
  { name: 'host1.example', records: ['192.0.2.1'] },
  { name: '_ssh._tcp.host1.example', type: 'SRV', records: ['0 0 22 host1.example'] },
  { name: '_ssh._tcp.host2.example', type: 'SRV', records: ['0 0 22 host2.example'] },
  { name: '*.alias.example', type: 'CNAME', records: ['host1.example'] },
];

describe('wildcards: rfc4592', () => {
  itWithTool('dig', 'answers as the examples of RFC 4592 say', async () => {
    const { port } = await startHost({ wildcards: 'rfc4592', mocks: MOCKS });
    const ask = async (...words: string[]): Promise<string> =>
      (await dig(port, ...words, '+noall', '+comments', '+answer')).replace(/\s+/g, ' ');
    // Section 2.2.1: what a wildcard makes up.
    expect(await ask('host3.example', 'MX')).toContain('host3.example. 3600 IN MX 10 host1.example.');
    expect(await ask('host3.example', 'A')).toContain('status: NOERROR');
    expect(await ask('host3.example', 'A')).toContain('ANSWER: 0, AUTHORITY: 1');
    expect(await ask('foo.bar.example', 'TXT')).toContain(
      'foo.bar.example. 3600 IN TXT "this is a wildcard"',
    );
    expect(await ask('host3.example', 'ANY')).toContain('ANSWER: 2');
    // And where one would be wrong.
    for (const [name, type, status] of [
      ['host1.example', 'MX', 'NOERROR'],
      ['sub.*.example', 'MX', 'NOERROR'],
      ['_telnet._tcp.host1.example', 'SRV', 'NXDOMAIN'],
      ['host2.example', 'MX', 'NOERROR'],
      ['_tcp.host2.example', 'MX', 'NOERROR'],
      ['ghost.*.example', 'MX', 'NXDOMAIN'],
    ] as const) {
      const answer = await ask(name, type);
      expect(answer).toContain(`status: ${status}`);
      expect(answer).toContain('ANSWER: 0, AUTHORITY: 1');
    }
    expect(await ask('*.example', 'MX')).toContain('*.example. 3600 IN MX 10 host1.example.');
    const alias = await ask('any.alias.example', 'A');
    expect(alias).toContain('any.alias.example. 60 IN CNAME host1.example.');
    expect(alias).toContain('host1.example. 60 IN A 192.0.2.1');
    expect(await ask('alias.example', 'MX')).toContain('ANSWER: 0');
  });

  it('follows mocks that come and go, and says why one does not match', async () => {
    const { port, host } = await startHost({ wildcards: 'rfc4592', mocks: MOCKS });
    const client = new UdpClient(port);
    const count = async (name: string): Promise<unknown> =>
      (await client.ask(encodeQuery(name, 'TXT'))).answers?.length;
    const dns = host.kind('dns');
    expect(await count('a.new.example')).toBe(1);
    dns.mocks.create({ id: 'new', name: 'b.new.example', records: ['192.0.2.5'] });
    expect(await count('a.new.example')).toBe(0);
    expect(JSON.stringify(dns.explain({ path: 'a.new.example', body: 'TXT' }))).toContain(
      'or a name above it that is nearer than',
    );
    dns.mocks.replace('new', { name: 'b.other.example', records: ['192.0.2.5'] });
    expect(await count('a.new.example')).toBe(1);
    expect(await count('a.other.example')).toBe(0);
    dns.mocks.remove('new');
    expect(await count('a.other.example')).toBe(1);
  });

  it('leaves alone the names of zone files', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wildcards-'));
    afterThis(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'example.zone');
    writeFileSync(file, '$ORIGIN example.\n@ 60 SOA a b 1 2 3 4 5\nwww 60 A 192.0.2.1\n');
    const mocks = [{ name: '*.example', records: ['192.0.2.99'] }];
    for (const [wildcards, data] of [
      ['rfc4592', '192.0.2.1'],
      ['pattern', '192.0.2.99'],
    ]) {
      const { port } = await startHost({ wildcards: wildcards ?? '', mocks, zones: [{ file }] });
      const client = new UdpClient(port);
      expect((await client.ask(encodeQuery('www.example'))).answers).toMatchObject([{ data }]);
      expect((await client.ask(encodeQuery('other.example'))).answers).toMatchObject([
        { data: '192.0.2.99' },
      ]);
    }
  });
});
