import { Resolver } from 'node:dns/promises';
import { describe, expect, it } from '@jest/globals';
import packet, { type OptAnswer } from 'dns-packet';
import { eventually, itWithTool, mulberry32 } from '@backlot/conformance';
import { dig, encodeQuery, startHost, TcpClient, UdpClient } from './support.js';

const LARGE = {
  name: 'large.example',
  records: Array.from({ length: 200 }, (_, index) => `192.0.2.${index}`),
};
const rcodeOf = (answer: { flags?: number | undefined }): number => (answer.flags ?? 0) & 0x0f;
const opt = (size: number, version = 0): OptAnswer => ({
  type: 'OPT',
  name: '.',
  udpPayloadSize: size,
  extendedRcode: 0,
  ednsVersion: version,
  flags: 0,
  flag_do: false,
  options: [],
});

describe('UDP', () => {
  it('never sends more than the client takes, nor more than 1232 octets', async () => {
    const { port } = await startHost({
      mocks: [LARGE, { name: 'mid.example', records: LARGE.records.slice(0, 60) }],
    });
    const client = new UdpClient(port);
    for (const [name, size, isWhole] of [
      ['large.example', undefined, false],
      ['mid.example', undefined, false],
      ['mid.example', 1232, true],
      ['mid.example', 100, false],
      ['large.example', 1232, false],
      ['large.example', 4096, false],
      ['mid.example', 65535, true],
      ['large.example', 65535, false],
    ] as const) {
      await client.send(encodeQuery(name, 'A', size === undefined ? {} : { additionals: [opt(size)] }));
      const octets = await client.receive();
      const answer = packet.decode(octets);
      expect(octets.length).toBeLessThanOrEqual(Math.min(Math.max(size ?? 512, 512), 1232));
      expect(answer.flag_tc).toBe(!isWhole);
      expect((answer.answers?.length ?? 0) > 0).toBe(isWhole);
      expect(answer.additionals).toHaveLength(size === undefined ? 0 : 1);
    }
  });

  it('caps the size although the client takes more', async () => {
    const { port } = await startHost({
      mocks: [{ name: 'big.example', type: 'TXT', records: ['x'.repeat(5000)] }],
    });
    const answer = await new UdpClient(port).ask(
      encodeQuery('big.example', 'TXT', { additionals: [opt(65535)] }),
    );
    expect(answer.flag_tc).toBe(true);
  });

  it('sends no more than 1232 octets to who asks for all records of a name, and says that there are more', async () => {
    const { port } = await startHost({
      mocks: [LARGE, { name: 'large.example', type: 'TXT', records: ['x'.repeat(200)] }],
    });
    const query = encodeQuery('large.example', 'ANY', { additionals: [opt(65535)] });
    const client = new UdpClient(port);
    await client.send(query);
    const octets = await client.receive();
    expect(octets.length).toBeLessThanOrEqual(1232);
    expect(packet.decode(octets).flag_tc).toBe(true);
    const stream = new TcpClient(port);
    stream.send(query);
    const [whole] = await stream.receive(1);
    expect(whole?.answers).toHaveLength(201);
  });

  it('refuses what it does not serve', async () => {
    const { host, port } = await startHost({ mocks: [{ name: '*', records: ['192.0.2.1'] }] });
    const client = new UdpClient(port);
    const withClass = (value: number): Buffer => {
      const octets = encodeQuery('a.example');
      octets.writeUInt16BE(value, octets.length - 2);
      return octets;
    };
    expect(rcodeOf(await client.ask(withClass(3)))).toBe(5);
    expect(rcodeOf(await client.ask(withClass(255)))).toBe(5);
    expect(rcodeOf(await client.ask(encodeQuery('a.example', 'AXFR')))).toBe(5);
    const badVersion = await client.ask(encodeQuery('a.example', 'A', { additionals: [opt(1232, 1)] }));
    expect(badVersion.additionals).toMatchObject([{ extendedRcode: 1, ednsVersion: 0 }]);
    const status = encodeQuery('a.example');
    status.writeUInt16BE(0x1000, 2);
    expect(rcodeOf(await client.ask(status))).toBe(4);
    const two = encodeQuery('a.example', 'A', {
      questions: [
        { type: 'A', name: 'a' },
        { type: 'A', name: 'b' },
      ],
    });
    expect(rcodeOf(await client.ask(two))).toBe(1);
    expect(host.journal.list()).toEqual([]);
  });

  it('says nothing to answers and to octets that are no message', async () => {
    const { port } = await startHost();
    const client = new UdpClient(port);
    await client.send(Buffer.from([1, 2, 3]));
    await client.send(Buffer.alloc(0));
    await client.send(
      packet.encode({ type: 'response', id: 1, questions: [{ type: 'A', name: 'a.example' }] }),
    );
    expect((await client.ask(encodeQuery('a.example', 'A', { id: 7 }))).id).toBe(7);
    expect(client.spare).toBe(0);
  });

  it('survives 10,000 mutations of good messages', async () => {
    const { host, port, log } = await startHost({ mocks: [{ name: '*', records: ['192.0.2.1'] }] });
    const client = new UdpClient(port);
    const sane = new UdpClient(port);
    const good = [
      encodeQuery('www.example.com'),
      encodeQuery('a.b.c.d.example', 'ANY', { additionals: [opt(1232)] }),
      packet.encode({
        type: 'query',
        id: 5,
        questions: [{ type: 'SOA', name: 'x.example' }],
        authorities: [{ type: 'NS', name: 'x.example', data: 'y.x.example' }],
      }),
    ];
    const next = mulberry32(11);
    for (let round = 0; round < 10_000; round += 1) {
      const octets = Buffer.from(good[round % good.length] ?? Buffer.alloc(0));
      for (let changes = 1 + next(4); changes > 0; changes -= 1) octets[next(octets.length)] = next(256);
      await client.send(next(4) === 0 ? octets.subarray(0, next(octets.length)) : octets);
      // So often that the system's buffers never overflow: every mutation is really read.
      if (round % 50 === 49) {
        const answer = await sane.ask(encodeQuery('still.example', 'A', { id: round }));
        expect(answer).toMatchObject({ id: round, answers: [{ data: '192.0.2.1' }] });
      }
    }
    expect(host.health).toBe('ok');
    expect(log).toEqual([]);
  });
});

