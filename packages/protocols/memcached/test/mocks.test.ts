import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { connectMemjs, converse, RawClient, request, startHost, words32 } from './support.js';

const MOCKS = [
  {
    id: 'user',
    command: { any_of: ['get', 'gets', 'mg'] },
    key: 'user:*',
    response: { value: '{"key": "{{request.key}}"}', flags: 3 },
  },
  { id: 'locked', command: 'add', key: 'lock', response: { status: 'NOT_STORED' } },
  {
    id: 'full',
    command: 'SET',
    key: 'big',
    response: { status: 'SERVER_ERROR out of memory storing object' },
  },
  {
    id: 'visits',
    command: { any_of: ['incr', 'ma'] },
    key: 'visits',
    response: { value: '4{{request.delta}}' },
  },
  { id: 'gone', key: 'gone', response: { status: 'NOT_FOUND' } },
  { id: 'stats', command: 'stats', key: 'mine', response: { value: 'one 1\ntwo and more' } },
  { id: 'bytes', command: 'get', key: 'é', response: { value: 'ü' } },
];

describe('mocks', () => {
  it('capture what an expression for the key names', async () => {
    const { port } = await startHost({}, [
      { key: 're:^user:(?<id>\\d+)$', response: { value: 'user {{request.params.id}}' } },
      {
        command: 're:^(?<how>gets?)$',
        key: { any_of: [{ all_of: ['re:^(?<of>o)', 're:x$'] }, 're:^order:(?<id>\\d+)$'] },
        response: { value: '{{request.params.how}} {{request.params.id}}{{request.params.of}}' },
      },
    ]);
    expect(await converse(port, 'get user:7\r\n')).toBe('VALUE user:7 0 6\r\nuser 7\r\nEND\r\n');
    expect(await converse(port, 'gets order:8\r\n')).toBe('VALUE order:8 0 6 0\r\ngets 8\r\nEND\r\n');
  });

  it('answer in the words of each command, and win over the store', async () => {
    const { port } = await startHost({}, MOCKS);
    const answer = await converse(
      port,
      'set user:1 0 0 1\r\nx\r\nget user:1\r\ngets user:2\r\nmg user:3 v f k\r\ngat 0 user:1\r\n' +
        'add lock 0 0 1\r\nx\r\nset big 0 0 1\r\nx\r\nset big 0 0 1 noreply\r\nx\r\nincr visits 2\r\nma visits D5 v\r\n' +
        'get gone\r\ndelete gone\r\ntouch gone 1\r\nmg gone k\r\nmd gone\r\nset gone 0 0 1\r\nx\r\nstats mine\r\nget \xc3\xa9\r\n',
    );
    expect(answer).toBe(
      'STORED\r\nVALUE user:1 3 17\r\n{"key": "user:1"}\r\nEND\r\nVALUE user:2 3 17 0\r\n{"key": "user:2"}\r\nEND\r\n' +
        'VA 17 f3 kuser:3\r\n{"key": "user:3"}\r\nVALUE user:1 0 1\r\nx\r\nEND\r\n' +
        'NOT_STORED\r\nSERVER_ERROR out of memory storing object\r\n42\r\nVA 2\r\n45\r\n' +
        'END\r\nNOT_FOUND\r\nNOT_FOUND\r\nEN kgone\r\nNF\r\nNOT_FOUND\r\nSTAT one 1\r\nSTAT two and more\r\nEND\r\n' +
        'VALUE \xc3\xa9 0 2\r\n\xc3\xbc\r\nEND\r\n',
    );
  });

  it('answer each key of a retrieval by itself', async () => {
    const { port, host } = await startHost({}, MOCKS);
    expect(await converse(port, 'set a 0 0 1\r\nx\r\nget a user:1 b user:2\r\n')).toBe(
      'STORED\r\nVALUE a 0 1\r\nx\r\nVALUE user:1 3 17\r\n{"key": "user:1"}\r\nVALUE user:2 3 17\r\n{"key": "user:2"}\r\nEND\r\n',
    );
    expect(host.journal.list().map(({ method, path, matched_id: id }) => [method, path, id])).toEqual([
      ['set', 'a', undefined],
      ['get', 'a', undefined],
      ['get', 'user:1', 'user'],
      ['get', 'b', undefined],
      ['get', 'user:2', 'user'],
    ]);
  });

  it('answer memjs', async () => {
    const { port } = await startHost({}, MOCKS);
    const client = connectMemjs(port);
    const { value, flags } = await client.get('user:9');
    expect([value?.toString(), flags?.readUInt32BE(0)]).toEqual(['{"key": "user:9"}', 3]);
    expect(await client.add('lock', 'x', {})).toBe(false);
    await expect(client.set('big', 'x', {})).rejects.toThrow(/Out of memory/i);
    expect((await client.increment('visits', 2, {})).value).toBe(42);
    expect((await client.get('gone')).value).toBeNull();
  });

  it('miss in mode mock, whatever was stored', async () => {
    const { port, host } = await startHost({ mode: 'mock' }, MOCKS);
    expect(
      await converse(
        port,
        'set a 0 0 1\r\nx\r\ncas a 0 0 1 1\r\nx\r\nget a user:1\r\ndelete a\r\nincr a 1\r\ntouch a 1\r\nmg a\r\nms a 1\r\nx\r\nms a 1 C1\r\nx\r\nmd a\r\nma a\r\nflush_all\r\nversion\r\n',
      ),
    ).toBe(
      'NOT_STORED\r\nNOT_FOUND\r\nVALUE user:1 3 17\r\n{"key": "user:1"}\r\nEND\r\nNOT_FOUND\r\nNOT_FOUND\r\nNOT_FOUND\r\nEN\r\nNS\r\nNF\r\nNF\r\nNF\r\nOK\r\nVERSION 1.6.18\r\n',
    );
    const [entry] = host.journal.list({ unmatched: true });
    expect(entry?.['near_misses']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ mock_id: expect.any(String), reason: expect.any(String) }),
      ]),
    );
  });

  it('hold up what follows on their connection, and nobody else', async () => {
    const { port, host } = await startHost({}, [{ key: 'slow', response: { value: 's' }, delay: '1m' }]);
    const [slow, quick] = [new RawClient(port), new RawClient(port)];
    slow.send('set a 0 0 1\r\n1\r\nget a slow a\r\nget a\r\n');
    await eventually(() => slow.received.includes('VALUE a'));
    expect(await quick.ask('get a\r\n')).toBe('VALUE a 0 1\r\n1\r\nEND\r\n');
    await host.clock.advance(60_000);
    const found = 'VALUE a 0 1\r\n1\r\n';
    await slow.until(() => slow.received.endsWith(`${found}END\r\n`));
    expect(slow.received).toBe(`STORED\r\n${found}VALUE slow 0 1\r\ns\r\n${found}END\r\n${found}END\r\n`);
  });

  it('that do not render are an error of the server, and the connection goes on', async () => {
    const { port, log } = await startHost({}, [
      { key: 'bomb', response: { value: '{{lorem 10000}}'.repeat(400) } },
      { key: 'number', command: 'incr', response: { value: '{{request.key}}' } },
    ]);
    expect(await converse(port, 'incr number 1\r\nmn\r\n')).toBe(
      'CLIENT_ERROR cannot increment or decrement non-numeric value\r\nMN\r\n',
    );
    expect(log).toEqual([]);
    expect(await converse(port, 'get bomb\r\nmn\r\n')).toMatch(/^SERVER_ERROR [ -~]+\r\nMN\r\n$/);
    expect(log).toEqual([expect.stringContaining('mock "')]);
  });
});

