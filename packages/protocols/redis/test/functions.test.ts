import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { encode, RawClient, startHost } from './support.js';

const library = (code: string, name = 'a'): string[] => ['FUNCTION', 'LOAD', `#!lua name=${name}\n${code}`];
const replace = (code: string, name = 'a'): string[] => [
  'FUNCTION',
  'LOAD',
  'REPLACE',
  `#!lua name=${name}\n${code}`,
];
const NAMED =
  'redis.register_function{function_name="f", callback=function(k,a) return {k,a,redis.call("get","x")} end, flags={"no-writes"}, description="d"}';

/** Commands, in their order. */
const CASES: readonly (readonly string[])[] = [
  ...['x', '#!lua', '#!lua\n', '#!lua name=a-b\n', '#!js name=a\n', '#!lua name=a\nreturn'].map((code) => [
    'FUNCTION',
    'LOAD',
    code,
  ]),
  ...['#!lua name=a foo=1\nx', '#!lua name=a name=b\n'].map((code) => ['FUNCTION', 'LOAD', code]),
  ...[
    'redis.call("get","x")',
    'local x = string.rep("a",2)',
    'redis.register_function("f")',
    'redis.register_function("f-", function() end)',
    'redis.register_function(1,2,3)',
    'redis.register_function("g",2)',
    'redis.register_function({}, function() end)',
    'redis.register_function(1)',
    'redis.register_function("g",function() end) redis.register_function("g",function() end)',
    'redis.register_function{function_name="g", callback=function() end, flags={"bad"}}',
    'redis.register_function{function_name="g", callback=function() end, flags={{}}}',
    'redis.register_function{function_name="g", cb=1}',
    'redis.register_function{function_name="g"}',
    'redis.register_function{callback=function() end}',
    'redis.register_function{function_name={},callback=function() end}',
    'redis.register_function{function_name="g",callback=1}',
    'redis.register_function{function_name="g",callback=function() end, description={}}',
    'redis.register_function{function_name="g",callback=function() end, flags=1}',
    'redis.register_function{1}',
    'redis.register_function()',
    'local function',
    'error("boo")',
    'x=1',
    'redis.x=1',
    'local y = redis.setresp',
  ].map((code) => library(code)),
  library(NAMED),
  library('redis.register_function("f", function() end)'),
  library('redis.register_function("f", function() end)', 'b'),
  ['FUNCTION', 'LIST'],
  ['FUNCTION', 'LIST', 'WITHCODE', 'LIBRARYNAME', 'a*'],
  ['FUNCTION', 'LIST', 'LIBRARYNAME'],
  ['FUNCTION', 'LIST', 'X'],
  ['FUNCTION', 'LIST', 'LIBRARYNAME', 'zz'],
  ['FUNCTION', 'LIST', 'WITHCODE', 'WITHCODE'],
  ['FUNCTION', 'LOAD', 'FOO', 'x'],
  ['FUNCTION', 'LOAD'],
  ['SET', 'x', '1'],
  ['FCALL', 'f', '1', 'key', 'arg'],
  ['FCALL_RO', 'f', '1', 'key', 'arg'],
  ['FCALL', 'f', 'x'],
  ['FCALL', 'f', '3', 'a'],
  ['FCALL', 'f', '-1'],
  ['FCALL', 'f'],
  ['FCALL', 'nope', '0'],
  ...Object.entries({
    e: 'error("x")',
    t: 'error({err="MINE own"})',
    w: 'return redis.call("set", k[1], a[1])',
    n: 'return KEYS',
    s: 'return redis.register_function("zz", function() end)',
    g: 'yy = 1',
    u: 'return redis.call("nope")',
    l: 'local t = {} for i = 1, 100 do t[i] = i end return #t',
    c: 'return cjson.encode({1,2})',
    r: 'return redis.REDIS_VERSION',
  }).flatMap(([name, body]) => [
    library(`redis.register_function("${name}", function(k,a) ${body} end)`, name),
    ['FCALL', name, '1', 'key', 'arg'],
    ['FCALL_RO', name, '1', 'key', 'arg'],
  ]),
  replace('error("x")', 'a'),
  replace('redis.register_function("w", function() end)', 'a'),
  ['FCALL', 'f', '0'],
  replace('redis.register_function("f2", function() return 2 end)', 'a'),
  ['FCALL', 'f', '0'],
  ['FCALL', 'f2', '0'],
  ['FUNCTION', 'STATS'],
  ['EVAL', "return redis.call('FCALL', 'f2', 0)", '0'],
  ['FUNCTION', 'DELETE', 'zz'],
  ['FUNCTION', 'DELETE', 'a'],
  ['FCALL', 'f2', '0'],
  ['FUNCTION', 'KILL'],
  ['FUNCTION', 'FLUSH', 'FOO'],
  ['FUNCTION', 'FLUSH', 'ASYNC', 'x'],
  ['FUNCTION', 'FLUSH', 'ASYNC'],
  ['FUNCTION', 'STATS'],
  ['FUNCTION', 'RESTORE', 'x'],
  ['FUNCTION', 'RESTORE', 'x', 'BAD'],
  ['FUNCTION', 'RESTORE', 'x', 'REPLACE', 'y'],
  ['FUNCTION', 'NOPE'],
  ['FUNCTION', 'DUMP', 'x'],
];