describe('TCP', () => {
  it('answers large messages, several on one connection, each when it is ready', async () => {
    const { host, port } = await startHost({
      mocks: [LARGE, { id: 'slow', name: 'slow.example', records: ['192.0.2.1'], delay: '1h' }],
    });
    const client = new TcpClient(port);
    client.send(
      encodeQuery('slow.example', 'A', { id: 1 }),
      encodeQuery('large.example', 'A', { id: 2 }),
      encodeQuery('no.example', 'A', { id: 3 }),
    );
    const first = await client.receive(2);
    expect(first.map(({ id }) => id)).toEqual([2, 3]);
    expect(first[0]?.answers).toHaveLength(200);
    expect(first[0]?.flag_tc).toBe(false);
    await host.clock.advance(3_600_000);
    expect((await client.receive(3))[2]).toMatchObject({ id: 1 });
    expect(host.journal.list().map(({ path }) => path)).toContain('slow.example');
  });

  it('takes messages octet by octet', async () => {
    const { port } = await startHost({ mocks: [{ name: 'a.example', records: ['192.0.2.1'] }] });
    const client = new TcpClient(port);
    client.socket.setNoDelay(true);
    const query = encodeQuery('a.example');
    for (const octet of Buffer.concat([Buffer.from([0, query.length]), query])) {
      await new Promise((resolve) => client.socket.write(Buffer.from([octet]), resolve));
    }
    expect((await client.receive(1))[0]?.answers).toMatchObject([{ data: '192.0.2.1' }]);
  });

  it('says SERVFAIL to what DNS cannot carry', async () => {
    const records = Array.from({ length: 3 }, () => 'x'.repeat(30_000));
    const { host, port } = await startHost({ mocks: [{ name: 'huge.example', type: 'TXT', records }] });
    const client = new TcpClient(port);
    client.send(encodeQuery('huge.example', 'TXT'));
    expect(rcodeOf((await client.receive(1))[0] ?? {})).toBe(2);
    expect(host.journal.list()).toMatchObject([{ response: { status: 'SERVFAIL' } }]);
  });

  it('lets a thousand answers of a connection wait, and the queries behind them too', async () => {
    const { host, port } = await startHost({
      mocks: [{ id: 'slow', name: 'slow.example', records: ['192.0.2.1'], delay: '1h' }],
    });
    const calls = (): number => host.kind('dns').calls.of('slow').count;
    const client = new TcpClient(port);
    client.send(...Array.from({ length: 2500 }, (_, id) => encodeQuery('slow.example', 'A', { id })));
    for (const most of [1000, 2000, 2500]) {
      await eventually(() => calls() >= most);
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(calls()).toBe(most);
      await host.clock.advance(3_600_000);
    }
    await client.until(() => client.answers.length === 2500);
    expect(new Set(client.answers.map((answer) => answer.readUInt16BE(0))).size).toBe(2500);
  });

  it('stops the delays of a client that leaves', async () => {
    const { host, port } = await startHost({
      mocks: [{ id: 'slow', name: 'slow.example', records: ['192.0.2.1'], delay: '1h' }],
    });
    const client = new TcpClient(port);
    client.send(encodeQuery('slow.example'));
    await eventually(() => host.kind('dns').calls.of('slow').count === 1);
    client.socket.resetAndDestroy();
    await eventually(() => host.journal.list().length === 1 && host.journal.list()[0]?.['aborted'] === true);
  });

  it('reads no further than a client reads, also when that has ended its side', async () => {
    const { host, port } = await startHost({
      mocks: [{ name: 'big.example', type: 'TXT', records: ['x'.repeat(60_000)] }],
    });
    const client = new TcpClient(port);
    client.socket.pause();
    const queries = Array.from({ length: 500 }, (_, id) => encodeQuery('big.example', 'TXT', { id }));
    client.send(...queries);
    client.socket.end();
    await eventually(() => host.journal.count().count > 0);
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(host.journal.count().count).toBeLessThan(500);
    client.socket.resume();
    await client.until(() => client.answers.length === 500);
    expect(client.answers.map((answer) => answer.readUInt16BE(0))).toEqual(queries.map((_, id) => id));
  });

  it('answers a client that has ended its side', async () => {
    const { host, port } = await startHost({
      mocks: [{ id: 'slow', name: 'slow.example', records: ['192.0.2.1'], delay: '1h' }],
    });
    const client = new TcpClient(port);
    client.send(encodeQuery('slow.example'));
    await eventually(() => host.kind('dns').calls.of('slow').count === 1);
    client.socket.end();
    await new Promise((resolve) => client.socket.once('finish', resolve).on('finish', resolve));
    await host.clock.advance(3_600_000);
    expect(await client.receive(1)).toHaveLength(1);
    await client.until(() => client.isClosed);
  });

  it('ends connections that speak something else or nothing', async () => {
    const { host, port } = await startHost({
      idle_timeout: '50ms',
      mocks: [{ name: 'a.example', records: ['192.0.2.1'] }],
    });
    const clients = [
      'GET / HTTP/1.1\r\n\r\n',
      Buffer.from('160301020001000001fc0303', 'hex'),
      Buffer.from([0, 0]),
      Buffer.from([0, 3, 1, 2, 3]),
    ].map((octets) => {
      const client = new TcpClient(port);
      client.socket.write(octets);
      return client;
    });
    await Promise.all(clients.map((client) => client.until(() => client.isClosed)));
    await eventually(() => host.kind('dns').status()['connections'] === 0);
    const good = new TcpClient(port);
    good.send(encodeQuery('a.example'));
    expect(await good.receive(1)).toHaveLength(1);
  });

  it('takes 500 connections at once', async () => {
    const { host, port } = await startHost({ mocks: [{ name: 'a.example', records: ['192.0.2.1'] }] });
    const clients = Array.from({ length: 500 }, () => new TcpClient(port));
    clients.forEach((client, index) =>
      index % 2 === 0 ? client.send(encodeQuery('a.example')) : client.socket.write(Buffer.from([0, 30, 1])),
    );
    await Promise.all(clients.filter((_, index) => index % 2 === 0).map((client) => client.receive(1)));
    for (const client of clients) client.socket.resetAndDestroy();
    await eventually(() => host.kind('dns').status()['connections'] === 0);
  });

  it('is reset by a fault of the connection, which UDP has not', async () => {
    const { host, port } = await startHost({ mocks: [{ name: 'a.example', records: ['192.0.2.1'] }] });
    host.faults.set('dns', { phase: 'connect' });
    const client = new TcpClient(port);
    await client.until(() => client.isClosed);
    expect((await new UdpClient(port).ask(encodeQuery('a.example'))).answers).toHaveLength(1);
  });
});

