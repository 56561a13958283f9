import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { dig, encodeQuery, startHost, UdpClient } from './support.js';

const SOA = 'ns1.example.com admin.example.com 2024010101 7200 3600 1209600 30';
const SOA_LINE = 'SOA ns1.example.com. admin.example.com. 2024010101 7200 3600 1209600 30';

const ZONE = {
  mocks: [
    { id: 'soa', name: 'example.com', type: 'SOA', records: [SOA], ttl: 3600 },
    { name: 'example.com', type: 'NS', records: ['ns1.example.com'] },
    { name: 'www.example.com', records: ['192.0.2.1'] },
    { name: 'gone.example.com', rcode: 'NXDOMAIN' },
    { name: 'broken.example.com', rcode: 'SERVFAIL' },
    {
      name: 'sub.example.com',
      type: 'SOA',
      records: ['ns.sub.example.com admin.example.com 1 2 3 4 5000'],
      ttl: 60,
      state: { key: 'delegated', value: 'yes' },
    },
  ],
};

describe('negative answers', () => {
  itWithTool('dig', 'carry the SOA of the nearest zone, as dig shows it', async () => {
    const { port, host } = await startHost(ZONE);
    const ask = async (...words: string[]): Promise<string> =>
      (await dig(port, ...words, '+noall', '+comments', '+authority', '+answer')).replace(/\s+/g, ' ');
    const none = await ask('none.example.com', 'A');
    expect(none).toContain('status: NXDOMAIN');
    expect(none).toContain('ANSWER: 0, AUTHORITY: 1');
    // The lesser of the record's own time and the minimum.
    expect(none).toContain(`example.com. 30 IN ${SOA_LINE}`);
    const noData = await ask('www.example.com', 'TXT');
    expect(noData).toContain('status: NOERROR');
    expect(noData).toContain('ANSWER: 0, AUTHORITY: 1');
    expect(noData).toContain(`example.com. 30 IN ${SOA_LINE}`);
    expect(await ask('gone.example.com', 'A')).toContain(`example.com. 30 IN ${SOA_LINE}`);
    expect(await ask('example.com', 'AAAA', '+noedns', '+tcp')).toContain(`30 IN ${SOA_LINE}`);
    expect(await ask('a.b.sub.example.com', 'A')).toContain(`example.com. 30 IN ${SOA_LINE}`);
    host.state.setAll({ delegated: 'yes' });
    expect(await ask('a.b.sub.example.com', 'A')).toContain(
      'sub.example.com. 60 IN SOA ns.sub.example.com. admin.example.com. 1 2 3 4 5000',
    );
    for (const name of ['www.example.com', 'broken.example.com', 'none.example.org']) {
      expect(await ask(name, 'A')).toContain('AUTHORITY: 0');
    }
    expect(host.kind('dns').calls.of('soa').count).toBe(0);
    expect(await ask('example.com', 'SOA')).toContain(`example.com. 3600 IN ${SOA_LINE}`);
  });

  it('follow mocks that come and go', async () => {
    const { port, host } = await startHost({ mocks: [{ name: 'www.example.com', records: ['192.0.2.1'] }] });
    const client = new UdpClient(port);
    const ask = async (): Promise<unknown[]> =>
      (await client.ask(encodeQuery('no.example.com'))).authorities ?? [];
    expect(await ask()).toEqual([]);
    host.kind('dns').mocks.create({ id: 'soa', name: 'Example.com.', type: 'SOA', records: [SOA] });
    expect(await ask()).toMatchObject([{ name: 'example.com', type: 'SOA', ttl: 30 }]);
    host.kind('dns').mocks.remove('soa');
    expect(await ask()).toEqual([]);
  });
});
