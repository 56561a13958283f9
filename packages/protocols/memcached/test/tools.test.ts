import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { itWithTool, runTool, type ToolResult } from '@backlot/conformance';
import { afterThis, startHost } from './support.js';

const PROTOCOLS: readonly (readonly [string, readonly string[]])[] = [
  ['text', []],
  ['binary', ['--binary']],
];

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-memcached-'));
  afterThis(() => rm(folder, { recursive: true }));
  return folder;
}

describe.each(PROTOCOLS)('the tools of libmemcached (%s)', (_name, options) => {
  itWithTool('memccapable', 'memccapable passes every test', async () => {
    const { port, log } = await startHost();
    const flag = options.length === 0 ? '-a' : '-b';
    const { out, err, code } = await runTool('memccapable', [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      flag,
      '-t',
      '5',
    ]);
    expect([err, code]).toEqual(['', 0]);
    expect(out).toMatch(/All tests passed\n$/);
    expect(out).not.toMatch(/FAIL|skip/i);
    expect(out.match(/\[pass\]/g)?.length).toBe(27);
    expect(log).toEqual([]);
  });

  itWithTool('memccp', 'store, read, touch, list and remove', async () => {
    const { port, kind } = await startHost();
    const folder = await makeFolder();
    const run = (tool: string, ...args: readonly string[]): Promise<ToolResult> =>
      runTool(tool, [`--servers=127.0.0.1:${port}`, ...options, ...args], { cwd: folder });
    await writeFile(join(folder, 'one.txt'), 'first\n');
    await writeFile(join(folder, 'two.bin'), Buffer.from([0, 13, 10, 255, 128]));
    expect(await run('memccp', '--set', 'one.txt', 'two.bin')).toMatchObject({ code: 0 });
    expect(await run('memccat', 'one.txt')).toMatchObject({ code: 0, out: 'first\n\n' });
    expect(await run('memccat', '--file=copy.bin', 'two.bin')).toMatchObject({ code: 0 });
    expect([...(await readFile(join(folder, 'copy.bin')))].slice(0, 5)).toEqual([0, 13, 10, 255, 128]);
    expect(await run('memcexist', 'one.txt')).toMatchObject({ code: 0 });
    expect((await run('memcexist', 'nothing')).code).not.toBe(0);
    expect(await run('memctouch', '--expire=100', 'one.txt')).toMatchObject({ code: 0 });
    if (options.length === 0) expect(await run('memcping')).toMatchObject({ code: 0 });
    expect((await run('memcstat')).out).toMatch(/get_hits: 2\n/);
    if (options.length === 0)
      expect((await run('memcdump')).out.split('\n').sort()).toEqual(['', 'one.txt', 'two.bin']);
    expect(await run('memcrm', 'one.txt')).toMatchObject({ code: 0 });
    expect((await run('memccat', 'one.txt')).code).not.toBe(0);
    expect(await run('memcflush')).toMatchObject({ code: 0 });
    expect((await run('memccat', 'two.bin')).code).not.toBe(0);
    expect(kind.status()['state']).toBe('running');
  });

  itWithTool('memcslap', 'memcslap loads and reads', async () => {
    const { port, log } = await startHost();
    const result = await runTool('memcslap', [
      `--servers=127.0.0.1:${port}`,
      ...options,
      '--test=get',
      '--concurrency=5',
      '--execute-number=200',
      '--initial-load=200',
    ]);
    expect(result).toMatchObject({ code: 0, err: '' });
    expect(log).toEqual([]);
  });
});
