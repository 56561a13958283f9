import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Client, Raw, startHost, upgradeRequest } from './support.js';

const bytes = (...values: number[]): Buffer => Buffer.from(values);

describe('paths', () => {
  it('let clients in by exact segments, captures, stars and everything below', async () => {
    const { url } = await startHost([
      { id: 'exact', path: '/a b/c', on_connect: { send: 'exact' } },
      { id: 'named', path: '/rooms/{room}', on_connect: { send: 'named {{request.params.room}}' } },
      { id: 'star', path: '/rooms/*/users', on_connect: { send: 'star' } },
      { id: 'below', path: '/files/*', on_connect: { send: 'below {{request.path}}' } },
      {
        id: 'regex',
        path: 're:^/v(?P<version>[0-9]+)$',
        on_connect: { send: 'v {{request.params.version}}' },
      },
    ]);
    const greeting = async (path: string): Promise<unknown> => (await Client.connect(url + path)).next();
    expect(await greeting('/a%20b/c')).toBe('exact');
    expect(await greeting('/rooms/a%2Fb?x=1')).toBe('named a/b');
    expect(await greeting('/rooms/a/users')).toBe('star');
    expect(await greeting('/files')).toBe('below /files');
    expect(await greeting('/files/a/b')).toBe('below /files/a/b');
    expect(await greeting('/v12')).toBe('v 12');
    await expect(Client.connect(`${url}/rooms`)).rejects.toThrow('Unexpected server response: 404');
    await expect(Client.connect(`${url}/v1x`)).rejects.toThrow('Unexpected server response: 404');
  });

  it('are greeted and answered with JSON', async () => {
    const { host, url } = await startHost([
      {
        id: 'chat',
        path: '/chat/{room}',
        on_connect: { json: { hello: '{{params.room}}' } },
        on_message: [{ json: { echo: '{{request.body}}', list: [1] }, respond_binary: 'AAE=' }],
      },
    ]);
    const client = await Client.connect(`${url}/chat/a`);
    expect(await client.next()).toBe('{"hello":"a"}');
    client.send('{"n":[true]}');
    expect(await client.next()).toBe('{"echo":{"n":[true]},"list":[1]}');
    expect(await client.next()).toEqual(bytes(0, 1));
    const { mocks } = host.kind('websocket');
    mocks.patch('chat', { send: 'text' });
    expect(await (await Client.connect(`${url}/chat/a`)).next()).toBe('text');
  });

  it('answer 404 with what would be right', async () => {
    const { port, logged } = await startHost([{ id: 'chat', path: '/chat' }]);
    const answer = await fetchUpgrade(port, '/chad');
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body)).toEqual({
      error: 'no mock matched',
      method: 'CONNECT',
      path: '/chad',
      near_misses: [{ mock_id: 'chat', reason: 'path: got "/chad", want "/chat"' }],
    });
    expect(logged('CONNECT')).toMatchObject([
      { path: '/chad', status: 404, near_misses: [{ mock_id: 'chat' }] },
    ]);
  });
});

