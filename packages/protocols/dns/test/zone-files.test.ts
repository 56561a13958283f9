import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { collectCleanups, itWithTool } from '@backlot/conformance';
import { dig, startHost, UdpClient, encodeQuery } from './support.js';

const afterThis = collectCleanups();

const SOA = '@ 3600 IN SOA ns1 admin 1 2h 1h 2w 300';

/** A zone file with this text, which is removed after the test. */
function zoneFile(text: string | Buffer): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'test.zone');
  writeFileSync(file, text);
  return file;
}

/** A zone of `example.test` with these lines. */
function zoneOf(...lines: string[]): { file: string; origin: string } {
  return { file: zoneFile([SOA, ...lines].join('\n')), origin: 'example.test' };
}

describe('zone files', () => {
  itWithTool('dig', 'answer behind mocks, and aliases lead from one to the other', async () => {
    const { port, host } = await startHost({
      zones: [
        zoneOf(
          '$TTL 60',
          'www A 192.0.2.1',
          'www TXT zone',
          'api A 192.0.2.2',
          'tomock CNAME mocked',
          'gone CNAME nowhere',
          'b.tree A 192.0.2.5',
          '*.wild A 192.0.2.9',
        ),
      ],
      mocks: [
        { id: 'www', name: 'www.example.test', records: ['198.51.100.1'] },
        { id: 'mocked', name: 'mocked.example.test', records: ['198.51.100.2'] },
        { name: 'tozone.example.net', type: 'CNAME', records: ['api.example.test'] },
        { name: 'tonothing.example.net', type: 'CNAME', records: ['no.example.test'] },
        { name: 'taken.wild.example.test', type: 'TXT', records: ['mock'] },
        { name: 're:^pattern[.]', type: 'TXT', records: ['mock'] },
        { name: 'refused.example.test', rcode: 'REFUSED' },
      ],
    });
    const ask = async (...words: string[]): Promise<string> =>
      (await dig(port, ...words, '+noall', '+comments', '+authority', '+answer')).replace(/\s+/g, ' ');
    expect(await ask('www.example.test')).toContain('www.example.test. 60 IN A 198.51.100.1');
    expect(await ask('www.example.test', 'TXT')).toContain('www.example.test. 60 IN TXT "zone"');
    const toMock = await ask('tomock.example.test');
    expect(toMock).toContain('tomock.example.test. 60 IN CNAME mocked.example.test.');
    expect(toMock).toContain('mocked.example.test. 60 IN A 198.51.100.2');
    expect(host.kind('dns').calls.of('mocked').count).toBe(1);
    expect(await ask('tozone.example.net')).toContain('api.example.test. 60 IN A 192.0.2.2');
    for (const name of ['gone.example.test', 'tonothing.example.net']) {
      const gone = await ask(name);
      expect(gone).toContain('status: NXDOMAIN');
      expect(gone).toContain('ANSWER: 1, AUTHORITY: 1');
      expect(gone).toContain(
        'example.test. 300 IN SOA ns1.example.test. admin.example.test. 1 7200 3600 1209600 300',
      );
    }
    expect(await ask('one.wild.example.test')).toContain('one.wild.example.test. 60 IN A 192.0.2.9');
    for (const name of ['taken.wild.example.test', 'pattern.example.test', 'tree.example.test']) {
      const empty = await ask(name);
      expect(empty).toContain('status: NOERROR');
      expect(empty).toContain('ANSWER: 0, AUTHORITY: 1');
    }
    expect(await ask('refused.example.test')).toContain('status: REFUSED');
    // No zone has the name, so the setting for such names decides.
    expect(await ask('www.example.org')).toContain('ANSWER: 0, AUTHORITY: 0');
  });

  it('are read once: the spaces of a host have the same zones', async () => {
    const zone = zoneOf('www 60 A 192.0.2.1');
    const { port, host } = await startHost({ zones: [zone] });
    // Whoever read it now would fail, and hold up all others while it is large.
    rmSync(zone.file);
    const space = await host.spaces.create({ id: 't1', protocols: ['dns'] });
    const own = space.host.kind('dns').address?.port ?? 0;
    expect(own).not.toBe(port);
    expect((await new UdpClient(own).ask(encodeQuery('www.example.test'))).answers).toMatchObject([
      { data: '192.0.2.1' },
    ]);
    await expect(startHost({ zones: [zone] })).rejects.toThrow('is not a file');
  });

  it('count as data in the journal, and names that they lack as unmatched', async () => {
    const { port, host } = await startHost({ zones: [zoneOf('www 60 A 192.0.2.1')] });
    const client = new UdpClient(port);
    expect((await client.ask(encodeQuery('www.example.test'))).answers).toMatchObject([
      { data: '192.0.2.1' },
    ]);
    await client.ask(encodeQuery('no.example.test'));
    expect(host.journal.list().map(({ response }) => response)).toMatchObject([
      { status: 'NOERROR', body: 'www.example.test. 60 IN A 192.0.2.1' },
      { status: 'NXDOMAIN' },
    ]);
    expect(host.journal.list({ unmatched: true }).map(({ path: name }) => name)).toEqual(['no.example.test']);
  });

  it('may be several, of which the nearest answers', async () => {
    const { port } = await startHost({
      zones: [
        zoneOf('a.sub 60 A 192.0.2.1', 'b 60 A 192.0.2.2'),
        { file: zoneFile(`${SOA}\r\na 60 A 192.0.2.3\r\n`), origin: 'sub.example.test.' },
        { file: zoneFile('\uFEFF. 60 SOA a. b. 1 2 3 4 5\n*. 60 A 192.0.2.4\n') },
      ],
    });
    const client = new UdpClient(port);
    const ask = async (name: string): Promise<unknown> =>
      (await client.ask(encodeQuery(name))).answers?.map((answer) => 'data' in answer && answer.data);
    expect(await ask('a.sub.example.test')).toEqual(['192.0.2.3']);
    expect(await ask('b.example.test')).toEqual(['192.0.2.2']);
    expect(await ask('b.sub.example.test')).toEqual([]);
    expect(await ask('any.other')).toEqual(['192.0.2.4']);
  });

  const bad: readonly (readonly [string, string | Buffer, string])[] = [
    ['an unknown directive', `${SOA}\n\n$INCLUDE other.zone`, 'line 3: "$INCLUDE" is not supported'],
    ['$GENERATE', `${SOA}\n$GENERATE 1-9 h$ A 192.0.2.$`, 'line 2: "$GENERATE" is not supported'],
    ['an unknown type', `${SOA}\nwww 60 FOO bar`, 'line 2: "FOO" is not a record type'],
    ['a type of questions', `${SOA}\nwww 60 ANY bar`, 'line 2: "ANY" is not a record type'],
    ['a type without a syntax', `${SOA}\nwww 60 LOC 1 2`, 'line 2: records of type LOC are given as octets'],
    ['DNAME', `${SOA}\nwww 60 DNAME other`, 'line 2: DNAME is not supported'],
    ['another class', `${SOA}\nwww 60 CH A 192.0.2.1`, 'line 2: class "CH" is not served; use IN'],
    [
      'a bad address',
      `${SOA}\n; comment\nwww 60 A 192.0.2.256`,
      'line 3: "192.0.2.256" is not an IPv4 address',
    ],
    ['too much', `${SOA}\nwww 60 MX 10 a b`, 'line 2: "10 a b" has "b" too much'],
    ['no data', `${SOA}\nwww 60 A`, 'line 2: the record has no data'],
    ['no type', `${SOA}\nwww 60 IN`, 'line 2: the record has no type'],
    ['no time to live', '@ SOA a b 1 2 3 4 x', 'line 1: "a b 1 2 3 4 x" has the minimum "x"'],
    ['a time that is too long', `$TTL 99999w\n${SOA}`, 'line 1: "99999w" is no time'],
    ['a directive without its value', `$TTL\n${SOA}`, 'line 1: $TTL takes one value'],
    ['no owner', `\n ${SOA.slice(2)}`, 'line 2: the first record has no name'],
    ['an empty label', `${SOA}\na..b 60 A 192.0.2.1`, 'line 2: name "a..b" has an empty label'],
    ['an open quote', `${SOA}\nwww 60 TXT "a\nb"`, 'line 2: a quote without its end'],
    ['an open parenthesis', `${SOA}\nwww 60 TXT ( a\n\n`, 'line 2: an opening parenthesis without its end'],
    ['nested parentheses', `${SOA}\nwww 60 TXT ( a\n( b ) )`, 'line 3: a parenthesis inside parentheses'],
    ['a closing parenthesis', `${SOA}\nwww 60 A 192.0.2.1 )`, 'line 2: a closing parenthesis'],
    ['a backslash at the end', `${SOA}\nwww 60 TXT a\\`, 'line 2: a backslash at the end'],
    [
      'a long entry',
      `${SOA}\nwww 60 TXT ${'a'.repeat(300_000)}`,
      'line 2: an entry of more than 262144 characters',
    ],
    [
      'a long name',
      `${SOA}\n${'a.'.repeat(600)}b 60 A 192.0.2.1`,
      'line 2: a name of 1214 characters is too long',
    ],
    ['no SOA', 'www 60 A 192.0.2.1', 'line 1: the first record must be the SOA'],
    ['two SOA', `${SOA}\n${SOA}`, 'line 2: a second SOA record'],
    [
      'a name outside',
      `${SOA}\nwww.example.org. 60 A 192.0.2.1`,
      'line 2: "www.example.org" is not in the zone',
    ],
    [
      'a CNAME beside others',
      `${SOA}\nw 60 A 192.0.2.1\nw 60 CNAME x`,
      'line 3: "w.example.test" has a CNAME',
    ],
    [
      'others beside a CNAME',
      `${SOA}\nw 60 CNAME x\nw 60 A 192.0.2.1`,
      'line 3: "w.example.test" has a CNAME',
    ],
    ['two CNAME', `${SOA}\nw 60 CNAME x\nw 60 CNAME y`, 'line 3: "w.example.test" has two CNAME'],
    ['NS of a wildcard', `${SOA}\n*.w 60 NS x`, 'line 2: a wildcard has no NS records'],
    ['nothing', '; nothing\n', 'has no record; a zone begins with a SOA record'],
    ['other octets', Buffer.from([0xff, 0xfe, 0x41]), 'is not UTF-8'],
    ['too many bytes', Buffer.alloc(16 * 1024 * 1024 + 1, 0x20), 'is larger than 16 MiB'],
    [
      'too many records',
      `${SOA}\n${' 60 A 192.0.2.1\n'.repeat(100_000)}`,
      'line 100001: the zone files have more',
    ],
  ];
  it.each(bad)('with %s are refused with the place', async (_, text, message) => {
    const zones = [zoneOf(), { file: zoneFile(text), origin: 'example.test' }];
    const started = startHost({ zones: text === bad[0]?.[1] ? zones : zones.slice(1) });
    await expect(started).rejects.toThrow(message);
  });

  it('are refused where the configuration names them', async () => {
    const relative = { file: zoneFile('@ 60 SOA a b 1 2 3 4 5') };
    await expect(startHost({ zones: [zoneOf(), relative] })).rejects.toThrow(
      /\/zones\/1\/file.*line 1: name "@" is relative/s,
    );
    await expect(startHost({ zones: [zoneOf(), zoneOf()] })).rejects.toThrow(
      /\/zones\/1\/file.*the zone "example.test" is in a file before/s,
    );
    await expect(startHost({ zones: [{ file: 'none.zone' }] })).rejects.toThrow('"none.zone" is not a file');
    await expect(startHost({ zones: [{ ...relative, origin: 'a..b' }] })).rejects.toThrow(
      /\/zones\/0\/origin.*has an empty label/s,
    );
  });
});