describe('real clients', () => {
  const mocks = [
    { name: 'a.example', records: ['192.0.2.1', '192.0.2.2'] },
    { name: 'mid.example', records: LARGE.records.slice(0, 60) },
    { name: 'a.example', type: 'AAAA', records: ['2001:db8::1'] },
    { name: 'a.example', type: 'MX', records: ['10 mail.example', '20 mail2.example'] },
    { name: 'a.example', type: 'TXT', records: ['v=spf1 ~all', 'y'.repeat(300)] },
    { name: 'a.example', type: 'NS', records: ['ns1.example'] },
    { name: 'a.example', type: 'SOA', records: ['ns1.example admin.example 1 2 3 4 5'] },
    { name: 'a.example', type: 'CAA', records: ['0 issue "ca.example"'] },
    { name: 'a.example', type: 'HTTPS', records: ['1 . alpn="h2,h3" ipv4hint=192.0.2.1'] },
    { name: 'a.example', type: 'NAPTR', records: ['100 10 "S" "SIP+D2U" "" _sip._udp.example'] },
    { name: 'a.example', type: 'TLSA', records: ['\\# 5 030101abcd'] },
    { name: '_sip._udp.example', type: 'SRV', records: ['10 5 5060 sip.example'] },
    { name: '1.2.0.192.in-addr.arpa', type: 'PTR', records: ['a.example'] },
    { name: 'www.example', type: 'CNAME', records: ['a.example'] },
    LARGE,
  ];

  it("Node's resolver", async () => {
    const { port } = await startHost({ mocks });
    const resolver = new Resolver({ timeout: 60_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    expect(await resolver.resolve4('a.example', { ttl: true })).toEqual([
      { address: '192.0.2.1', ttl: 60 },
      { address: '192.0.2.2', ttl: 60 },
    ]);
    expect(await resolver.resolve6('a.example')).toEqual(['2001:db8::1']);
    expect(await resolver.resolveMx('a.example')).toEqual(
      expect.arrayContaining([{ priority: 10, exchange: 'mail.example' }]),
    );
    expect(await resolver.resolveTxt('a.example')).toEqual([
      ['v=spf1 ~all'],
      ['y'.repeat(255), 'y'.repeat(45)],
    ]);
    expect(await resolver.resolveNs('a.example')).toEqual(['ns1.example']);
    expect(await resolver.resolveSoa('a.example')).toEqual({
      nsname: 'ns1.example',
      hostmaster: 'admin.example',
      serial: 1,
      refresh: 2,
      retry: 3,
      expire: 4,
      minttl: 5,
    });
    expect(await resolver.resolveCaa('a.example')).toEqual([{ critical: 0, issue: 'ca.example' }]);
    expect(await resolver.resolveSrv('_sip._udp.example')).toEqual([
      { priority: 10, weight: 5, port: 5060, name: 'sip.example' },
    ]);
    expect(await resolver.resolveNaptr('a.example')).toMatchObject([
      { service: 'SIP+D2U', replacement: '_sip._udp.example' },
    ]);
    expect(await resolver.reverse('192.0.2.1')).toEqual(['a.example']);
    expect(await resolver.resolve4('www.example')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await resolver.resolveCname('www.example')).toEqual(['a.example']);
    expect(await resolver.resolve4('large.example')).toHaveLength(200);
    await expect(resolver.resolve4('nope.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver.resolve6('large.example')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  itWithTool('dig', 'dig over UDP and TCP, with and without EDNS', async () => {
    const { port } = await startHost({ mocks });
    const short = async (...words: string[]): Promise<string[]> =>
      (await dig(port, '+short', ...words)).trim().split('\n');
    expect(await short('a.example')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await short('+tcp', 'a.example', 'MX')).toEqual(['10 mail.example.', '20 mail2.example.']);
    expect(await short('+noedns', 'www.example')).toEqual(['a.example.', '192.0.2.1', '192.0.2.2']);
    expect(await short('a.example', 'HTTPS')).toEqual(['1 . alpn="h2,h3" ipv4hint=192.0.2.1']);
    expect(await short('a.example', 'NAPTR')).toEqual(['100 10 "S" "SIP+D2U" "" _sip._udp.example.']);
    expect(await short('a.example', 'CAA')).toEqual(['0 issue "ca.example"']);
    expect(await short('a.example', 'TLSA')).toEqual(['3 1 1 ABCD']);
    expect(await short('a.example', 'SOA')).toEqual(['ns1.example. admin.example. 1 2 3 4 5']);
    expect(await short('-x', '192.0.2.1')).toEqual(['a.example.']);
    expect(await short('+bufsize=4096', 'mid.example')).toHaveLength(60);
    expect(await short('+bufsize=4096', 'large.example')).toHaveLength(200);
  });

  itWithTool('dig', 'dig sees flags, sections and truncation', async () => {
    const { port } = await startHost({ mocks });
    const whole = await dig(port, '+qr', 'a.example');
    expect(whole).toContain('status: NOERROR');
    expect(whole).toContain('flags: qr aa rd ra; QUERY: 1, ANSWER: 2, AUTHORITY: 0, ADDITIONAL: 1');
    expect(whole).toContain('EDNS: version: 0, flags:; udp: 1232');
    expect(whole).not.toMatch(/warning|malformed|bad|extra/i);
    expect(await dig(port, '+ignore', '+bufsize=512', 'large.example')).toContain('flags: qr aa tc rd ra');
    const retried = await dig(port, '+bufsize=512', 'large.example');
    expect(retried).toContain('Truncated, retrying in TCP mode');
    expect(retried).toContain('ANSWER: 200');
    expect(await dig(port, '+tcp', 'a.example', 'ANY')).toContain('ANSWER: 13');
    expect(await dig(port, 'nope.example')).toContain('status: NXDOMAIN');
    expect(await dig(port, '+norec', '+noedns', 'a.example')).toContain('flags: qr aa ra;');
    expect(await dig(port, '+edns=1', '+noednsneg', 'a.example')).toContain('status: BADVERS');
    expect(await dig(port, 'version.bind', 'CH', 'TXT')).toContain('status: REFUSED');
    expect(await dig(port, 'a.example', 'AXFR')).toContain('Transfer failed');
    expect(await dig(port, '+opcode=notify', 'a.example', 'SOA')).toContain('status: NOTIMP');
    expect(await dig(port, '+dnssec', '+cdflag', 'A.eXaMpLe')).toMatch(
      /flags: qr aa rd ra cd;[^]*flags: do;[^]*A\.eXaMpLe\./,
    );
  });
});

describe('both addresses of localhost', () => {
  it('listen on one port', async () => {
    const { port } = await startHost({
      host: 'localhost',
      mocks: [{ name: 'a.example', records: ['192.0.2.1'] }],
    });
    const client = new UdpClient(port);
    expect((await client.ask(encodeQuery('a.example'))).answers).toHaveLength(1);
    const stream = new TcpClient(port);
    stream.send(encodeQuery('a.example'));
    expect(await stream.receive(1)).toHaveLength(1);
  });

  it('are refused when the port is taken', async () => {
    const { port } = await startHost();
    await expect(startHost({ port })).rejects.toThrow('address already in use');
    await expect(startHost({ idle_timeout: 'soon' })).rejects.toThrow('soon');
  });
});