describe('rules', () => {
  it('are asked in their order, and the mocks of a path in theirs', async () => {
    const { url } = await startHost([
      {
        id: 'first',
        path: '/*',
        on_message: [
          { match: 'a*', respond: 'a' },
          { match: 'ab', respond: 'never' },
        ],
      },
      {
        id: 'second',
        path: '/x',
        on_message: [
          { match: 'b', respond: 'b' },
          { match: 're:^[0-9]+$', respond: 'n' },
        ],
      },
      {
        id: 'third',
        path: '/{any}',
        on_message: [{ match: { contains: 'zz' }, respond: 'zz' }, { respond: 'rest' }],
      },
      { id: 'high', path: '/x', priority: 1, on_message: [{ match: 'b!', respond: 'high' }] },
    ]);
    const client = await Client.connect(`${url}/x`);
    for (const [message, answer] of [
      ['ab', 'a'],
      ['b', 'b'],
      ['b!', 'high'],
      ['42', 'n'],
      ['fizz zz', 'zz'],
      ['', 'rest'],
    ] as const) {
      expect([message, await client.ask(message)]).toEqual([message, answer]);
    }
  });

  it('match binary messages by their bytes, and texts never do', async () => {
    const { url } = await startHost([
      {
        path: '/',
        on_message: [
          { match_binary: 'AAEC', respond_binary: '/wA=' },
          { match: 'both', match_binary: 'Ym90aA==', respond: 'either', respond_binary: 'AQ==' },
          { match: '*', respond: 'text {{request.binary}}' },
          { respond: 'any {{request.binary}}' },
        ],
      },
    ]);
    const client = await Client.connect(url);
    expect(await client.ask(bytes(0, 1, 2))).toEqual(bytes(255, 0));
    expect(await client.ask('both')).toBe('either');
    expect(await client.next()).toEqual(bytes(1));
    expect(await client.ask(Buffer.from('both'))).toBe('either');
    expect(await client.next()).toEqual(bytes(1));
    expect(await client.ask('\u0000\u0001\u0002')).toBe('text false');
    expect(await client.ask(bytes(0, 1, 3))).toBe('any true');
  });

  it('find exact messages among very many mocks, also after some were removed', async () => {
    const { host, url } = await startHost();
    const { mocks } = host.kind('websocket');
    mocks.createAll(
      Array.from({ length: 1_000 }, (_, n) => ({
        id: `m${n}`,
        path: '/many',
        on_message: [
          { match: `text ${n}`, respond: `answer ${n}` },
          { match_binary: Buffer.from([n >> 8, n & 255]).toString('base64'), respond: `bytes ${n}` },
        ],
      })),
    );
    const client = await Client.connect(`${url}/many`);
    expect(await client.ask('text 999')).toBe('answer 999');
    expect(await client.ask(bytes(2, 1))).toBe('bytes 513');
    mocks.create({ id: 'again', path: '/many', on_message: [{ match: 'text 7', respond: 'again' }] });
    expect(await client.ask('text 7')).toBe('answer 7');
    mocks.remove('m7');
    expect(await client.ask('text 7')).toBe('again');
    mocks.remove('again');
    client.send('text 7');
    client.send(bytes(0, 7));
    expect(await client.ask('text 8')).toBe('answer 8');
  });

  it('answer with nothing when they have nothing to say, and empty texts are as if absent', async () => {
    const { url } = await startHost([
      {
        path: '/',
        subprotocol: '',
        on_connect: { send: '', send_binary: '', delay: '' },
        on_message: [
          { match: 'silent', respond: '', respond_binary: '', delay: '' },
          { match: '', match_binary: '', respond: 'any' },
        ],
      },
    ]);
    const client = await Client.connect(url);
    client.send('silent');
    expect(await client.ask('loud')).toBe('any');
  });
});

