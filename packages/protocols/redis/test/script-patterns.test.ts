import { describe, expect, it } from '@jest/globals';
import { PatternSteps } from '../src/scripting/pattern-steps.js';
import { encode, RawClient, startHost } from './support.js';

const TOO_LONG = /^-ERR user_script:1: the pattern takes more than 2000000 steps in a text of \d+ bytes/;
const TOO_MANY = /^-ERR the (JSON|MessagePack) text has more than 32768 values/;

async function connect(): Promise<(script: string, ...args: string[]) => Promise<string>> {
  const { port } = await startHost({ mode: 'stateful' });
  const client = new RawClient(port);
  return (script, ...args) => {
    client.send(encode('EVAL', script, '0', ...args));
    return client.reply();
  };
}

describe('patterns of scripts', () => {
  it.each([
    "return string.find(string.rep('a', 5000), '.-.-.-b')",
    "return string.match(string.rep('a', 100000), 'a*b')",
    "return string.find(string.rep('a', 40), string.rep('a?', 40)..string.rep('a', 40)..'b')",
    "return string.find(string.rep('a', 400000), string.rep('a', 100000)..'b')",
    "return string.find(string.rep('a', 400000), string.rep('%a', 200)..'b')",
    "return string.find(string.rep('(', 100000), '%b()')",
    "return string.find(string.rep('a', 20000), '(a*)%1b')",
    "return string.find(string.rep('a', 100000), '%f[b'..string.rep('c', 100)..']')",
    "return string.gsub(string.rep('a', 100000), 'a-b', '')",
    "return string.gsub(string.rep('a', 100000), 'a', string.rep('b', 100))",
    "return string.gmatch(string.rep('a', 100000), 'a*b')()",
    "return (string.rep('a', 100000)):find('a*b')",
  ])('end when they take too many steps: %s', async (script) => {
    const run = await connect();
    expect(await run(script)).toMatch(TOO_LONG);
    expect(await run('return 1')).toBe(':1\r\n');
  });

  it('are carried out on long texts when they take few steps', async () => {
    const run = await connect();
    const text = `${'key=value;'.repeat(5000)}end`;
    expect(await run("return select(2, string.gsub(ARGV[1], '(%w+)=(%w+)', '%2=%1'))", text)).toBe(
      ':5000\r\n',
    );
    expect(
      await run("local n = 0 for k in string.gmatch(ARGV[1], '(%w+)=') do n = n + 1 end return n", text),
    ).toBe(':5000\r\n');
    expect(await run("return (string.find(ARGV[1], '^.-(%w+)$'))", text)).toBe(':1\r\n');
    expect(await run("return #string.match('  '..ARGV[1]..'  ', '^%s*(.-)%s*$')", text)).toBe(':50003\r\n');
    expect(await run("return {pcall(string.find, ARGV[1], '.*[')}", text)).toContain('malformed pattern');
    expect(await run(`return string.find(string.rep('x', 300), '${'x?'.repeat(300)}')`)).toContain(
      'pattern too complex',
    );
  });

  it('end where the counted matcher says', async () => {
    const run = await connect();
    const patterns = [
      'a*',
      '.-b',
      '[^%s]+',
      '(a?)(b-)c',
      '%b()',
      '%f[%w]%w+',
      '(.)%1',
      '[a-c%]]+$',
      'x?y',
      '()b',
      '%A',
      '[]]',
    ];
    const subjects = ['aaab', 'a(b(c)d)e', ' foo bar', 'abcc', 'x]y', ''];
    for (const pattern of patterns)
      for (const subject of subjects) {
        const bytes = Buffer.from(`${subject}\0${pattern}\0`, 'latin1');
        const steps = new PatternSteps(bytes, 0, subject.length, 10_000);
        let at = 0;
        while (at < subject.length && steps.match(at, subject.length + 1) < 0) at += 1;
        const end = steps.match(at, subject.length + 1);
        const expected = end < 0 ? '$-1\r\n' : `*2\r\n:${at + 1}\r\n:${end}\r\n`;
        const script = 'local a, b = string.find(ARGV[1], ARGV[2]) if a then return {a, b} end';
        expect([pattern, subject, await run(script, subject, pattern)]).toEqual([pattern, subject, expected]);
      }
  });
});

describe('texts of JSON and MessagePack in scripts', () => {
  it.each([
    "return cjson.decode('['..string.rep('1,', 32768)..'1]')",
    "return cjson.decode('\"'..string.rep('\\\\n', 140000)..'\"')",
    "return cjson.encode(string.rep('\\n', 140000))",
    'local t = {} for i = 1, 40000 do t[i] = i end return cjson.encode(t)',
    "local t = {} for i = 1, 40000 do t['k'..i] = i end return cjson.encode(t)",
    "local t = {} for i = 1, 20000 do t['k'..i] = i end return cjson.encode(t)",
    'cjson.encode_sparse_array(false, 0) return cjson.encode({[1] = 1, [100000] = 1})',
    'local t = {} for i = 1, 40000 do t[i] = i end return cmsgpack.pack(t)',
    'local t = {} for i = 1, 20000 do t[i] = i end return cmsgpack.pack(t, t)',
    "return cmsgpack.unpack('\\221\\0\\1\\0\\0'..string.rep('\\1', 65536))",
  ])('have a bounded number of values: %s', async (script) => {
    const run = await connect();
    expect(await run(script)).toMatch(TOO_MANY);
  });

  it('hold as many values as are allowed', async () => {
    const run = await connect();
    expect(await run("return #cjson.decode('['..string.rep('1,', 32766)..'1]')")).toBe(':32767\r\n');
    expect(
      await run('local t = {} for i = 1, 32767 do t[i] = 1.5 end return #cmsgpack.unpack(cmsgpack.pack(t))'),
    ).toBe(':32767\r\n');
    expect(await run('return cjson.encode({0.1, -1.25, 1/3, 123456789.123, 0.0001, 0.00001})')).toContain(
      '[0.1,-1.25,0.33333333333333,123456789.123,0.0001,1e-05]',
    );
  });
});
