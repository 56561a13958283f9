import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Client, startHost } from './support.js';

describe('mocks', () => {
  it('answers exact text, globs, expressions, bytes and pattern objects', async () => {
    const { port } = await startHost({
      mocks: [
        { match: 'PING\r\n', response: 'PONG\r\n' },
        { match: 'GET *', response: 'value of {{request.body}}' },
        { match: 're:^[0-9]+$', response: 'number' },
        { match: 'hex:00 FF', response: 'hex:8000ff' },
        { match: { prefix: 'a', suffix: 'z' }, response: 'a to z' },
        { match: { equals: '*' }, response: 'star' },
      ],
    });
    const client = await Client.connect(port);
    const ask = async (data: string | Buffer, answer: string | Buffer): Promise<void> => {
      const wanted = Buffer.from(answer as string);
      const before = client.bytes.length;
      await client.send(data);
      await client.until(() => client.bytes.length >= before + wanted.length);
      expect(client.bytes.subarray(before)).toEqual(wanted);
    };
    await ask('PING\r\n', 'PONG\r\n');
    await ask('GET a', 'value of GET a');
    await ask('123', 'number');
    await ask(Buffer.from('00ff', 'hex'), Buffer.from('8000ff', 'hex'));
    await ask('abcz', 'a to z');
    await ask('*', 'star');
  });

  it('asks in order, and priority first', async () => {
    const { host, port } = await startHost({
      mocks: [
        { match: 'x*', response: 'glob' },
        { match: 'xy', response: 'exact' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('xy');
    expect(await client.receives('glob')).toBe('glob');
    host.kind('tcp').mocks.create({ match: 'xy', response: '-top', priority: 1 });
    await client.send('xy');
    expect(await client.receives('glob-top')).toBe('glob-top');
  });

  it('reads any message without a match, and answers nothing without a response', async () => {
    const { host, port } = await startHost({
      mocks: [{ match: 'quiet' }, { response: '[{{request.raw_body}}]' }],
    });
    const client = await Client.connect(port);
    await client.send('quiet');
    await eventually(() => host.journal.list().length === 1);
    await client.send('loud');
    expect(await client.receives('[loud]')).toBe('[loud]');
  });

  it('answers with JSON and bytes', async () => {
    const { port } = await startHost({
      mocks: [
        { match: '{*', json: { got: '{{request.body}}', n: '{{request.body.n}}' } },
        { match: 'bytes', response_base64: '/wD+' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('{"n":5}');
    expect(await client.receives('{"got":{"n":5},"n":5}')).toBe('{"got":{"n":5},"n":5}');
    const before = client.bytes.length;
    await client.send('bytes');
    await client.until(() => client.bytes.length >= before + 3);
    expect(client.bytes.subarray(before)).toEqual(Buffer.from('ff00fe', 'hex'));
  });

  it('sends a message back byte for byte', async () => {
    const { host, port } = await startHost({ mocks: [{ id: 'echo', response: '{{request.raw_body}}' }] });
    const client = await Client.connect(port);
    const bytes = Buffer.from('00fffe80c3', 'hex');
    await client.send(bytes);
    await client.until(() => client.size >= bytes.length);
    expect(client.bytes).toEqual(bytes);
    await eventually(() => host.journal.list().length === 1);
    expect(host.journal.list()[0]).toMatchObject({
      matched_id: 'echo',
      body_encoding: 'base64',
      response: { body: bytes.toString('base64'), body_encoding: 'base64' },
    });
  });

  it('closes after the response when the mock says so', async () => {
    const { host, port } = await startHost({
      mocks: [{ match: 'QUIT', response: 'bye', close: true }, { match: 'AFTER' }],
    });
    const client = await Client.connect(port);
    await client.send('QUITAFTER');
    expect(await client.closes()).toBe('end');
    expect(client.text).toBe('bye');
    expect(host.journal.list()).toHaveLength(1);
  });

  it('shows messages in the journal with near misses', async () => {
    const { host, port } = await startHost({
      mocks: [
        { id: 'ping', match: 'PING', response: 'PONG' },
        { id: 'bin', match: 'hex:00ff' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('PING');
    await client.receives('PONG');
    await client.send(Buffer.from([0, 0xfe]));
    await eventually(() => host.journal.list().length === 2);
    const [ping, other] = host.journal.list();
    expect(ping).toMatchObject({
      protocol: 'tcp',
      method: 'RECV',
      path: `:${port}`,
      body: 'PING',
      matched_id: 'ping',
      response: { body: 'PONG' },
      remote: `127.0.0.1:${client.socket.localPort}`,
    });
    expect(other).toMatchObject({ body: Buffer.from([0, 0xfe]).toString('base64'), body_encoding: 'base64' });
    expect(other?.['near_misses']).toContainEqual({
      mock_id: 'bin',
      reason: 'message: got hex:00fe, want hex:00ff',
    });
  });

  it('leaves the connection open when nothing matches, or closes it when asked to', async () => {
    const open = await startHost({ mocks: [{ match: 'a', response: 'A' }] });
    const first = await Client.connect(open.port);
    await first.send('what');
    await eventually(() => open.host.journal.list().length === 1);
    await first.send('a');
    expect(await first.receives('A')).toBe('A');
    const closing = await startHost({ close_unmatched: true });
    const second = await Client.connect(closing.port);
    await second.send('what');
    expect(await second.closes()).toBe('end');
  });

  it('explains a message without counting it', async () => {
    const { host } = await startHost({ mocks: [{ id: 'ping', match: 'PING' }] });
    expect(host.kind('tcp').explain({ body: 'PING' })).toMatchObject({ mock_id: 'ping' });
    expect(host.kind('tcp').explain({ body: 'PONG' }).others[0]).toMatchObject({ mock_id: 'ping' });
    expect(host.kind('tcp').calls.of('ping').count).toBe(0);
  });

  it.each([
    [{ match: 'hex:0g' }, '/match'],
    [{ match: 'hex:000' }, '/match'],
    [{ match: 'hex:' }, '/match'],
    [{ match: 're:(' }, '/match'],
    [{ response: 'hex:zz' }, '/response'],
    [{ response: '{{#open}}' }, '/response'],
    [{ match: 1 }, '/match'],
    [{ answer: 'x' }, '/answer'],
  ])('refuses %j', async (mock, path) => {
    const { host } = await startHost();
    const { mocks } = host.kind('tcp');
    expect(() => mocks.create(mock)).toThrow(expect.objectContaining({ code: 'invalid' }));
    try {
      mocks.create(mock);
    } catch (error) {
      expect((error as { details: { path: string }[] }).details.map((problem) => problem.path)).toContain(
        path,
      );
    }
    expect(mocks.list()).toEqual([]);
  });
});

describe('what a message is', () => {
  it('is gathered over packets, and two in one packet are two', async () => {
    const { host, port } = await startHost({
      mocks: [
        { match: 'HELLO', response: '1' },
        { match: 'WORLD', response: '2' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('HE');
    await client.send('LLOWOR');
    await client.send('LD');
    expect(await client.receives('12')).toBe('12');
    await client.send('HELLOWORLDHELLO');
    expect(await client.receives('12121')).toBe('12121');
    expect(host.journal.list().map(({ body }) => body)).toEqual([
      'HELLO',
      'WORLD',
      'HELLO',
      'WORLD',
      'HELLO',
    ]);
  });

  it('waits a little for the rest of a mock, then takes what is there', async () => {
    const { host, port } = await startHost({
      mocks: [
        { match: 'LONGER', response: 'L' },
        { match: '*', response: '({{request.body}})' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('LON');
    expect(await client.receives('(LON)')).toBe('(LON)');
    expect(host.journal.list()).toHaveLength(1);
  });

  it('answers a client that has ended its side', async () => {
    const { port } = await startHost({
      mocks: [{ match: 'LONGER' }, { match: 'LON', response: 'short', delay: '20ms' }],
    });
    const client = await Client.connect(port);
    client.socket.end('LON');
    expect(await client.closes()).toBe('end');
    expect(client.text).toBe('short');
  });

  it('is a frame with a delimiter', async () => {
    const { host, port } = await startHost({
      delimiter: '\r\n',
      mocks: [
        { match: 'PING', response: 'PONG\r\n' },
        { match: 'ECHO *', response: '{{request.body}}\r\n' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('PI');
    await client.send('NG\r');
    await client.send('\nECHO a\r\nPING');
    expect(await client.receives('PONG\r\nECHO a\r\n')).toBe('PONG\r\nECHO a\r\n');
    client.socket.end();
    expect(await client.closes()).toBe('end');
    expect(client.text).toBe('PONG\r\nECHO a\r\nPONG\r\n');
    expect(host.journal.list().map(({ body }) => body)).toEqual(['PING', 'ECHO a', 'PING']);
  });

  it('a mock whose state does not hold takes no bytes', async () => {
    const { host, port } = await startHost({
      mocks: [
        { match: 'AB', response: 'short', state: { key: 'mode', value: 'on' } },
        { match: 'ABCDEF', response: 'long', state: { key: 'mode', value: 'on' } },
        { match: '*', response: '[{{request.body}}]' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('ABC');
    expect(await client.receives('[ABC]')).toBe('[ABC]');
    host.state.setAll({ mode: 'on' });
    await client.send('ABX');
    expect(await client.receives('[ABC]short[X]')).toBe('[ABC]short[X]');
    await client.send('ABCDEF');
    expect(await client.receives('[ABC]short[X]long')).toBe('[ABC]short[X]long');
  });

  it('sees state that an earlier message of the same packet has set', async () => {
    const { port } = await startHost({
      mocks: [
        { match: 'LOGIN', response: 'hi ', set_state: { user: 'yes' }, delay: '10ms' },
        { match: 'CMD', response: 'done', state: { key: 'user', value: 'yes' } },
        { match: '*', response: 'denied' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('LOGINCMD');
    expect(await client.receives('hi done')).toBe('hi done');
  });

  it('follows mocks that come and go on an open connection', async () => {
    const { host, port } = await startHost();
    const { mocks } = host.kind('tcp');
    const client = await Client.connect(port);
    mocks.create({ id: 'a', match: 'AAAA', response: '1' });
    await client.send('AAAA');
    await client.receives('1');
    mocks.replace('a', { match: 'AA', response: '2' });
    await client.send('AAAA');
    expect(await client.receives('122')).toBe('122');
    mocks.remove('a');
    await client.send('AA');
    await eventually(() => host.journal.list({ unmatched: true }).length === 1);
    mocks.create({ match: '*', response: '!' });
    await client.send('AA');
    expect(await client.receives('122!')).toBe('122!');
  });

  it('counts down mocks with times', async () => {
    const { port } = await startHost({
      mocks: [
        { match: 'AA', response: '1', times: 1 },
        { match: '*', response: '<{{request.body}}>' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('AAAA');
    expect(await client.receives('1<AA>')).toBe('1<AA>');
  });
});