describe('responses', () => {
  it('see the message and the handshake', async () => {
    const { url } = await startHost([
      {
        path: '/rooms/{room}',
        on_message: [
          {
            match: '{*',
            respond:
              '{"hello": "{{request.body.name}}", "n": {{request.body.n}}, "room": "{{request.params.room}}", "q": "{{query.q}}", "agent": "{{headers.X-Agent}}"}',
          },
          { respond: '{{request.method}} {{request.path}} {{request.subprotocol}} {{request.raw_body}}' },
        ],
      },
    ]);
    const client = await Client.connect(`${url}/rooms/blue?q=a+b`, ['v1'], {
      headers: { 'x-agent': 'test' },
    });
    expect(JSON.parse(String(await client.ask('{"name": "A \\"B\\"", "n": 3}')))).toEqual({
      hello: 'A "B"',
      n: 3,
      room: 'blue',
      q: 'a b',
      agent: 'test',
    });
    expect(await client.ask('hi')).toBe('MESSAGE /rooms/blue v1 hi');
  });

  it('that are the message send it back as it came', async () => {
    const { url, logged } = await startHost([
      { path: '/', on_message: [{ respond: '{{ request.raw_body }}' }] },
    ]);
    const client = await Client.connect(url);
    expect(await client.ask('grüß')).toBe('grüß');
    expect(await client.ask(bytes(255, 0, 254))).toEqual(bytes(255, 0, 254));
    const large = Buffer.alloc(1024 * 1024, 7);
    expect((await client.ask(large)).length).toBe(large.length);
    const long = 'ä'.repeat(300);
    expect(await client.ask(long)).toBe(long);
    expect(logged('MESSAGE').slice(0, 2)).toMatchObject([
      { body: 'grüß', response: { body: 'grüß' } },
      { body: '/wD+', body_encoding: 'base64', response: { body: '/wD+', body_encoding: 'base64' } },
    ]);
  });

  it('that cannot be made close the connection, and the log says why', async () => {
    const { url, log, logged } = await startHost([
      { id: 'bomb', path: '/', on_message: [{ respond: '{{#body}}{{rand_string 65536}}{{/body}}' }] },
    ]);
    const client = await Client.connect(url);
    expect(await client.ask(JSON.stringify(Array.from({ length: 300 }, () => 1)))).toBe('close 1011');
    expect(log).toEqual([expect.stringContaining('an answer of mock "bomb" could not be made')]);
    expect(logged('MESSAGE')).toMatchObject([{ matched_id: 'bomb', status: 1011 }]);
  });

  it('close the connection after them', async () => {
    const { url, logged } = await startHost([
      {
        path: '/',
        on_message: [
          { match: 'bye', respond: 'goodbye', close: true },
          { match: 'code *', close: { code: 4001, reason: 'you said {{request.body}}' } },
          { match: 'long', close: { reason: '{{request.path}}{{lorem 100}}' } },
          { match: 'no', respond: 'stays', close: false },
        ],
      },
    ]);
    const polite = await Client.connect(url);
    expect(await polite.ask('no')).toBe('stays');
    expect(await polite.ask('bye')).toBe('goodbye');
    expect(await polite.next()).toBe('close 1000');
    const coded = await Client.connect(url);
    expect(await coded.ask('code red')).toBe('close 4001 you said code red');
    const long = await Client.connect(url);
    const reason = String(await long.ask('long'));
    expect(reason).toMatch(/^close 1000 \/\S+/);
    expect(Buffer.byteLength(reason)).toBe('close 1000 '.length + 123);
    expect(logged('MESSAGE').map(({ status }) => status)).toEqual([undefined, 1000, 4001, 1000]);
    await eventually(() => logged('CLOSE').length === 3);
    expect(logged('CLOSE')).toMatchObject([
      { status: 1000 },
      { status: 4001, body: 'you said code red' },
      { status: 1000 },
    ]);
  });
});

describe('subprotocols', () => {
  it('choose among the mocks of a path, and are agreed on', async () => {
    const { url, logged, port } = await startHost([
      {
        id: 'two',
        path: '/',
        subprotocol: 'v2',
        on_connect: { send: 'two' },
        on_message: [{ respond: '2' }],
      },
      {
        id: 'one',
        path: '/',
        subprotocol: 'v1',
        on_connect: { send: 'one' },
        on_message: [{ respond: '1' }],
      },
    ]);
    const both = await Client.connect(url, ['v1', 'v2']);
    expect([both.socket.protocol, await both.next(), await both.ask('?')]).toEqual(['v2', 'two', '2']);
    const old = await Client.connect(url, ['v0', 'v1']);
    expect([old.socket.protocol, await old.next(), await old.ask('?')]).toEqual(['v1', 'one', '1']);
    await expect(Client.connect(url, ['v3'])).rejects.toThrow('404');
    await expect(Client.connect(url)).rejects.toThrow('404');
    expect(logged('CONNECT').at(-1)?.['near_misses']).toContainEqual({
      mock_id: 'one',
      reason: 'subprotocol: absent, want "v1"',
    });
    expect((await fetchUpgrade(port, '/', { 'Sec-WebSocket-Protocol': 'x, y' })).body).toContain(
      'subprotocol: got \\"x, y\\", want \\"v2\\"',
    );
  });

  it('of mocks that name none are the first that a client offers', async () => {
    const { url } = await startHost([
      { id: 'other', path: '/', subprotocol: 'v9', on_message: [{ respond: 'never' }] },
      { id: 'any', path: '/', on_message: [{ respond: 'any {{request.subprotocol}}' }] },
    ]);
    const offering = await Client.connect(url, ['b', 'a']);
    expect([offering.socket.protocol, await offering.ask('?')]).toEqual(['b', 'any b']);
    const silent = await Client.connect(url);
    expect([silent.socket.protocol, await silent.ask('?')]).toEqual(['', 'any ']);
  });
});

