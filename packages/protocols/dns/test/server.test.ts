import { describe, expect, it } from '@jest/globals';
import packet from 'dns-packet';
import { eventually } from '@backlot/conformance';
import { encodeQuery, startHost, UdpClient } from './support.js';

const rcodeOf = (answer: { flags?: number | undefined }): number => (answer.flags ?? 0) & 0x0f;
const dataOf = (answer: { answers?: readonly unknown[] | undefined }): unknown[] =>
  (answer.answers ?? []).map((record) => (record as { data: unknown }).data);

describe('mocks', () => {
  it('answer together, in order, priority first', async () => {
    const { host, port } = await startHost({
      mocks: [
        { id: 'one', name: 'a.example', records: ['192.0.2.1'] },
        { id: 'wild', name: '*.example', records: ['192.0.2.2'], ttl: 5 },
        { id: 'pattern', name: 're:^a\\.', records: ['192.0.2.3'], priority: 1 },
        { id: 'text', name: 'a.example', type: 'TXT', records: ['no'] },
      ],
    });
    const client = new UdpClient(port);
    const answer = await client.ask(encodeQuery('a.example'));
    expect(answer).toMatchObject({ id: 0x1234, flag_aa: true, flag_ra: true, flag_rd: true, flag_ad: false });
    expect(answer.answers).toMatchObject([
      { name: 'a.example', type: 'A', class: 'IN', ttl: 60, data: '192.0.2.3' },
      { data: '192.0.2.1' },
      { data: '192.0.2.2', ttl: 5 },
    ]);
    expect(['one', 'wild', 'pattern', 'text'].map((id) => host.kind('dns').calls.of(id).count)).toEqual([
      1, 1, 1, 0,
    ]);
    expect(dataOf(await client.ask(encodeQuery('b.c.example')))).toEqual(['192.0.2.2']);
    expect(rcodeOf(await client.ask(encodeQuery('example')))).toBe(3);
  });

  it('match names in any case, with or without the last dot, as globs and as objects', async () => {
    const { port } = await startHost({
      mocks: [
        { name: 'Upper.Example.', records: ['192.0.2.1'] },
        { name: 'api-*.example', records: ['192.0.2.2'] },
        { name: { any_of: ['x.example', { prefix: 'y.' }] }, records: ['192.0.2.3'] },
        { name: 'b\u00fccher.example', records: ['192.0.2.4'] },
        { name: '_sip._tcp.example', type: 'srv', records: ['1 2 3 a.example'] },
        { name: '.', type: 'NS', records: ['a.root'] },
      ],
    });
    const client = new UdpClient(port);
    expect(dataOf(await client.ask(encodeQuery('uPPER.eXAMPLE')))).toEqual(['192.0.2.1']);
    expect(dataOf(await client.ask(encodeQuery('API-7.example')))).toEqual(['192.0.2.2']);
    expect(dataOf(await client.ask(encodeQuery('x.example')))).toEqual(['192.0.2.3']);
    expect(dataOf(await client.ask(encodeQuery('y.other')))).toEqual(['192.0.2.3']);
    expect(dataOf(await client.ask(encodeQuery('xn--bcher-kva.example')))).toEqual(['192.0.2.4']);
    expect(dataOf(await client.ask(encodeQuery('_sip._tcp.example', 'SRV')))).toMatchObject([
      { target: 'a.example' },
    ]);
    expect(dataOf(await client.ask(encodeQuery('.', 'NS')))).toEqual(['a.root']);
  });

  it('answer ANY with all types', async () => {
    const { port } = await startHost({
      mocks: [
        { name: 'a.example', records: ['192.0.2.1'] },
        { name: 'a.example', type: 'MX', records: ['10 m.example'] },
        { name: 'a.example', type: 'CNAME', records: ['b.example'] },
        { name: 'b.example', records: ['192.0.2.9'] },
      ],
    });
    const answer = await new UdpClient(port).ask(encodeQuery('a.example', 'ANY'));
    expect(answer.answers?.map(({ type }) => type)).toEqual(['A', 'MX', 'CNAME']);
  });

  it('follow aliases, in circles too', async () => {
    const { host, port } = await startHost({
      mocks: [
        { id: 'a', name: 'a.example', type: 'CNAME', records: ['B.example'] },
        { id: 'b', name: 'b.example', type: 'CNAME', records: ['c.example'] },
        { id: 'c', name: 'c.example', records: ['192.0.2.1'] },
        { name: 'loop.example', type: 'CNAME', records: ['pool.example'] },
        { name: 'pool.example', type: 'CNAME', records: ['loop.example'] },
        { name: 'out.example', type: 'CNAME', records: ['elsewhere.test'] },
        { name: 're:^n\\d+$', type: 'CNAME', records: ['{{request.name}}1'] },
      ],
    });
    const client = new UdpClient(port);
    const answer = await client.ask(encodeQuery('a.example'));
    expect(answer.answers).toMatchObject([
      { name: 'a.example', type: 'CNAME', data: 'B.example' },
      { name: 'B.example', type: 'CNAME', data: 'c.example' },
      { name: 'c.example', type: 'A', data: '192.0.2.1' },
    ]);
    expect(['a', 'b', 'c'].map((id) => host.kind('dns').calls.of(id).count)).toEqual([1, 1, 1]);
    expect(host.journal.list()).toHaveLength(1);
    expect((await client.ask(encodeQuery('a.example', 'CNAME'))).answers).toHaveLength(1);
    expect((await client.ask(encodeQuery('loop.example'))).answers).toHaveLength(2);
    const out = await client.ask(encodeQuery('out.example'));
    expect([rcodeOf(out), out.answers?.length]).toEqual([0, 1]);
    expect((await client.ask(encodeQuery('n1'))).answers).toHaveLength(17);
  });

  it('say that nothing is there as they are told', async () => {
    const mocks = [
      { name: 'a.example', type: 'MX', records: ['1 b.example'] },
      { name: 'empty.example', type: 'AAAA' },
    ];
    for (const [unmatched, rcode] of [
      [undefined, 3],
      ['nxdomain', 3],
      ['empty', 0],
      ['refused', 5],
    ] as const) {
      const { port } = await startHost({ mocks, ...(unmatched === undefined ? {} : { unmatched }) });
      const client = new UdpClient(port);
      expect(rcodeOf(await client.ask(encodeQuery('unknown.example')))).toBe(rcode);
      const other = await client.ask(encodeQuery('A.example'));
      expect([rcodeOf(other), other.answers]).toEqual([0, []]);
      expect(rcodeOf(await client.ask(encodeQuery('empty.example', 'AAAA')))).toBe(0);
    }
  });

  it('answer with response codes', async () => {
    const { host, port } = await startHost({
      mocks: [
        { name: '*.example', records: ['192.0.2.1'] },
        { name: 'gone.example', rcode: 'NXDOMAIN' },
        { name: 'five.example', rcode: 5, type: 'MX' },
        { name: 'all.test', type: 'ANY' },
      ],
    });
    const client = new UdpClient(port);
    for (const type of ['A', 'AAAA', 'TXT']) {
      const gone = await client.ask(encodeQuery('gone.example', type));
      expect([rcodeOf(gone), gone.answers]).toEqual([3, []]);
    }
    expect(rcodeOf(await client.ask(encodeQuery('five.example', 'MX')))).toBe(5);
    expect(dataOf(await client.ask(encodeQuery('five.example')))).toEqual(['192.0.2.1']);
    expect(rcodeOf(await client.ask(encodeQuery('all.test', 'SRV')))).toBe(0);
    expect(host.journal.list()[0]).toMatchObject({ response: { status: 'NXDOMAIN' } });
  });

  it('capture what an expression for the name names, in any case', async () => {
    const { port } = await startHost({
      mocks: [
        {
          name: 're:^ip-(?<last>\\d+)\\.(?<zone>[a-z]+)\\.test$',
          records: ['192.0.2.{{request.params.last}}'],
        },
        {
          name: { any_of: ['re:^(?<host>a)$', 're:^(?<host>[a-z]+)\\.text\\.test$'] },
          type: 'TXT',
          records: ['{{request.params.host}}'],
        },
      ],
    });
    const client = new UdpClient(port);
    expect(dataOf(await client.ask(encodeQuery('IP-9.Lab.Test')))).toEqual(['192.0.2.9']);
    expect(dataOf(await client.ask(encodeQuery('Mail.text.Test', 'TXT')))).toEqual([[Buffer.from('Mail')]]);
  });

  it('render templates, and fail with SERVFAIL when the result does not fit', async () => {
    const { host, port } = await startHost({
      mocks: [
        {
          id: 'echo',
          name: '*.echo.example',
          type: 'TXT',
          records: ['{{request.name}} {{request.type}} {{request.transport}} {{state.colour}}'],
        },
        { id: 'ip', name: 'ip.example', records: ['192.0.2.{{state.octet}}'] },
      ],
    });
    host.state.setAll({ octet: '7', colour: 'red' });
    const client = new UdpClient(port);
    expect(dataOf(await client.ask(encodeQuery('A.echo.example', 'TXT')))).toEqual([
      [Buffer.from('A.echo.example TXT udp red')],
    ]);
    expect(dataOf(await client.ask(encodeQuery('ip.example')))).toEqual(['192.0.2.7']);
    host.state.setAll({ octet: '777' });
    const failed = await client.ask(encodeQuery('ip.example'));
    expect([rcodeOf(failed), failed.answers]).toEqual([2, []]);
    const entry = host.journal.list().at(-1);
    expect(entry).toMatchObject({ matched_id: 'ip', response: { status: 'SERVFAIL' } });
    expect((entry?.['response'] as { body: string }).body).toMatch(
      /mock "ip", \/records\/0: "192\.0\.2\.777"/,
    );
  });

  it('hold while their state does, for so many times, and change at once', async () => {
    const { host, port } = await startHost({
      mocks: [
        { id: 'on', name: 'a.example', records: ['192.0.2.1'], state: { key: 'mode', value: 'on' } },
        {
          id: 'off',
          name: 'a.example',
          records: ['192.0.2.2'],
          state: { key: 'mode', not: 'on' },
          set_state: { mode: 'on' },
        },
        { id: 'once', name: 'once.example', records: ['192.0.2.3'], times: 1 },
      ],
    });
    const client = new UdpClient(port);
    expect(dataOf(await client.ask(encodeQuery('a.example')))).toEqual(['192.0.2.2']);
    expect(dataOf(await client.ask(encodeQuery('a.example')))).toEqual(['192.0.2.1']);
    expect(dataOf(await client.ask(encodeQuery('once.example')))).toEqual(['192.0.2.3']);
    expect(rcodeOf(await client.ask(encodeQuery('once.example')))).toBe(3);
    const { mocks } = host.kind('dns');
    mocks.replace('once', { name: '*.once.example', records: ['192.0.2.4'] });
    expect(rcodeOf(await client.ask(encodeQuery('once.example')))).toBe(3);
    expect(dataOf(await client.ask(encodeQuery('x.once.example')))).toEqual(['192.0.2.4']);
    mocks.remove('once');
    expect(rcodeOf(await client.ask(encodeQuery('x.once.example')))).toBe(3);
    host.reset();
    expect(dataOf(await client.ask(encodeQuery('once.example')))).toEqual(['192.0.2.3']);
  });

  it('are patched by scenarios', async () => {
    const { host, port } = await startHost({
      mocks: [{ id: 'a', name: 'a.example', records: ['192.0.2.1'] }],
    });
    host.scenarios.create({ id: 'moved', patches: [{ mock_id: 'a', body: ['192.0.2.9'] }] });
    host.scenarios.create({ id: 'gone', patches: [{ mock_id: 'a', status: 'NXDOMAIN' }] });
    host.scenarios.create({ id: 'down', faults: { dns: { rcode: 'REFUSED' } } });
    const client = new UdpClient(port);
    host.scenarios.activate('moved');
    expect(dataOf(await client.ask(encodeQuery('a.example')))).toEqual(['192.0.2.9']);
    host.scenarios.activate('gone');
    expect(rcodeOf(await client.ask(encodeQuery('a.example')))).toBe(3);
    host.scenarios.activate('down');
    expect(rcodeOf(await client.ask(encodeQuery('a.example')))).toBe(5);
  });

  it('are explained without traffic', async () => {
    const { host } = await startHost({
      mocks: [
        { id: 'a', name: 'a.example', records: ['192.0.2.1'] },
        { id: 'b', name: '*.example', type: 'MX' },
      ],
    });
    const explained = host.kind('dns').explain({ path: 'A.Example', body: 'A' });
    for (const other of [{ name: 'a.example', type: 'A' }, 'A a.example', 'a.example A', 'a.example']) {
      expect(host.kind('dns').explain(other)).toEqual(explained);
    }
    expect(() => host.kind('dns').explain('BOGUS a.example')).toThrow('is no question');
    expect(JSON.stringify(explained)).toContain('"a"');
    expect(explained.others).toContainEqual({ mock_id: 'b', reason: 'type: got A, want MX' });
  });

  it.each([
    [{ name: 'a.example', records: ['999.1.1.1'] }, '/records/0'],
    [{ name: 'a.example', records: ['192.0.2.1', '::1'] }, '/records/1'],
    [{ name: 'a.example', type: 'TXT', records: ['x'.repeat(70_000)] }, '/records/0'],
    [{ name: 'a.example', type: 'CNAME', records: [`${'a'.repeat(64)}.example`] }, '/records/0'],
    [{ name: `${'a'.repeat(64)}.example` }, '/name'],
    [{ name: 'a..example' }, '/name'],
    [{ name: '*.' }, '/name'],
    [{ name: 're:(' }, '/name'],
    [{ name: 'a.example', type: 'B' }, '/type'],
    [{ name: 'a.example', type: 'OPT' }, '/type'],
    [{ name: 'a.example', type: 'AXFR' }, '/type'],
    [{ name: 'a.example', type: 'ANY', records: ['192.0.2.1'] }, '/type'],
    [{ name: 'a.example', rcode: 'NOPE' }, '/rcode'],
    [{ name: 'a.example', rcode: 16 }, '/rcode'],
    [{ name: 'a.example', ttl: -1 }, '/ttl'],
    [{ name: 'a.example', records: ['{{#open}}'] }, '/records/0'],
    [{ name: 'a.example', record: '192.0.2.1' }, '/record'],
  ])('such as %j are refused', async (mock, path) => {
    const { host } = await startHost();
    const { mocks } = host.kind('dns');
    let details: { path: string }[] = [];
    try {
      mocks.create(mock);
    } catch (error) {
      details = (error as { details: { path: string }[] }).details;
    }
    expect(details.map((problem) => problem.path)).toContain(path);
    expect(mocks.list()).toEqual([]);
  });
});

