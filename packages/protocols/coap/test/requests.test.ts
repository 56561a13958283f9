import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { encode, NodeClient, optionOf, RawClient, startHost } from './support.js';
import { listLinks } from '../src/links.js';
import type { LiveCoapMock } from '../src/shape.js';

const MOCKS = [
  { id: 'temperature', method: 'GET', path: '/sensors/temperature', response: { payload: '22.5 C' } },
  { id: 'lamp', path: '/lamps/{id}', payload: { any_of: ['on', 'off'] }, response: { code: 2.04 } },
  {
    id: 'device',
    path: '/devices/{id}',
    query: { detail: 'full' },
    response: { payload: '{"id": "{{request.params.id}}", "q": "{{query.detail}}"}' },
  },
  { id: 'echo', path: '/echo', response: { payload: '{{request.raw_body}}', content_format: 42 } },
  { id: 'method', path: '/method', response: { payload: '{{request.method}}' } },
  {
    id: 'old',
    path_regex: '^/old/(?P<rest>.*)$',
    response: { code: '4.10', payload: '{{request.params.rest}}' },
  },
];

describe('requests', () => {
  it('answers every method, confirmable or not, with the code that fits', async () => {
    const { port, host } = await startHost(MOCKS);
    const client = new NodeClient(port);
    const codes: string[] = [];
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'FETCH', 'PATCH', 'iPATCH'] as const) {
      const answer = await client.ask({ pathname: '/method', method, confirmable: method !== 'PUT' });
      codes.push(`${answer.code} ${answer.payload.toString()}`);
    }
    expect(codes).toEqual([
      '2.05 GET',
      '2.04 POST',
      '2.04 PUT',
      '2.02 DELETE',
      '2.05 FETCH',
      '2.04 PATCH',
      '2.04 iPATCH',
    ]);
    const [first] = host.journal.list({ protocol: 'coap' });
    expect(first).toMatchObject({
      method: 'GET',
      path: '/method',
      matched_id: 'method',
      response: { status: '2.05', body: 'GET', headers: { 'content-format': 'text/plain' } },
    });
  });

  it('captures what expressions for the payload and the query name', async () => {
    const { port } = await startHost([
      {
        path: '/rooms/{room}',
        query: { by: { any_of: ['re:^u-(?<user>\\w+)', 'nobody'] } },
        payload: 're:^(?<level>\\d+)%$',
        response: { payload: '{{request.params.room}} {{request.params.level}} {{request.params.user}}' },
      },
    ]);
    const client = new NodeClient(port);
    const answer = await client.ask({ pathname: '/rooms/hall', method: 'PUT', query: 'by=u-ann' }, '40%');
    expect(answer.payload.toString()).toBe('hall 40 ann');
  });

  it('answers with JSON and bytes, in the format that fits', async () => {
    const { port } = await startHost([
      { path: '/json', response: { json: { all: '{{request.body}}', n: 1 } } },
      { path: '/bytes', response: { payload_base64: '/wD+' } },
      { path: '/png', response: { payload_base64: '/wD+', content_format: 'image/png' } },
    ]);
    const client = new NodeClient(port);
    const json = await client.ask({ pathname: '/json', method: 'POST' }, '[1,{"a":null}]');
    expect([json.headers['Content-Format'], json.payload.toString()]).toEqual([
      'application/json',
      '{"all":[1,{"a":null}],"n":1}',
    ]);
    const bytes = await client.ask({ pathname: '/bytes' });
    expect([bytes.headers['Content-Format'], bytes.payload]).toEqual([
      'application/octet-stream',
      Buffer.from('ff00fe', 'hex'),
    ]);
    expect((await client.ask({ pathname: '/png' })).headers['Content-Format']).toBe(23);
  });

  it('matches query, payload and path, and tells templates of them', async () => {
    const { port, host } = await startHost(MOCKS);
    const client = new NodeClient(port);
    const device = await client.ask({ pathname: '/devices/a%20b', query: 'detail=full&x' });
    expect(device.payload.toString()).toBe('{"id": "a%20b", "q": "full"}');
    expect(device.headers['Content-Format']).toBe('application/json');
    expect((await client.ask({ pathname: '/devices/7' })).code).toBe('4.04');
    expect((await client.ask({ pathname: '/lamps/1', method: 'PUT' }, 'on')).code).toBe('2.04');
    expect((await client.ask({ pathname: '/lamps/1', method: 'PUT' }, 'dim')).code).toBe('4.04');
    const old = await client.ask({ pathname: '/old/a/b' });
    expect([old.code, old.payload.toString()]).toEqual(['4.10', 'a/b']);
    const missed = host.journal.list({ unmatched: true }).at(-1);
    expect(missed?.['near_misses']).toContainEqual({
      mock_id: 'lamp',
      reason: expect.stringContaining('payload: got "dim"'),
    });
    expect(missed?.['query']).toBeUndefined();
  });

  it('sends octets back that are no text', async () => {
    const { port } = await startHost(MOCKS);
    const octets = Buffer.from([0xff, 0, 0xc3, 0x28]);
    const answer = await new NodeClient(port).ask({ pathname: '/echo', method: 'POST' }, octets);
    expect(answer.payload).toEqual(octets);
  });

  it('escapes what it inserts as the content format says', async () => {
    const formats = ['application/xml', 'application/senml+json', 'text/plain;charset=utf-8'];
    const { port } = await startHost(
      formats.map((format, index) => ({
        path: `/${index}`,
        response: { payload: '"{{request.raw_body}}"', content_format: format },
      })),
    );
    const client = new NodeClient(port);
    const ask = async (index: number): Promise<string> =>
      (await client.ask({ pathname: `/${index}`, method: 'POST' }, 'a "b" <c>')).payload.toString();
    expect(await ask(0)).toBe('"a &quot;b&quot; &lt;c&gt;"');
    expect(await ask(1)).toBe('"a \\"b\\" <c>"');
    expect(await ask(2)).toBe('"a "b" <c>"');
  });

  it('negotiates the content format', async () => {
    const { port } = await startHost([
      { path: '/x', response: { payload: '{"a": 1}', content_format: 'json' } },
      { path: '/x', response: { payload: 'a=1', content_format: 'text/plain; charset=utf-8' } },
    ]);
    const client = new RawClient(port);
    const accept = (value: number) => ({ options: [{ name: 'Accept' as const, value: Buffer.of(value) }] });
    expect((await client.ask(client.make('/x', accept(50)))).payload.toString()).toBe('{"a": 1}');
    expect((await client.ask(client.make('/x', { options: [] }))).payload.toString()).toBe('{"a": 1}');
    expect((await client.ask(client.make('/x', accept(60)))).code).toBe('4.06');
    expect((await client.ask(client.make('/y', accept(60)))).code).toBe('4.04');
    const plain = { options: [{ name: 'Accept' as const, value: Buffer.alloc(0) }] };
    expect((await client.ask(client.make('/x', plain))).payload.toString()).toBe('a=1');
  });

  it('answers what no mock is asked about', async () => {
    const { port, host } = await startHost(MOCKS);
    const client = new RawClient(port);
    const get = (more: Parameters<RawClient['make']>[1]) => client.ask(client.make('/method', more));
    expect((await get({ code: '0.31' })).code).toBe('4.05');
    const option = (name: number | string, value: string) => ({
      options: [{ name: name as 'Uri-Host', value: Buffer.from(value) }],
    });
    expect((await get(option(65_001, 'x'))).code).toBe('4.02');
    expect((await get(option(65_000, 'x'))).code).toBe('2.05');
    expect((await get(option('Proxy-Uri', 'coap://x'))).code).toBe('5.05');
    expect((await get(option('Proxy-Scheme', 'coap'))).code).toBe('5.05');
    // A critical option of a length that it cannot have, and one that comes twice, are as if unknown.
    expect((await get(option('Accept', 'abc'))).code).toBe('4.02');
    const ofHost = { name: 'Uri-Host' as const, value: Buffer.from('h') };
    expect((await get({ options: [ofHost, ofHost] })).code).toBe('4.02');
    expect((await get({ options: [ofHost, { name: 'If-Match', value: Buffer.alloc(0) }] })).code).toBe(
      '2.05',
    );
    const refused = await get({ confirmable: false, ...option(65_001, 'x') });
    expect([refused.reset, refused.code]).toEqual([true, '0.00']);
    expect(host.journal.count().count).toBe(2);
  });

  it('takes options of every length, and paths of many segments', async () => {
    const { port } = await startHost([
      { path: '/*', response: { payload: '{{request.path}}' } },
      { path: '/q', priority: 1, query: { k: { prefix: 'vv' } }, response: { payload: 'long' } },
    ]);
    const client = new RawClient(port);
    for (const length of [1, 12, 13, 14, 254, 255]) {
      const segment = 'p'.repeat(length);
      expect((await client.ask(client.make(`/${segment}`))).payload.toString()).toBe(`/${segment}`);
    }
    const query = { name: 'Uri-Query' as const, value: Buffer.from(`k=${'v'.repeat(253)}`) };
    expect((await client.ask(client.make('/q', { options: [query] }))).payload.toString()).toBe('long');
    const far = { name: 2048 as unknown as 'ETag', value: Buffer.alloc(300) };
    expect((await client.ask(client.make('/a', { options: [far] }))).code).toBe('2.05');
    const odd = client.make('');
    odd.options = [{ name: 'Uri-Path', value: Buffer.from('a/b%2F') }];
    expect((await client.ask(odd)).payload.toString()).toBe('/a%2Fb%252F');
    expect((await client.ask(client.make('/'))).payload.toString()).toBe('/');
  });

  it('answers duplicates with the same octets and counts them once', async () => {
    const { port, host } = await startHost([{ id: 'x', path: '/x', response: { payload: '{{uuid}}' } }]);
    const client = new RawClient(port);
    const octets = encode(client.make('/x'));
    const first = await client.askRaw(octets);
    const second = await client.askRaw(octets);
    expect(second).toEqual(first);
    const silent = client.make('/x', { confirmable: false });
    expect((await client.ask(silent)).confirmable).toBe(false);
    await client.sendPacket(silent);
    await client.settle();
    expect(client.spare).toBe(0);
    expect(host.kind('coap').calls.of('x').count).toBe(2);
    // Another client may use the same message id.
    const other = new RawClient(port);
    expect((await other.askRaw(octets)).payload).not.toEqual(first.payload);
  });

  it('answers a ping with a Reset and other things that are no requests not at all', async () => {
    const { port } = await startHost(MOCKS);
    const client = new RawClient(port);
    const reset = await client.askRaw(Buffer.of(0x40, 0, 0x12, 0x34));
    expect([reset.reset, reset.messageId]).toEqual([true, 0x1234]);
    await client.send(Buffer.of(0x50, 0, 0, 1));
    await client.send(Buffer.of(0x60, 0, 0, 2));
    await client.send(Buffer.of(0x70, 0, 0, 3));
    await client.send(Buffer.of(0x50, 0x45, 0, 4));
    await client.send(Buffer.of(0x60, 0x45, 0, 5));
    await client.settle();
    expect(client.spare).toBe(0);
    const response = await client.askRaw(Buffer.of(0x40, 0x45, 0, 6));
    expect([response.reset, response.messageId]).toEqual([true, 6]);
  });

  it('sends a separate response again until it is acknowledged, and nobody waits for it', async () => {
    const { port, host } = await startHost([
      { id: 'slow', path: '/slow', delay: '3s', response: { payload: 'late' } },
      ...MOCKS,
    ]);
    host.clock.freeze(true);
    const client = new RawClient(port);
    const request = client.make('/slow');
    const acknowledgement = await client.ask(request);
    expect([acknowledgement.ack, acknowledgement.code]).toEqual([true, '0.00']);
    expect(acknowledgement.messageId).toBe(request.messageId);
    expect((await new NodeClient(port).ask({ pathname: '/method' })).code).toBe('2.05');
    // The request once more is acknowledged once more.
    expect((await client.ask(request)).ack).toBe(true);
    await host.clock.advance(3000);
    const response = await client.receive();
    expect([response.confirmable, response.code, response.payload.toString()]).toEqual([
      true,
      '2.05',
      'late',
    ]);
    expect(response.token).toEqual(request.token);
    expect(response.messageId).not.toBe(request.messageId);
    expect(await client.receive()).toEqual(response);
    const messageId = response.messageId;
    await client.send(Buffer.of(0x60, 0, messageId >> 8, messageId & 0xff));
    await client.settle();
    expect(host.kind('coap').calls.of('slow').count).toBe(1);
  }, 15_000);

  it('acknowledges a duplicate at once while the answer waits', async () => {
    const { port, host } = await startHost([{ path: '/slow', delay: '1h', response: { payload: 'late' } }]);
    host.clock.freeze(true);
    const client = new RawClient(port);
    const request = client.make('/slow');
    await client.sendPacket(request);
    expect((await client.ask(request)).ack).toBe(true);
    const quiet = client.make('/slow', { confirmable: false });
    await client.sendPacket(quiet);
    await client.settle();
    await host.clock.advance(3_600_000);
    const codes = [await client.receive(), await client.receive()].map(({ confirmable }) => confirmable);
    expect(codes.sort()).toEqual([false, true]);
  });

  it('answers faults with their code, or not at all', async () => {
    const { port, host } = await startHost(MOCKS);
    const client = new RawClient(port);
    host.faults.set('coap', { code: '5.03' });
    expect((await client.ask(client.make('/method'))).code).toBe('5.03');
    expect(() => host.faults.set('coap', { code: '1.00' })).toThrow('not a response code');
    host.faults.set('coap', { drop: true });
    const dropped = client.make('/method');
    await client.sendPacket(dropped);
    await client.sendPacket(dropped);
    await client.settle();
    expect(client.spare).toBe(0);
    expect(host.kind('coap').calls.of('method').count).toBe(2);
  });

  it('answers 5.00 to what cannot be rendered, and lives', async () => {
    const { port, log } = await startHost([
      { path: '/bomb', response: { payload: '{{lorem 10000}}'.repeat(400) } },
      ...MOCKS,
    ]);
    const client = new RawClient(port);
    const answer = await client.ask(client.make('/bomb'));
    expect(answer.code).toBe('5.00');
    expect(log.join()).toContain('could not be answered');
    expect((await client.ask(client.make('/method'))).code).toBe('2.05');
  });

  it('keeps 10,000 requests waiting, drops those beyond, and serves all others', async () => {
    const { port, host } = await startHost([{ id: 'slow', path: '/slow', delay: '1h' }, ...MOCKS]);
    host.clock.freeze(true);
    const client = new RawClient(port);
    for (let sent = 0; sent < 10_050; sent += 50) {
      for (let more = 0; more < 50; more += 1)
        await client.sendPacket(client.make('/slow', { confirmable: false }));
      await client.settle();
    }
    const answer = await client.ask(client.make('/method'));
    expect(answer.code).toBe('2.05');
    await host.clock.advance(3_600_000);
    await client.settle();
    expect(client.spare).toBeLessThanOrEqual(10_000);
    expect(client.spare).toBeGreaterThan(0);
  }, 60_000);

  it('holds the list of mocks against 16 filters, and lets others in while it does', async () => {
    const { port } = await startHost(MOCKS);
    const client = new NodeClient(port);
    const ask = (count: number) =>
      client.ask({ pathname: '/.well-known/core', query: Array(count).fill('href=/*').join('&') });
    expect((await ask(16)).code).toBe('2.05');
    const refused = await ask(17);
    expect([refused.code, refused.payload.toString()]).toEqual(['4.00', '17 filters; at most 16 are taken']);
    const mock = { id: 'x', compiled: { path: { exact: '/x' }, response: { payload: { source: '' } } } };
    const mocks = Array(1000).fill(mock) as unknown as readonly LiveCoapMock[];
    const steps = [...listLinks(mocks, [])];
    expect(steps.length).toBeGreaterThanOrEqual(1000);
  });

  it('lists mocks under /.well-known/core', async () => {
    const { port, host } = await startHost([
      ...MOCKS,
      { id: 'a"b', path: '/x y', method: 'POST', response: { payload: '{}' } },
      { id: 'second', path: '/method', method: 'PUT', response: { payload: '1', content_format: 60 } },
    ]);
    const client = new NodeClient(port);
    const all = await client.ask({ pathname: '/.well-known/core' });
    expect(all.headers['Content-Format']).toBe('application/link-format');
    expect(all.payload.toString().split(',')).toEqual([
      '</sensors/temperature>;title="temperature";ct=0;obs',
      '</echo>;title="echo";ct=42;obs',
      '</method>;title="method";ct="0 60";obs',
      '</x%20y>;title="a\\"b";ct=50',
    ]);
    const asked = async (query: string): Promise<string> =>
      (await client.ask({ pathname: '/.well-known/core', query })).payload.toString();
    expect(await asked('href=/sensors*')).toBe('</sensors/temperature>;title="temperature";ct=0;obs');
    expect(await asked('ct=60')).toBe('</method>;title="method";ct="0 60";obs');
    expect(await asked('obs&title=e*')).toBe('</echo>;title="echo";ct=42;obs');
    expect(await asked('rt=x')).toBe('');
    expect(host.journal.list({ unmatched: true })).toEqual([]);
    host.kind('coap').mocks.create({ path: '/.well-known/core', response: { payload: 'mine' } });
    expect(await asked('')).toBe('mine');
  });

  it('explains without traffic', async () => {
    const { host } = await startHost(MOCKS);
    const kind = host.kind('coap');
    expect(kind.explain({ method: 'get', path: '/sensors/temperature' }).mock_id).toBe('temperature');
    expect(kind.explain({ path: '/devices/1', query: { detail: 'full' } }).mock_id).toBe('device');
    expect(kind.explain({ method: 'PUT', path: '/lamps/1', body: 'on' }).mock_id).toBe('lamp');
    expect(
      kind.explain({ path: '/sensors/temperature', headers: { accept: 'application/cbor' } }).outcome,
    ).toBe('unmatched');
    expect(() => kind.explain({ method: 'HEAD' })).toThrow('"HEAD" is not a method of CoAP');
    expect(() => kind.explain({ query: { a: 1 } })).toThrow('must be a text');
  });

  itWithTool('coap-client-notls', 'answers libcoap, confirmable or not', async () => {
    const { port, host } = await startHost(MOCKS);
    const url = `coap://127.0.0.1:${port}`;
    const run = (...args: string[]) => runTool('coap-client-notls', ['-B', '5', ...args]);
    expect((await run(`${url}/sensors/temperature`)).out).toBe('22.5 C\n');
    expect((await run('-N', `${url}/devices/7?detail=full`)).out).toBe('{"id": "7", "q": "full"}\n');
    expect((await run('-m', 'ipatch', `${url}/method`)).out).toBe('iPATCH\n');
    expect((await run('-m', 'put', '-e', 'on', '-t', '0', `${url}/lamps/1`)).code).toBe(0);
    expect((await run('-A', '60', `${url}/sensors/temperature`)).err).toContain('4.06');
    expect((await run(`${url}/nothing`)).err).toContain('4.04 no mock matched GET /nothing');
    await eventually(() => host.journal.count().count === 6);
  });

  it('says what is acknowledged in a piggybacked answer', async () => {
    const { port } = await startHost(MOCKS);
    const client = new RawClient(port);
    const request = client.make('/sensors/temperature', { token: Buffer.alloc(8, 7) });
    const answer = await client.ask(request);
    expect(answer).toMatchObject({ ack: true, messageId: request.messageId, token: request.token });
    expect(optionOf(answer, 'Content-Format')).toEqual(Buffer.alloc(0));
  });
});
