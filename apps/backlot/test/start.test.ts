import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTALLED_PROTOCOLS } from '../src/installed.generated.js';
import {
  ALL_FREE_PORTS,
  FREE_PORTS,
  makeFolder,
  runCommand,
  startCommand,
  takePort,
  type StartedServer,
} from './command.js';
import { ROOT } from './docs/page.js';

/** Milliseconds, fewer than the grace within which started answers may go out. */
const GRACE = 1_000;
const KINDS: readonly string[] = INSTALLED_PROTOCOLS.map(({ kind }) => kind);

let folder: ReturnType<typeof makeFolder>;
const servers: StartedServer[] = [];
beforeEach(() => {
  folder = makeFolder();
});
afterEach(async () => {
  for (const { child, stop } of servers.splice(0)) if (child.exitCode === null) await stop();
  folder.remove();
});

async function start(
  args: readonly string[] = FREE_PORTS,
  env: Record<string, string> = {},
): Promise<StartedServer> {
  const server = await startCommand(args, { cwd: folder.path, env });
  servers.push(server);
  return server;
}

function write(text: string, file = 'backlot.yaml'): void {
  writeFileSync(join(folder.path, file), text);
}

function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => resolve(socket));
    socket.once('error', reject);
  });
}

const HELLO = `protocols:
  http:
    port: 0
    mocks:
      - id: hello
        request: {method: GET, path: /hello}
        response: {body: "Hello from {{vars.place}}"}
      - id: events
        request: {path: /events}
        response: {headers: {Content-Type: text/event-stream}}
        stream: {events: [{data: first}], keep_open: true}
api: {port: 0}
vars: {place: here}
`;