describe.each([2, 3])('redis-server, RESP%i', (resp) => {
  itWithTool('redis-server', 'answers the commands about functions with the same bytes', async () => {
    const { port } = await startHost();
    const clients = [new RawClient(port), new RawClient(await startReference())];
    for (const client of clients) if (resp === 3) await client.ask('HELLO 3');
    const differences: object[] = [];
    for (const request of CASES) {
      for (const client of clients) client.send(encode(...request));
      const [own, other] = await Promise.all(clients.map((client) => client.reply()));
      if (own !== other) differences.push({ request, own, other });
    }
    expect(differences).toEqual([]);
  });
});

describe('functions', () => {
  it('go on after SCRIPT FLUSH, and are gone after a reset', async () => {
    const host = await startHost();
    const client = new RawClient(host.port);
    client.send(encode(...library('redis.register_function("f", function() return 1 end)')));
    expect(await client.reply()).toBe('$1\r\na\r\n');
    await client.ask('SCRIPT FLUSH');
    expect(await client.ask('FCALL f 0')).toBe(':1\r\n');
    host.host.reset();
    expect(await client.ask('FCALL f 0')).toBe('-ERR Function not found\r\n');
  });

  it('that run for too long are killed by FUNCTION KILL, and are shown by FUNCTION STATS', async () => {
    const host = await startHost();
    const client = new RawClient(host.port);
    const other = new RawClient(host.port);
    client.send(encode(...library('redis.register_function("f", function() while true do end end)')));
    await client.reply();
    client.send(encode('FCALL', 'f', '0'));
    await other.ask('PING');
    await host.host.clock.advance(5000);
    expect(await other.ask('GET x')).toMatch(/^-BUSY .*FUNCTION KILL/);
    expect(await other.ask('FUNCTION STATS')).toMatch(/name\r\n\$1\r\nf\r\n.*duration_ms\r\n:5/s);
    expect(await other.ask('SCRIPT KILL')).toMatch(/^-BUSY/);
    expect(await other.ask('FUNCTION KILL')).toBe('+OK\r\n');
    expect(await client.reply()).toMatch(/^-ERR .*Script killed by user with SCRIPT KILL\.\.\./);
    expect(await other.ask('FUNCTION DUMP')).toMatch(/^-ERR FUNCTION DUMP is not supported/);
  });

  it('a library that takes too long to load is refused', async () => {
    const { port } = await startHost();
    const client = new RawClient(port);
    client.send(encode(...library('while true do end')));
    expect(await client.reply()).toBe('-ERR Error registering functions: FUNCTION LOAD timeout\r\n');
    expect(await client.ask('PING')).toBe('+PONG\r\n');
  });

  it.each(['cjson.encode', 'cmsgpack.pack'])(
    'what %s makes is bounded, shared tables too',
    async (encode) => {
      const { port } = await startHost();
      const client = new RawClient(port);
      const nested = `local t = {'0123456789abcdef'} for i = 1, 14 do local u = {} for j = 1, 40 do u[j] = t end t = u end return ${encode}(t)`;
      expect(await client.ask(`EVAL "${nested}" 0`)).toMatch(
        /^-ERR the (JSON|MessagePack) text has more than 32768 values/,
      );
      const long = `local s = string.rep('a', 65536) local t = {} for i = 1, 70 do t[i] = s end return ${encode}(t)`;
      expect(await client.ask(`EVAL "${long}" 0`)).toMatch(
        /^-ERR the (JSON|MessagePack) text is longer than 4194304 bytes/,
      );
      expect(await client.ask(`EVAL "return ${encode}({1})" 0`)).toMatch(/^\$/);
    },
  );
});
