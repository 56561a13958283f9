import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { BIN, FREE_PORTS, startCommand, takePort, withoutStalls, type StartedServer } from './command.js';

/** A command whose standard output nobody reads: the pipe is closed before anything is printed. */
function unread(args: readonly string[], url = ''): { child: ChildProcess; errors: () => string } {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: tmpdir(),
    env: { ...process.env, NODE_OPTIONS: '', BACKLOT_API_TOKEN: '', BACKLOT_HOST: '', BACKLOT_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.destroy();
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return { child, errors: () => withoutStalls(errors) };
}

async function codeOf(child: ChildProcess): Promise<unknown> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

describe('output that nobody reads', () => {
  let server: StartedServer;
  let url: string;
  beforeAll(async () => {
    server = await startCommand([...FREE_PORTS, '--only=http,tcp']);
    url = server.urls['api'] ?? '';
  });
  afterAll(() => server.stop());

  it('does not end the server, which says so once', async () => {
    const free = await takePort();
    await free.release();
    const { child, errors } = unread(['start', '--only=tcp', '--tcp-port=0', `--api-port=${free.port}`]);
    const health = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${free.port}/api/health`).catch(() => undefined))?.status ?? 0;
    while ((await health()) !== 200) expect(child.exitCode).toBeNull();
    // What was announced has met the closed pipe by now, and the server answers still.
    expect(await health()).toBe(200);
    child.kill('SIGTERM');
    expect([await codeOf(child), errors()]).toEqual([
      0,
      'warning: nobody reads standard output any more: what stands there is left out, and the servers go on until they get SIGTERM\n',
    ]);
  });

  it.each([
    [['status']],
    [['plugins']],
    [['--help']],
    [['logs', '--json']],
    [['state', 'set', 'unread', 'yes']],
  ])('%j does its work and ends quietly', async (args) => {
    const { child, errors } = unread(args, url);
    expect([await codeOf(child), errors()]).toEqual([0, '']);
    if (args[0] === 'state')
      expect(await (await fetch(`${url}/api/state`)).json()).toEqual({ unread: 'yes' });
  });

  it('an error keeps its exit code', async () => {
    const { child, errors } = unread(['state', 'get', 'nothing'], url);
    expect([await codeOf(child), errors()]).toEqual([1, 'error: there is no state "nothing"\n']);
  });

  it('ends logs -f', async () => {
    const { child, errors } = unread(['logs', '-f'], url);
    const ended = codeOf(child);
    let code: unknown;
    void ended.then((known) => (code = known));
    while (code === undefined) await (await fetch(`${server.urls['http']}/any`)).text();
    expect([code, errors()]).toEqual([0, '']);
  });

  (existsSync('/dev/full') ? it : it.skip)('says when it cannot be written for another reason', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [BIN, 'status', '--url', url], {
      env: { ...process.env, NODE_OPTIONS: '', BACKLOT_API_TOKEN: '' },
      stdio: ['ignore', full, 'pipe'],
    });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
    expect(await codeOf(child)).toBe(1);
    closeSync(full);
    expect(errors).toMatch(/^error: cannot write to standard output: .*ENOSPC.*\n$/);
  });
});