describe('faults', () => {
  it('are an error, by default SERVER_ERROR', async () => {
    const { port, host } = await startHost({}, MOCKS);
    host.faults.set('memcached', {});
    const commands = 'set a 0 0 1\r\nx\r\nget user:1 a\r\nmg a v\r\nversion\r\nmn\r\n';
    const line = 'SERVER_ERROR fault injected\r\n';
    expect(await converse(port, commands)).toBe(`${line}${line}${line}VERSION 1.6.18\r\nMN\r\n`);
    host.faults.set('memcached', { error_type: 'CLIENT_ERROR', message: 'no' });
    expect(await converse(port, 'get a\r\nincr a 1 noreply\r\nmn\r\n')).toBe('CLIENT_ERROR no\r\nMN\r\n');
    host.faults.set('memcached', { error_type: 'ERROR', message: '' });
    expect(await converse(port, 'get a\r\n')).toBe('ERROR\r\n');
    expect(host.journal.list({ limit: 1 })).toMatchObject([
      { method: 'get', path: 'a', status: 'ERROR', fault: true },
    ]);
  });

  it.each([
    ['SERVER_ERROR', 0x84, 'busy'],
    ['CLIENT_ERROR', 0x04, 'busy'],
    ['ERROR', 0x81, 'Unknown command'],
  ])('%s has a status in the binary protocol', async (type, status, text) => {
    const { port, host } = await startHost();
    host.faults.set('memcached', { error_type: type, message: 'busy' });
    const bytes = Buffer.from(await converse(port, request(0x09, { key: 'a' })), 'latin1');
    expect([bytes.readUInt16BE(6), bytes.toString('latin1', 24)]).toEqual([status, text]);
  });

  it('of phase connect reset connections', async () => {
    const { port, host } = await startHost();
    host.faults.set('memcached', { phase: 'connect' });
    expect(await converse(port, 'version\r\n')).toBe('');
  });

  it('refuse what no line can hold', async () => {
    const { host } = await startHost();
    expect(() => host.faults.set('memcached', { message: 'two\nlines' })).toThrow(/message/);
    expect(() => host.faults.set('memcached', { error_type: 'END' })).toThrow(/error_type/);
  });
});

describe('the journal', () => {
  it('shows commands, keys, data and answers', async () => {
    const { port, host } = await startHost();
    await converse(
      port,
      Buffer.concat([
        request(0x01, { key: 'a', value: 'hi', extras: words32(5, 0) }),
        request(0x0c, { key: 'a' }),
        request(0x0a),
      ]),
    );
    await converse(port, 'delete a\r\nfoo\r\nquit\r\n');
    expect(host.journal.list()).toMatchObject([
      { method: 'set', path: 'a', status: 'STORED', body: 'hi' },
      {
        method: 'get',
        path: 'a',
        status: 'VALUE',
        response: { status: 'VALUE', headers: { flags: '5' }, body: 'hi' },
      },
      { method: 'noop', path: '', status: 'OK' },
      { method: 'delete', path: 'a', status: 'DELETED' },
      { method: 'foo', path: '', status: 'ERROR' },
      { method: 'quit', path: '', status: 'closed' },
    ]);
  });

  it.each([
    ['stateful', [['get', 'missing']]],
    [
      'mock',
      [
        ['set', 'a'],
        ['get', 'a'],
        ['get', 'missing'],
      ],
    ],
  ])('calls unmatched what neither a mock nor data answered, in mode %s', async (mode, expected) => {
    const { port, host } = await startHost({ mode }, MOCKS);
    await converse(port, 'set a 0 0 1\r\nx\r\nget a\r\nget missing\r\nget user:1\r\nquit\r\n');
    const entries = host.journal.list({ unmatched: true });
    expect(entries.map(({ method, path }) => [method, path])).toEqual(expected);
    expect(entries.at(-1)?.near_misses).toHaveLength(3);
  });
});
