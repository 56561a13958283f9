import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIN, makeFolder, withoutStalls } from './command.js';

const children: ChildProcess[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'close');
  }
});

/** `backlot start` with so many open files at most. */
function startWith(
  limit: number,
  bin = BIN,
  env: Readonly<Record<string, string>> = {},
): { child: ChildProcess; output: () => string; errors: () => string } {
  const words = ['start', '--only=tcp,http', '--tcp-port=0', '--http-port=0', '--api-port=0'];
  const child = spawn(
    'sh',
    ['-c', `ulimit -n ${limit} && exec "$@"`, 'sh', process.execPath, bin, ...words],
    {
      cwd: tmpdir(),
      env: { ...process.env, NODE_OPTIONS: '', BACKLOT_API_TOKEN: '', BACKLOT_HOST: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  children.push(child);
  let output = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return { child, output: () => output, errors: () => withoutStalls(errors) };
}

/** Waits for output of a child until the condition holds, or the child ends. */
async function until(child: ChildProcess, condition: () => boolean): Promise<void> {
  while (!condition()) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`);
    await Promise.race([
      once(child.stdout as NodeJS.ReadableStream & NodeJS.EventEmitter, 'data'),
      once(child.stderr as NodeJS.ReadableStream & NodeJS.EventEmitter, 'data'),
      once(child, 'close'),
    ]);
  }
}

describe('when the system gives no more files', () => {
  it('a running server says so once and goes on', async () => {
    const { child, output, errors } = startWith(200);
    await until(child, () => /^ready /m.test(output()));
    const [, port] = /tcp=tcp:\/\/localhost:(\d+)/.exec(output()) ?? [];
    const [, api] = /api=(\S+)$/m.exec(output()) ?? [];
    const health = async (): Promise<number> =>
      (await fetch(`${api}/api/health`).catch(() => undefined))?.status ?? 0;
    // What answers there is loaded behind the start, and Node.js does not read a module again that it could not open.
    expect(await health()).toBe(200);
    for (let count = 0; count < 250; count += 1) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
    }
    await until(child, () => errors().includes('\n'));
    expect(errors()).toMatch(
      /^warning: backlot: too many open files \(EMFILE\), so new connections are closed( \(the limit is 200\))?; raise the limit of open files before the start, as in "ulimit -n 65536"\n$/,
    );
    for (const socket of sockets.splice(0)) socket.destroy();
    while ((await health()) !== 200) expect(child.exitCode).toBeNull();
    expect(errors().trim().split('\n')).toHaveLength(1);
  });

  it('what the management port answers with is loaded when there are some again', async () => {
    const { child, output, errors } = startWith(400, BIN, {
      ...{ BACKLOT_HOST: '127.0.0.1', LISTENERS: '4' },
      NODE_OPTIONS: `--import=${new URL('./without-files.mjs', import.meta.url).href}`,
    });
    await until(child, () => /^ready /m.test(output()));
    expect(errors()).toContain('files are taken');
    const [, api] = /api=(\S+)$/m.exec(output()) ?? [];
    // Without files this connection is closed, or waits.
    await fetch(`${api}/api/health`, { signal: AbortSignal.timeout(200) }).catch(() => undefined);
    child.kill('SIGUSR2');
    await until(child, () => errors().includes('files are free'));
    expect((await fetch(`${api}/api/health`)).status).toBe(200);
    expect(errors()).not.toContain('cannot answer');
  });

  // Below this Node.js itself does not come up.
  it.each([24, 27])('a start with %i files is an error of one line', async (limit) => {
    const { child, output, errors } = startWith(limit);
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, output()]).toEqual([1, '']);
    expect(errors()).toMatch(
      /^error: .*(EMFILE|too many open files).*raise the limit .*"ulimit -n 65536"\n$/,
    );
  });

  it('a package that Node.js does not find for want of files is no missing package', async () => {
    const folder = makeFolder();
    const bin = join(folder.path, 'bin', 'backlot.mjs');
    mkdirSync(join(folder.path, 'bin'));
    mkdirSync(join(folder.path, 'dist'));
    copyFileSync(BIN, bin);
    writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder.path, 'dist', 'main.js'), "import 'not-there';");
    const scarce = startWith(40, bin);
    await once(scarce.child, 'close');
    const ample = startWith(400, bin);
    await once(ample.child, 'close');
    folder.remove();
    expect(scarce.errors()).toMatch(
      /^error: Cannot find package 'not-there'.*: too many open files; raise the limit .*\n$/,
    );
    expect(ample.errors()).toMatch(/Cannot find package 'not-there'/);
    expect(ample.errors()).not.toContain('too many open files');
  });

  it('every start with few files either succeeds or says what to do', async () => {
    const limits = Array.from({ length: 45 }, (_, index) => 20 + index);
    const odd: unknown[] = [];
    const tryNext = async (): Promise<void> => {
      for (let limit = limits.shift(); limit !== undefined; limit = limits.shift()) {
        const { child, output, errors } = startWith(limit);
        const closed = once(child, 'close');
        await until(child, () => /^ready /m.test(output())).catch(() => undefined);
        if (/^ready /m.test(output())) child.kill('SIGTERM');
        await closed;
        const isTold = /^error: [^\n]*raise the limit of open files[^\n]*"ulimit -n 65536"\n$/.test(errors());
        if (!/^ready /m.test(output()) && !(child.exitCode === 1 && isTold)) odd.push([limit, errors()]);
      }
    };
    await Promise.all([tryNext(), tryNext(), tryNext()]);
    expect(odd).toEqual([]);
  });
});
