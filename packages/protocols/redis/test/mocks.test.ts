import { describe, expect, it } from '@jest/globals';
import type { Json } from '@backlot/core';
import { command, encode, RawClient, startHost } from './support.js';

const reply = (type: string, value?: unknown): Json => ({
  command: 'GET',
  key: 'k',
  response: value === undefined ? { type } : { type, value },
});

describe('answers', () => {
  it.each([
    ['string', 'OK', '+OK\r\n', '+OK\r\n'],
    ['string', undefined, '+\r\n', '+\r\n'],
    ['bulk', 'hellö', '$6\r\nhell\xc3\xb6\r\n', '$6\r\nhell\xc3\xb6\r\n'],
    ['bulk', 7, '$1\r\n7\r\n', '$1\r\n7\r\n'],
    ['bulk', { a: [1] }, '$9\r\n{"a":[1]}\r\n', '$9\r\n{"a":[1]}\r\n'],
    ['bulk', 'two\r\nlines', '$10\r\ntwo\r\nlines\r\n', '$10\r\ntwo\r\nlines\r\n'],
    ['integer', 42, ':42\r\n', ':42\r\n'],
    ['integer', '-9223372036854775808', ':-9223372036854775808\r\n', ':-9223372036854775808\r\n'],
    ['double', 1.5, '$3\r\n1.5\r\n', ',1.5\r\n'],
    ['double', '-inf', '$4\r\n-inf\r\n', ',-inf\r\n'],
    ['boolean', true, ':1\r\n', '#t\r\n'],
    ['boolean', 'false', ':0\r\n', '#f\r\n'],
    ['nil', undefined, '$-1\r\n', '_\r\n'],
    ['null', undefined, '$-1\r\n', '_\r\n'],
    ['error', 'WRONGTYPE no', '-WRONGTYPE no\r\n', '-WRONGTYPE no\r\n'],
    ['array', [], '*0\r\n', '*0\r\n'],
    [
      'array',
      ['a', 1, 1.5, true, null, ['b'], { type: 'error', value: 'ERR x' }, { type: 'string', value: 'OK' }],
      '*8\r\n$1\r\na\r\n:1\r\n$3\r\n1.5\r\n:1\r\n$-1\r\n*1\r\n$1\r\nb\r\n-ERR x\r\n+OK\r\n',
      '*8\r\n$1\r\na\r\n:1\r\n,1.5\r\n#t\r\n_\r\n*1\r\n$1\r\nb\r\n-ERR x\r\n+OK\r\n',
    ],
    [
      'map',
      { a: 1, b: { c: 2 } },
      '*4\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n*2\r\n$1\r\nc\r\n:2\r\n',
      '%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n%1\r\n$1\r\nc\r\n:2\r\n',
    ],
    [
      'map',
      { __proto__x: 1, constructor: 2 },
      '*4\r\n$10\r\n__proto__x\r\n:1\r\n$11\r\nconstructor\r\n:2\r\n',
      '%2\r\n$10\r\n__proto__x\r\n:1\r\n$11\r\nconstructor\r\n:2\r\n',
    ],
    ['set', ['a', 1], '*2\r\n$1\r\na\r\n:1\r\n', '~2\r\n$1\r\na\r\n:1\r\n'],
    [
      'bulk',
      '{{request.command}} {{request.key}} {{request.database}}',
      '$7\r\nGET k 0\r\n',
      '$7\r\nGET k 0\r\n',
    ],
    [
      'integer',
      '{{request.key}}',
      '-ERR mock "m" made "k", which is no integer\r\n',
      '-ERR mock "m" made "k", which is no integer\r\n',
    ],
    [
      'array',
      ['{{request.key}}', { type: 'bulk', value: '{{upper request.key}}' }],
      '*2\r\n$1\r\nk\r\n$1\r\nK\r\n',
      '*2\r\n$1\r\nk\r\n$1\r\nK\r\n',
    ],
  ])('%s %j', async (type, value, resp2, resp3) => {
    const { port } = await startHost({}, [{ id: 'm', ...reply(type, value) }]);
    const client = new RawClient(port);
    expect(await client.ask('GET k')).toBe(resp2);
    await client.ask('HELLO 3');
    expect(await client.ask('get k')).toBe(resp3);
  });
});