describe('the journal', () => {
  it('shows the question, the records and why nothing matched', async () => {
    const { host, port } = await startHost({
      mocks: [
        { id: 'mx', name: 'a.example', type: 'MX', records: ['10 m.example', '20 n.example.'], ttl: 30 },
        { id: 'other', name: 'b.example' },
      ],
    });
    const client = new UdpClient(port);
    await client.ask(encodeQuery('A.Example', 'MX'));
    await client.ask(encodeQuery('a.example', 'TXT'));
    const [found, missed] = host.journal.list();
    expect(found).toMatchObject({
      protocol: 'dns',
      method: 'QUERY',
      path: 'A.Example',
      body: 'MX',
      matched_id: 'mx',
      status: 'NOERROR',
      response: {
        status: 'NOERROR',
        body: 'A.Example. 30 IN MX 10 m.example.\nA.Example. 30 IN MX 20 n.example.',
      },
      remote: `127.0.0.1:${client.socket.address().port}`,
    });
    expect(missed?.['near_misses']).toContainEqual({ mock_id: 'mx', reason: 'type: got TXT, want MX' });
    expect(missed?.['near_misses']).toContainEqual({
      mock_id: 'other',
      reason: 'name: got "a.example", want "b.example"',
    });
  });
});

describe('faults and delays', () => {
  it('answer with a response code and no records, SERVFAIL when none is named', async () => {
    const { host, port } = await startHost({
      mocks: [{ id: 'a', name: 'a.example', records: ['192.0.2.1'] }],
    });
    const client = new UdpClient(port);
    host.faults.set('dns', {});
    const failed = await client.ask(encodeQuery('a.example'));
    expect([rcodeOf(failed), failed.answers]).toEqual([2, []]);
    host.faults.set('dns', { rcode: 'REFUSED' });
    expect(rcodeOf(await client.ask(encodeQuery('unknown.example')))).toBe(5);
    host.faults.set('dns', { rcode: 4 });
    expect(rcodeOf(await client.ask(encodeQuery('a.example')))).toBe(4);
    expect(host.journal.list()[0]).toMatchObject({
      matched_id: 'a',
      fault: true,
      response: { status: 'SERVFAIL' },
    });
    host.faults.clear('dns');
    expect(rcodeOf(await client.ask(encodeQuery('a.example')))).toBe(0);
    expect(() => host.faults.set('dns', { rcode: 'WHAT' })).toThrow('WHAT');
  });

  it('drop answers', async () => {
    const { host, port } = await startHost({ mocks: [{ name: 'a.example', records: ['192.0.2.1'] }] });
    const client = new UdpClient(port);
    host.faults.set('dns', { drop: true });
    await client.send(encodeQuery('a.example', 'A', { id: 1 }));
    await eventually(() => host.journal.count().count === 1);
    host.faults.clear('dns');
    expect((await client.ask(encodeQuery('a.example', 'A', { id: 2 }))).id).toBe(2);
    expect(client.spare).toBe(0);
  });

  it('delay one answer and hold up no other', async () => {
    const { host, port } = await startHost({
      mocks: [
        { id: 'slow', name: 'slow.example', records: ['192.0.2.1'], delay: '1h' },
        { name: 'fast.example', records: ['192.0.2.2'] },
      ],
    });
    const client = new UdpClient(port);
    await client.send(encodeQuery('slow.example', 'A', { id: 1 }));
    expect((await client.ask(encodeQuery('fast.example', 'A', { id: 2 }))).id).toBe(2);
    await eventually(() => host.kind('dns').calls.of('slow').count === 1);
    await host.clock.advance(3_600_000);
    expect(packet.decode(await client.receive()).id).toBe(1);
  });
});
