import { Slice } from '@backlot/core/plugin';
import { describe, expect, it, jest } from '@jest/globals';
import { LuaMachine } from '../src/scripting/lua-machine.js';
import { encode, RawClient, startHost, type Running } from './support.js';

const STATEFUL = { mode: 'stateful' };
const FOREVER = 'while true do end';

function evaluate(client: RawClient, script: string, ...args: string[]): Promise<string> {
  client.send(encode('EVAL', script, ...(args.length === 0 ? ['0'] : args)));
  return client.reply();
}

async function connect(settings: object = STATEFUL): Promise<{ host: Running; client: RawClient }> {
  const host = await startHost({ ...settings });
  return { host, client: new RawClient(host.port) };
}

describe('scripts', () => {
  it('loads Lua when the first script comes, and not before', async () => {
    const wasm = (globalThis as unknown as { WebAssembly: { Instance: unknown } }).WebAssembly;
    const Instance = wasm.Instance as new (...args: unknown[]) => object;
    let made = 0;
    wasm.Instance = function count(...args: unknown[]) {
      made += 1;
      return new Instance(...args);
    };
    try {
      const { client } = await connect();
      await client.ask('SET a 1');
      await client.ask('SCRIPT EXISTS x');
      await client.ask('EVALSHA 0123456789012345678901234567890123456789 0');
      await client.ask('SCRIPT FLUSH');
      expect(made).toBe(0);
      expect(await evaluate(client, 'return 1')).toBe(':1\r\n');
      expect(made).toBeGreaterThan(0);
    } finally {
      wasm.Instance = Instance;
    }
  });

  it('are known by their SHA-1 until they are flushed', async () => {
    const { client } = await connect();
    const sha = 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db';
    expect(await client.ask(`EVALSHA ${sha} 0`)).toBe('-NOSCRIPT No matching script. Please use EVAL.\r\n');
    expect(await client.ask('SCRIPT LOAD "return 1"')).toBe(`$40\r\n${sha}\r\n`);
    expect(await client.ask(`EVALSHA ${sha.toUpperCase()} 0`)).toBe(':1\r\n');
    expect(await client.ask(`EVALSHA_RO ${sha} 0`)).toBe(':1\r\n');
    expect(await client.ask(`SCRIPT EXISTS ${sha} ${'0'.repeat(40)}`)).toBe('*2\r\n:1\r\n:0\r\n');
    expect(await client.ask('SCRIPT FLUSH SYNC')).toBe('+OK\r\n');
    expect(await client.ask('SCRIPT FLUSH NOW')).toBe('-ERR SCRIPT FLUSH only support SYNC|ASYNC option\r\n');
    expect(await client.ask(`SCRIPT EXISTS ${sha}`)).toBe('*1\r\n:0\r\n');
    expect(await client.ask('EVAL "return 2" 0')).toBe(':2\r\n');
    expect(await client.ask('EVAL "return 2" 1')).toBe(
      "-ERR Number of keys can't be greater than number of args\r\n",
    );
    expect(await client.ask('EVAL "return 2" -1')).toBe("-ERR Number of keys can't be negative\r\n");
    expect(await client.ask('EVAL "return 2" x')).toBe('-ERR value is not an integer or out of range\r\n');
  });

  it('do not write when they are read only', async () => {
    const { client } = await connect();
    client.send(encode('EVAL_RO', "return redis.call('set', 'a', '1')", '0'));
    expect(await client.reply()).toMatch(/^-ERR Write commands are not allowed from read-only scripts\./);
    client.send(encode('EVAL_RO', '#!lua\nreturn 1', '0'));
    expect(await client.reply()).toBe(
      '-ERR Can not execute a script with write flag using *_ro command.\r\n',
    );
    expect(await client.ask('EXISTS a')).toBe(':0\r\n');
  });

  it('see data and no mocks, while mocks answer EVAL itself first', async () => {
    const host = await startHost(STATEFUL, [
      { id: 'get', command: 'GET', key: 'a', response: { type: 'bulk', value: 'mocked' } },
      { id: 'eval', command: 'EVAL', key: 'special', response: { type: 'integer', value: 42 } },
    ]);
    const client = new RawClient(host.port);
    await client.ask('SET a data');
    expect(await client.ask('GET a')).toBe('$6\r\nmocked\r\n');
    expect(await evaluate(client, "return redis.call('get', KEYS[1])", '1', 'a')).toBe('$4\r\ndata\r\n');
    expect(await evaluate(client, 'return 1', '1', 'special')).toBe(':42\r\n');
  });

  it('are part of transactions, spoil those that watch, and wake who waits when they end', async () => {
    const { host, client } = await connect();
    const other = new RawClient(host.port);
    await client.ask('WATCH k');
    await evaluate(other, "return redis.call('set', 'k', 1)");
    await client.ask('MULTI');
    await client.ask('GET k');
    expect(await client.ask('EXEC')).toBe('*-1\r\n');
    await client.ask('MULTI');
    client.send(encode('EVAL', "redis.call('incr', 'k') return redis.call('get', 'k')", '0'));
    expect(await client.reply()).toBe('+QUEUED\r\n');
    await client.ask('GET k');
    expect(await client.ask('EXEC')).toBe('*2\r\n$1\r\n2\r\n$1\r\n2\r\n');
    other.send(encode('BLPOP', 'list', '0'));
    const answer = evaluate(client, "redis.call('rpush', 'list', 'a') return redis.call('rpop', 'list')");
    expect(await answer).toBe('$1\r\na\r\n');
    expect(await evaluate(client, "return redis.call('rpush', 'list', 'b', 'c')")).toBe(':2\r\n');
    expect(await other.reply()).toBe('*2\r\n$4\r\nlist\r\n$1\r\nb\r\n');
    expect(await client.ask('LLEN list')).toBe(':1\r\n');
  });

  it('leave the database of their client alone', async () => {
    const { client } = await connect();
    await evaluate(client, "redis.call('select', 3) return redis.call('set', 'a', 1)");
    expect(await client.ask('EXISTS a')).toBe(':0\r\n');
    await client.ask('SELECT 3');
    expect(await evaluate(client, "return redis.call('get', 'a')")).toBe('$1\r\n1\r\n');
  });

  it.each([
    ['in a loop', 'local n = 0 for i = 1, 30000000 do n = n + 1 end return n'],
    [
      'within pcall',
      'return select(2, pcall(function() local n = 0 for i = 1, 30000000 do n = n + 1 end return n end))',
    ],
    [
      'within coroutines',
      'local co = coroutine.wrap(function() for r = 1, 3 do local n = 0 for i = 1, 10000000 do n = n + 1 end coroutine.yield(n) end end) return co() + co() + co()',
    ],
    [
      'within the order of a sort',
      'local t = {} for i = 1, 150000 do t[i] = (i * 7919) % 150011 end local n = 0 table.sort(t, function(a, b) n = n + 1 return a < b end) return n > 150000 and 30000000',
    ],
    [
      'among commands',
      "for i = 1, 60000 do redis.call('incrby', 'n', 500) end return tonumber(redis.call('get', 'n'))",
    ],
    [
      'within pcall of commands',
      "for i = 1, 60000 do pcall(redis.call, 'incrby', 'm', 500) end return tonumber(redis.call('get', 'm'))",
    ],
  ])('let others in while they take long: %s', async (_name, script) => {
    const { host, client } = await connect();
    const other = new RawClient(host.port);
    let isDone = false;
    const answer = evaluate(client, script).finally(() => {
      isDone = true;
    });
    let pings = 0;
    while (!isDone) {
      await other.ask('PING');
      pings += 1;
    }
    const reply = await answer;
    expect(reply).toBe(':30000000\r\n');
    // A command without data is answered between two slices.
    expect(pings).toBeGreaterThan(2);
  });

  it.each([
    ['cjson', 'return #cjson.encode(cjson.decode(ARGV[1]))', JSON.stringify([1, 'a'])],
    ['cmsgpack', 'return #cmsgpack.pack(cmsgpack.unpack(ARGV[1]))', '\xa1a'],
  ])('are paused right behind a function that has used up the slice: %s', async (_name, script, text) => {
    const { client } = await connect();
    await evaluate(client, 'return 1');
    const { resume: really } = LuaMachine.prototype;
    let isSameTurn = false;
    const together: boolean[] = [];
    const resume = jest.spyOn(LuaMachine.prototype, 'resume').mockImplementation(function (
      this: LuaMachine,
      ...given
    ) {
      together.push(isSameTurn);
      isSameTurn = true;
      queueMicrotask(() => (isSameTurn = false));
      return really.apply(this, given);
    });
    const isOver = jest.spyOn(Slice.prototype, 'isOver', 'get').mockReturnValue(true);
    const reply = await evaluate(client, script, '0', text);
    const ends = resume.mock.results.map(({ value }): unknown => value);
    for (const spy of [resume, isOver]) spy.mockRestore();
    expect(reply).toMatch(/^:\d+\r\n$/);
    expect(ends).toEqual(['paused', 'paused', 'done']);
    expect(together).toEqual([false, false, false]);
    expect(await evaluate(client, script, '0', text)).toBe(reply);
  });

  it('are not interleaved with commands of others', async () => {
    const { host, client } = await connect();
    const other = new RawClient(host.port);
    const answer = evaluate(
      client,
      "redis.call('set', 'a', 1) local n = 0 for i = 1, 30000000 do n = n + 1 end redis.call('set', 'a', 2) return 1",
    );
    await other.ask('PING');
    const seen = new Set<string>();
    for (let index = 0; index < 3; index += 1) seen.add(await other.ask('GET a'));
    await answer;
    seen.delete('$-1\r\n');
    expect([...seen]).toEqual(['$1\r\n2\r\n']);
  });

  it('hand a long answer to a script that is paused meanwhile, and errors too', async () => {
    const { client } = await connect();
    await evaluate(client, "for i = 1, 20000 do redis.call('sadd', 's', 'member' .. i) end return 1");
    expect(await evaluate(client, "return #redis.call('smembers', 's')")).toBe(':20000\r\n');
    expect(await evaluate(client, "return #select(2, pcall(redis.call, 'smembers', 's'))")).toBe(
      ':20000\r\n',
    );
    expect(
      await evaluate(
        client,
        "redis.call('set', 't', 1) local ok, e = pcall(redis.call, 'sunionstore', 'd', 's', 't') return e",
      ),
    ).toBe('$65\r\nWRONGTYPE Operation against a key holding the wrong kind of value\r\n');
  });
});