describe('matching', () => {
  const named = (id: string, fields: Json): Json => ({
    id,
    response: { type: 'string', value: id },
    ...fields,
  });

  it('looks at command, key and arguments', async () => {
    const { port } = await startHost({ mode: 'mock' }, [
      named('locked', { command: 'set', key: 'lock:*', args: ['*', { any_of: ['NX', 'nx'] }] }),
      named('set', { command: 'SET', key: 're:^user:[0-9]+$', args: ['v*'] }),
      named('exact', { command: 'GET', key: 'a' }),
      named('first', { command: 'GET', key: 'a*', priority: 1 }),
      named('channel', { command: 'PUBLISH', key: 'news' }),
      named('many', { command: 'MGET', args: ['b', 'c'] }),
      named('object', { command: 'JSON.GET', key: 'doc', args: ['$.*'] }),
      named('encoding', { command: 'OBJECT ENCODING', key: 'x' }),
      named('client', { command: 'CLIENT' }),
      named('pop', { command: 'LMPOP', key: 'list' }),
      named('star', { command: 'GET', key: 'with\\*star' }),
    ]);
    const client = new RawClient(port);
    expect(await client.ask('SET lock:1 v nx')).toBe('+locked\r\n');
    expect(await client.ask('SET lock:1 v')).toBe(
      '-ERR no mock matched for SET lock:1 (mode stateful would keep data)\r\n',
    );
    expect(await client.ask('SET user:7 value')).toBe('+set\r\n');
    expect(await client.ask('SET user:x value')).toBe(
      '-ERR no mock matched for SET user:x (mode stateful would keep data)\r\n',
    );
    expect(await client.ask('GET a')).toBe('+first\r\n');
    expect(await client.ask('PUBLISH news x')).toBe('+channel\r\n');
    expect(await client.ask('MGET a b c')).toBe('+many\r\n');
    expect(await client.ask('MGET a b')).toBe(
      '-ERR no mock matched for MGET a (mode stateful would keep data)\r\n',
    );
    expect(await client.ask('json.get doc $.a')).toBe('+object\r\n');
    expect(await client.ask('OBJECT ENCODING x')).toBe('+encoding\r\n');
    expect(await client.ask('OBJECT REFCOUNT x')).toBe(
      '-ERR no mock matched for OBJECT REFCOUNT x (mode stateful would keep data)\r\n',
    );
    expect(await client.ask('CLIENT ID')).toBe('+client\r\n');
    expect(await client.ask('LMPOP 1 list LEFT')).toBe('+pop\r\n');
    expect(await client.ask('GET with*star')).toBe('+star\r\n');
    expect(await client.ask('GET with-star')).toBe(
      '-ERR no mock matched for GET with-star (mode stateful would keep data)\r\n',
    );
    expect(await client.ask('FLUSHALL')).toBe(
      '-ERR no mock matched for FLUSHALL (mode stateful would keep data)\r\n',
    );
  });

  it('captures what expressions for key and arguments name', async () => {
    const value = '{{request.params.what}} {{request.params.id}} {{request.params.unit}}';
    const { port } = await startHost({}, [
      {
        command: 'SET',
        key: 're:^(?<what>\\w+):(?<id>\\d+)$',
        args: ['*', { any_of: ['re:^(?<unit>KEEP)TTL$', { regex: '^(?<unit>EX|PX)$' }] }],
        response: { type: 'bulk', value },
      },
    ]);
    const client = new RawClient(port);
    expect(await client.ask('SET user:7 x PX 1000')).toBe('$9\r\nuser 7 PX\r\n');
  });

  it('answers handshake and probing by itself, unless a mock does', async () => {
    const { port, host, kind } = await startHost();
    const client = new RawClient(port);
    for (const line of [
      'PING',
      'ECHO a',
      'SELECT 1',
      'AUTH any thing',
      'CLIENT ID',
      'INFO',
      'COMMAND COUNT',
      'CONFIG GET save',
      'HELLO',
      'COMMAND DOCS',
      'RESET',
    ]) {
      expect(await client.ask(line)).not.toMatch(/^-/);
    }
    expect(host.journal.list()).toEqual([]);
    kind.mocks.create({ command: 'PING', response: { type: 'string', value: 'mocked' } });
    expect(await client.ask('PING')).toBe('+mocked\r\n');
    expect(host.journal.list()).toHaveLength(1);
  });

  it('says why a mock did not match, and which one would', async () => {
    const { port, host, kind } = await startHost({ mode: 'mock' }, [
      { id: 'a', command: 'SET', key: 'a', args: ['1'], response: { type: 'string' } },
    ]);
    const client = new RawClient(port);
    await client.ask('SET a 2');
    const [entry] = host.journal.list();
    expect(entry).toMatchObject({
      method: 'SET',
      path: 'a',
      body: '2',
      near_misses: [{ mock_id: 'a', reason: 'argument 1: got "2", want "1"' }],
      response: { status: 'ERR', body: 'ERR no mock matched for SET a (mode stateful would keep data)' },
    });
    expect(kind.explain({ method: 'SET', path: 'a', body: '1' })).toMatchObject({ mock_id: 'a' });
    expect(kind.explain({ command: 'DEL', key: 'a' })).toMatchObject({
      outcome: 'unmatched',
      others: [{ mock_id: 'a', reason: 'command: got "DEL", want "SET"' }],
    });
    expect(kind.explain({ command: 'SET', key: 'a', args: ['1'] })).toMatchObject({ mock_id: 'a' });
    for (const line of ['SET a 1', 'set  a "1"', ` SET 'a' 1`]) {
      expect(kind.explain(line)).toMatchObject({ mock_id: 'a' });
    }
    expect(kind.explain('SET a "1 2"').others).toEqual([
      { mock_id: 'a', reason: 'argument 1: got "1 2", want "1"' },
    ]);
    expect(() => kind.explain({ comand: 'GET' })).toThrow('unknown field "comand"; did you mean "command"?');
  });

  it('wins over data, also inside of a transaction', async () => {
    const { port } = await startHost({ mode: 'stateful' }, [
      { command: 'GET', key: 'mocked', response: { type: 'bulk', value: 'by mock' } },
      { command: 'JSON.GET', response: { type: 'bulk', value: '{}' }, delay: '10ms' },
    ]);
    const client = new RawClient(port);
    expect(await client.ask('SET mocked x')).toBe('+OK\r\n');
    expect(await client.ask('GET mocked')).toBe('$7\r\nby mock\r\n');
    client.send(['MULTI', 'GET mocked', 'JSON.GET a', 'STRLEN mocked', 'EXEC', 'PING'].map(command).join(''));
    const replies = [];
    for (let n = 0; n < 6; n += 1) replies.push(await client.reply());
    expect(replies.slice(4)).toEqual(['*3\r\n$7\r\nby mock\r\n$2\r\n{}\r\n:1\r\n', '+PONG\r\n']);
  });
});