describe('changes at runtime', () => {
  it('act on open connections, and a deleted mock leaves them open', async () => {
    const { host, url, logged } = await startHost([
      { id: 'a', path: '/x', on_connect: { send: 'hello' }, on_message: [{ match: 'q', respond: '1' }] },
    ]);
    const { mocks } = host.kind('websocket');
    const client = await Client.connect(`${url}/x`);
    expect(await client.next()).toBe('hello');
    expect(await client.ask('q')).toBe('1');
    mocks.replace('a', { path: '/x', on_message: [{ match: 'q', respond: '2' }] });
    expect(await client.ask('q')).toBe('2');
    mocks.remove('a');
    client.send('q');
    await client.settle();
    expect(client.left).toEqual([]);
    expect(logged('MESSAGE').at(-1)?.['matched_id']).toBeUndefined();
    await expect(Client.connect(`${url}/x`)).rejects.toThrow('404');
    mocks.create({ id: 'b', path: '/*', on_message: [{ match: 'q', respond: '3' }] });
    expect(await client.ask('q')).toBe('3');
  });

  it('PATCH changes what a client is greeted with', async () => {
    const { host, url } = await startHost([
      { id: 'a', path: '/', on_connect: { send: 'one', delay: '1ms' } },
    ]);
    const { mocks } = host.kind('websocket');
    const greet = async (): Promise<unknown> => (await Client.connect(url)).next();
    expect(mocks.patch('a', { send: 'two' })).toEqual({
      id: 'a',
      path: '/',
      on_connect: { send: 'two', delay: '1ms' },
    });
    expect(await greet()).toBe('two');
    mocks.patch('a', { on_connect: { send: 'three', delay: null } });
    expect(mocks.get('a')).toEqual({ id: 'a', path: '/', on_connect: { send: 'three' } });
    expect(await greet()).toBe('three');
    expect(mocks.patch('a', { send: null, on_connect: { delay: null } })).toEqual({ id: 'a', path: '/' });
    for (const bad of [{ send: 1 }, { delay: 'soon' }, { path: '/y' }, { on_connect: { send_binary: '' } }]) {
      expect(() => mocks.patch('a', bad)).toThrow();
    }
  });

  it('scenarios change the responses', async () => {
    const { host, url } = await startHost([
      { id: 'a', path: '/', on_message: [{ match: 'a', respond: '1' }, { respond: '2' }] },
    ]);
    const client = await Client.connect(url);
    host.scenarios.create({ id: 's', patches: [{ mock_id: 'a', body: 'patched' }] });
    host.scenarios.activate('s');
    expect([await client.ask('a'), await client.ask('b')]).toEqual(['patched', 'patched']);
    host.scenarios.deactivate('s');
    expect([await client.ask('a'), await client.ask('b')]).toEqual(['1', '2']);
  });

  it('state leads from one mock of a path to the next, a message at a time', async () => {
    const { url } = await startHost([
      {
        path: '/',
        state: { key: 'step', value: '' },
        set_state: { step: 'two' },
        on_message: [{ respond: 'first' }],
      },
      {
        path: '/',
        state: { key: 'step', value: 'two' },
        set_state: { step: 'end' },
        on_message: [{ respond: 'second' }],
      },
    ]);
    const client = await Client.connect(url);
    expect([await client.ask('?'), await client.ask('?')]).toEqual(['first', 'second']);
    client.send('?');
    await client.settle();
    expect(client.left).toEqual([]);
  });
});

async function fetchUpgrade(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  const raw = await Raw.open(port);
  raw.send(upgradeRequest(path, headers));
  const text = (await raw.end()).toString();
  return { status: Number(text.split(' ')[1]), body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}