describe('scripts that do not end', () => {
  it('make others busy after five seconds of the clock, and are killed when they have not written', async () => {
    const { host, client } = await connect();
    const other = new RawClient(host.port);
    const waiting = new RawClient(host.port);
    expect(await other.ask('SCRIPT KILL')).toBe('-NOTBUSY No scripts in execution right now.\r\n');
    const answer = evaluate(client, `pcall(function() ${FOREVER} end) ${FOREVER}`);
    await other.ask('PING');
    const waited = waiting.ask('GET a');
    await other.ask('PING');
    await host.host.clock.advance(5000);
    expect(await waited).toBe(
      '-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n',
    );
    expect(await other.ask('GET a')).toMatch(/^-BUSY /);
    expect(await other.ask('PING')).toMatch(/^-BUSY /);
    expect(await other.ask('SCRIPT KILL')).toBe('+OK\r\n');
    expect(await answer).toMatch(
      /^-ERR (?:user_script:1: )?Script killed by user with SCRIPT KILL\.\.\. script: /,
    );
    expect(await other.ask('GET a')).toBe('$-1\r\n');
    expect(await evaluate(client, 'return 1')).toBe(':1\r\n');
  });

  it('are not killed when they have written, and end at the most instructions', async () => {
    const { host, client } = await connect({ ...STATEFUL, max_script_instructions: 30_000_000 });
    const other = new RawClient(host.port);
    const answer = evaluate(
      client,
      `redis.call('set', 'a', 1) while true do pcall(function() ${FOREVER} end) end`,
    );
    await other.ask('PING');
    expect(await other.ask('SCRIPT KILL')).toMatch(/^-UNKILLABLE Sorry the script already executed write/);
    expect(await answer).toMatch(
      /^-ERR (?:user_script:1: )?the script has carried out as many instructions as max_script_/,
    );
    expect(await other.ask('GET a')).toBe('$1\r\n1\r\n');
  });

  it('are given up by a reset', async () => {
    const { host, client } = await connect();
    const other = new RawClient(host.port);
    const answer = evaluate(client, FOREVER);
    await other.ask('PING');
    host.host.reset();
    expect(await answer).toBe('-ERR the data was reset meanwhile\r\n');
    expect(await evaluate(client, 'return 1')).toBe(':1\r\n');
  });
});