describe('backlot start', () => {
  it('starts every installed protocol without a file, and says where', async () => {
    const server = await start(ALL_FREE_PORTS);
    expect(Object.keys(server.urls)).toEqual([...KINDS, 'api']);
    expect(server.output().trimEnd().endsWith(server.readyLine)).toBe(true);
    expect(server.output()).toContain(`Try: curl ${server.urls['api']}/api/protocols`);
    expect(server.output()).toMatch(/ {2}management {2}http:\S+ +see \/api\/docs\n/);
    expect(server.errors()).toBe('');
    const health = await fetch(`${server.urls['api']}/api/health`);
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
    for (const host of ['127.0.0.1', '[::1]']) {
      const answer = await fetch(
        `http://${host}:${new URL(server.urls['api'] ?? '').port}/api/protocols`,
      ).catch((error: unknown) => error);
      // A machine without IPv6 has no ::1.
      if (answer instanceof Response) expect(answer.status).toBe(200);
      else expect(host).toBe('[::1]');
    }
  });

  it('runs from the sources too, with every kind, as `npm start` runs it', async () => {
    const runner = pathToFileURL(join(ROOT, 'packages/tooling/scripts/lib/run-from-sources.mjs')).href;
    const program = `import('${runner}').then(({ runFromSources }) => runFromSources(process.argv.slice(1)))`;
    const child = spawn(process.execPath, ['-e', program, 'start', '--quiet', ...ALL_FREE_PORTS], {
      cwd: folder.path,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    let output = '';
    const ended = new Promise((resolve) => child.once('close', resolve));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => {
        output += text.toString();
        if (output.includes('\n')) child.kill('SIGTERM');
      });
    expect(await ended).toBe(0);
    expect(output).toMatch(
      new RegExp(`^ready ${[...KINDS, 'api'].map((kind) => `${kind}=\\S+`).join(' ')}\n$`),
    );
  });

  it('starts what the file of the folder says', async () => {
    write(HELLO);
    const server = await start([]);
    expect(Object.keys(server.urls)).toEqual(['http', 'api']);
    expect(await (await fetch(`${server.urls['http']}/hello`)).text()).toBe('Hello from here');
    expect(server.output()).toContain(`Try: curl ${server.urls['http']}/hello`);
  });

  it('takes mockly.yaml when there is no other file, with one notice', async () => {
    write(
      `mockly:\n  ui: {enabled: true, port: 9090}\n  api: {port: 0}\n${HELLO.replace('api: {port: 0}\n', '').replace('vars: {place: here}\n', '').replace('{{vars.place}}', 'mockly')}`,
      'mockly.yaml',
    );
    const server = await start([]);
    expect(await (await fetch(`${server.urls['http']}/hello`)).text()).toBe('Hello from mockly');
    expect(server.errors().trim().split('\n')).toEqual([
      expect.stringMatching(/^notice: mockly\.yaml:2:3: mockly\.ui/),
    ]);
  });

  it('prints one line with --quiet, and the certificate with --print-ca', async () => {
    const quiet = await start([...FREE_PORTS, '--quiet', '--only', 'http']);
    expect(quiet.output().trim()).toBe(quiet.readyLine);
    const certified = await start([...FREE_PORTS, '--quiet', '--only=tcp', '--print-ca']);
    expect(certified.output()).toMatch(
      /^-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----\nready tcp=/,
    );
    const fromApi = await (await fetch(`${certified.urls['api']}/api/ca.pem`)).text();
    expect(certified.output()).toContain(fromApi.trim());
  });

  it('reports every problem of the file, a line each, and starts nothing', async () => {
    write('protocols:\n  http:\n    prot: 1\n    mocks:\n      - request: {path: "re:("}\nsede: 1\n');
    const { code, stdout, stderr } = await runCommand(['start'], { cwd: folder.path });
    expect([code, stdout]).toEqual([1, '']);
    const lines = stderr.trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^backlot\.yaml:3:5: protocols\.http\.prot: unknown .*"port"/);
    expect(lines[1]).toMatch(/^backlot\.yaml:5:\d+: protocols\.http\.mocks\[0\]\.request\.path: /);
    expect(lines[2]).toMatch(/^backlot\.yaml:6:1: sede: unknown .*"seed"/);
  });

  it.each([
    [['start', '-c', 'missing.yaml'], /^missing\.yaml: there is no such file/],
    [['start', '--http-port', 'x'], /^error: "x" is not a port/],
    [['start', '--htpp-port', '1'], /^error: protocol "htpp" is not installed; installed are http/],
    [['start', '--only', 'nothing'], /^error: protocol "nothing" is not installed/],
    [['start', '--plugin', 'no-such-package'], /^error: plugin "no-such-package" is not there/],
    [['start', '--colour'], /^error: unknown option '--colour'/],
    [['run', '--colour', '--', 'true'], /^error: unknown option '--colour'/],
    [
      ['run', '--workers', '2', '--', 'true'],
      /^error: --workers is for "backlot start": .*Start the servers with/,
    ],
    [['run', '--cluster=nats://127.0.0.1:1', '--', 'true'], /^error: --cluster is for "backlot start"/],
    [['run', '--cluster-name', 'x', '--', 'true'], /^error: --cluster is for "backlot start"/],
    [['strat'], /^error: unknown command 'strat'\n\(Did you mean start\?\)/],
  ])('%j is one clear message', async (args, message) => {
    const { code, stdout, stderr } = await runCommand(args, { cwd: folder.path });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  });

  it('ends with 1 and leaves nothing when a chosen port is in use', async () => {
    const taken = await takePort();
    const free = await takePort();
    await free.release();
    const args = ['start', ...ALL_FREE_PORTS, `--http-port=${free.port}`, `--tcp-port=${taken.port}`];
    const { code, stdout, stderr } = await runCommand(args, { cwd: folder.path });
    await taken.release();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^error: .*address already in use .*${taken.port}`));
    expect(stderr.trim().split('\n')).toHaveLength(1);
    await expect(open(`http://127.0.0.1:${free.port}`)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('names every port that is in use at once', async () => {
    const taken = [await takePort(), await takePort(), await takePort()];
    const [http = 0, tcp = 0, api = 0] = taken.map(({ port }) => port);
    const ports = [`--http-port=${http}`, `--tcp-port=${tcp}`, `--api-port=${api}`];
    // A default port that another program has is a warning, which is not what this is about.
    const args = ['start', ...ALL_FREE_PORTS, ...ports];
    const { code, stderr } = await runCommand(args, { cwd: folder.path });
    for (const { release } of taken) await release();
    expect([code, stderr]).toEqual([
      1,
      `error: address already in use localhost:${http} (http), localhost:${tcp} (tcp): stop what listens there, or choose other ports (0 takes a free one); the management port: address already in use localhost:${api}: stop what listens there, or choose another port (0 takes a free one)\n`,
    ]);
  });

  it('takes the file that is named, with -c or without', async () => {
    write('protocols: {tcp: {port: 0}}\napi: {port: 0}\n', 'other.yaml');
    write('protocols: {http: {port: 0}}\napi: {port: 0}\n');
    expect(Object.keys((await start(['other.yaml'])).urls)).toEqual(['tcp', 'api']);
    expect(Object.keys((await start(['-c', 'other.yaml'])).urls)).toEqual(['tcp', 'api']);
    const both = await start(['other.yaml', '-c', 'backlot.yaml', '--set', 'protocols.dns.port=0']);
    expect(Object.keys(both.urls)).toEqual(['http', 'tcp', 'dns', 'api']);
    const missing = await runCommand(['start', 'missing.yaml'], { cwd: folder.path });
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/^missing\.yaml: there is no such file/),
    ]);
  });

  it('says at the start when an active scenario patches what is not there', async () => {
    write(`${HELLO}scenarios:\n  - {id: outage, active: true, patches: [{mock_id: helo, status: 503}]}\n`);
    const server = await start([]);
    expect(server.errors()).toBe(
      'warning: scenarios: scenario "outage": /patches/0 there is no mock "helo"; the patch changes nothing until there is one\n',
    );
    const activated = await runCommand(['scenario', 'activate', 'outage', '--url', server.urls['api'] ?? '']);
    expect(activated).toEqual({
      code: 0,
      stdout: 'activated outage; active: outage\n',
      stderr: 'warning: /patches/0 there is no mock "helo"; the patch changes nothing until there is one\n',
    });
    const checked = await runCommand(['validate'], { cwd: folder.path });
    expect([checked.code, checked.stdout.split('\n')[0]]).toEqual([
      0,
      'backlot.yaml:15:43: scenarios[0].patches[0].mock_id: warning: there is no mock "helo"; the patch changes nothing until there is one; did you mean "hello"?',
    ]);
  });

  it('never moves the management port', async () => {
    const taken = await takePort();
    const { code, stderr } = await runCommand(['start', ...ALL_FREE_PORTS, `--api-port=${taken.port}`], {
      cwd: folder.path,
    });
    await taken.release();
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: .*address already in use .*${taken.port}`));
  });

  it('moves a default port that is in use, with one warning', async () => {
    // When another process has it already, the better.
    const taken = await takePort(8083).catch(() => undefined);
    const server = await start(['--only=tcp', '--api-port=0']);
    await taken?.release();
    expect(server.errors().trim().split('\n')).toEqual([expect.stringMatching(/^warning: tcp: .*8083/)]);
    expect(server.urls['tcp']).not.toBe('tcp://localhost:8083');
    const protocols = (await (await fetch(`${server.urls['api']}/api/protocols`)).json()) as {
      protocol: string;
      port?: number;
    }[];
    expect(protocols.find(({ protocol }) => protocol === 'tcp')?.port).toBe(
      Number(new URL(server.urls['tcp'] ?? '').port),
    );
  });

  it('asks for the token of the environment, and warns when it is open to others without one', async () => {
    const safe = await start([...FREE_PORTS, '--host=0.0.0.0', '--only=http'], {
      BACKLOT_API_TOKEN: 'secret',
    });
    expect(safe.errors()).toBe('');
    expect((await fetch(`${safe.urls['api']}/api/protocols`)).status).toBe(401);
    expect(
      (await fetch(`${safe.urls['api']}/api/protocols`, { headers: { authorization: 'Bearer secret' } }))
        .status,
    ).toBe(200);
    const open = await start([...FREE_PORTS, '--only=http'], { BACKLOT_HOST: '0.0.0.0' });
    expect(open.errors()).toMatch(/^warning: the management API on 0\.0\.0\.0 .*BACKLOT_API_TOKEN/);
  });

  it('serves the management API over TLS when asked to', async () => {
    write('api: {port: 0, tls: {self_signed: true}}\nprotocols: {http: {port: 0}}\n');
    const server = await start([]);
    expect(server.urls['api']).toMatch(/^https:/);
    const socket = await open(server.urls['api'] ?? '');
    socket.destroy();
    const { code, stderr } = await runCommand(['status', '--url', server.urls['api'] ?? ''], {
      cwd: folder.path,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('certificate')]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 soon after %s, whoever is connected',
    async (signal) => {
      write(HELLO);
      const server = await start(['--tcp-port=0']);
      const events = await fetch(`${server.urls['http']}/events`);
      const logs = await fetch(`${server.urls['api']}/api/logs/stream`);
      const sockets = await Promise.all(['http', 'tcp', 'api'].map((kind) => open(server.urls[kind] ?? '')));
      sockets.forEach((socket) => socket.on('error', () => undefined));
      sockets[0]?.write('POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
      server.child.kill(signal);
      // The connections would stay for ever, and so would the server that waits for them.
      const { code } = await server.ended;
      expect(code).toBe(0);
      sockets.forEach((socket) => socket.destroy());
      await Promise.allSettled([events.text(), logs.text()]);
      const again = await start([
        `--api-port=${new URL(server.urls['api'] ?? '').port}`,
        `--http-port=${new URL(server.urls['http'] ?? '').port}`,
      ]);
      expect(again.urls['http']).toBe(server.urls['http']);
    },
  );

  it('ends at once with a second signal', async () => {
    write(HELLO.replace('body: "Hello from {{vars.place}}"', 'delay: 1m'));
    const timeToEnd = async (...signals: readonly NodeJS.Signals[]): Promise<number> => {
      const server = await start([]);
      const waiting = fetch(`${server.urls['http']}/hello`).catch(() => undefined);
      const counted = `${server.urls['api']}/api/calls/http/hello/wait`;
      await fetch(counted, { method: 'POST', body: '{"count": 1}' });
      const started = performance.now();
      for (const signal of signals) server.child.kill(signal);
      expect((await server.ended).code).toBe(0);
      await waiting;
      return performance.now() - started;
    };
    // Alone, the first one gives the answer that waits its time.
    const alone = await timeToEnd('SIGTERM');
    expect(alone).toBeGreaterThan(GRACE);
    expect(await timeToEnd('SIGTERM', 'SIGINT')).toBeLessThan(alone - GRACE / 2);
  });
});