describe('order and delays', () => {
  it('a delay holds up its own connection in order, and no other', async () => {
    const { port, host } = await startHost({ mode: 'stateful' }, [
      { command: 'GET', key: 'slow', response: { type: 'bulk', value: 'late' }, delay: '1h' },
    ]);
    const slow = new RawClient(port);
    slow.send(['SET a 1', 'GET slow', 'GET a', 'PING'].map(command).join(''));
    expect(await slow.reply()).toBe('+OK\r\n');
    const other = new RawClient(port);
    expect(await other.ask('GET a')).toBe('$1\r\n1\r\n');
    expect(slow.received).toBe('');
    await host.clock.advance(3_600_000);
    expect([await slow.reply(), await slow.reply(), await slow.reply()]).toEqual([
      '$4\r\nlate\r\n',
      '$1\r\n1\r\n',
      '+PONG\r\n',
    ]);
  });

  it('faults keep the class of their error, and reach what a mock could answer alone', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    host.faults.set('redis', { error: 'LOADING Redis is loading the dataset in memory' });
    expect(await client.ask('GET a')).toBe('-LOADING Redis is loading the dataset in memory\r\n');
    expect(await client.ask('PING')).toBe('+PONG\r\n');
    expect(host.journal.list().at(-1)).toMatchObject({ method: 'GET', fault: true });
    host.faults.set('redis', { phase: 'connect' });
    expect(await client.ask('GET a')).toBe('$-1\r\n');
    expect(await new RawClient(port).ask('GET a')).toBe('<closed>');
  });
});

describe('a mock that is refused', () => {
  it('is told what is missing, once', async () => {
    const { kind } = await startHost();
    expect(() => kind.mocks.create({ command: 'GET', response: {} })).toThrow(
      /^redis mock \/response\/type: "type" is required$/,
    );
  });
});

describe('the journal', () => {
  it('shows commands, keys, arguments and answers', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    client.send(
      encode('SET', 'kéy', '{"a":1}', 'EX', '10') +
        command('GET kéy') +
        command('HSET h a 1') +
        command('HGETALL h'),
    );
    for (let n = 0; n < 4; n += 1) await client.reply();
    expect(host.journal.list()).toMatchObject([
      { method: 'SET', path: 'kéy', body: '{"a":1} EX 10', response: { body: 'OK' } },
      { method: 'GET', path: 'kéy', response: { body: '{"a":1}' } },
      { method: 'HSET', path: 'h', body: 'a 1', response: { body: '1' } },
      { method: 'HGETALL', path: 'h', response: { body: '["a","1"]' } },
    ]);
  });

  it('calls unmatched what neither a mock nor data answered', async () => {
    const { port, host } = await startHost({ mode: 'stateful' }, [
      { id: 'other', command: 'GET', key: 'other', response: { type: 'nil' } },
    ]);
    const client = new RawClient(port);
    for (const line of [
      'SET a 1',
      'GET a',
      'GET missing',
      'GET other',
      'NONSENSE',
      'MULTI',
      'INCR a',
      'EXEC',
    ]) {
      await client.ask(line);
    }
    expect(host.journal.list({ unmatched: true }).map(({ method, path }) => [method, path])).toEqual([
      ['GET', 'missing'],
      ['NONSENSE', ''],
    ]);
    expect(host.journal.list({ unmatched: true })[0]?.near_misses).toEqual([
      { mock_id: 'other', reason: 'key: got "missing", want "other"' },
    ]);
  });
});