describe('scripts that need too much', () => {
  it.each([
    ['memory in a table', 'local t = {} for i = 1, 1e9 do t[i] = i end', /^-ERR not enough memory/],
    ['memory in a text', "local s = 'x' while true do s = s .. s end", /^-ERR not enough memory/],
    ['a text at once', "return string.rep('x', 1e9)", /^-ERR not enough memory/],
    [
      'calls within calls',
      'local function f() return 1 + f() end return f()',
      /^-ERR user_script:1: stack overflow/,
    ],
    [
      'pcall within pcall',
      'local function f() local ok, e = pcall(f) error(e, 0) end f()',
      /^-ERR .*C stack overflow/,
    ],
    [
      'a metamethod that does not end',
      `return setmetatable({}, {__index = function() ${FOREVER} end}).x`,
      /^-ERR user_script:1: a metamethod, or a function called by gsub, foreach or an iterator, ran too long/,
    ],
    [
      'compiled code',
      'return loadstring(string.dump(function() end))()',
      /^-ERR .*attempt to call a nil value/,
    ],
  ])('fail, and those that follow do not: %s', async (_name, script, problem) => {
    const { client } = await connect({ ...STATEFUL, max_script_memory: 24 * 1024 * 1024 });
    expect(await evaluate(client, script)).toMatch(problem);
    expect(await evaluate(client, 'return #ARGV', '0', 'a')).toBe(':1\r\n');
  });
});
