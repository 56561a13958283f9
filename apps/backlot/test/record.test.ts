import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Protocol } from '@backlot/core';
import type { Finding } from '../src/cli/finding.js';
import { loadConfig } from '../src/cli/load-config.js';
import { writeFiles } from '../src/cli/run.js';
import { beginCheck, findUnverified, UnmatchedWatch } from '../src/cli/run-findings.js';
import { withUpstreamMode } from '../src/cli/upstream-modes.js';
import { UpstreamWatch } from '../src/cli/upstream-watch.js';
import type { FileSettings } from '../src/config/settings.js';
import { loadPlugins } from '../src/plugins/installed.js';
import { planServer } from '../src/server/plan.js';
import { startServer, type RunningServer } from '../src/server/start-server.js';
import { makeFolder, runCommand, type Ended } from './command.js';

let folder: ReturnType<typeof makeFolder>;
let upstream: Server;
let url = '';
let name = 'Ann';
let asked = 0;
let protocols: readonly Protocol[] = [];

beforeAll(async () => {
  folder = makeFolder();
  upstream = createServer((_request, response) => {
    asked += 1;
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ name, token: 'top-secret' }));
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  writeFileSync(
    join(folder.path, 'backlot.yaml'),
    `protocols:\n  http:\n    upstream: { url: "${url}", mode: spy }\n`,
  );
  const plugins = await loadPlugins([], (kind) => kind === 'http' || kind === 'tcp');
  protocols = plugins.map(({ protocol }) => protocol).filter(({ kind }) => kind === 'http' || kind === 'tcp');
});
afterAll(async () => {
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  folder.remove();
});

/** Runs a program that asks for these paths, and ends with a code. */
function asking(
  command: string,
  flags: readonly string[],
  paths: readonly string[],
  code = 0,
): Promise<Ended> {
  const script = `for (const path of ${JSON.stringify(paths)}) console.log(await (await fetch(process.env.HTTP_URL + path)).text()); process.exitCode = ${code}`;
  return runCommand([command, ...flags, '--', process.execPath, '--input-type=module', '-e', script], {
    cwd: folder.path,
  });
}

describe('a replay', () => {
  const settings = (mode: string): string =>
    `protocols:\n  http:\n    upstream: { url: '\${REAL_URL}', ca: '\${REAL_CA}', mode: ${mode} }\n    mocks: [{ id: 'recorded:a', request: { path: /a }, response: { body: kept } }]\n`;

  it.each([
    ['by the flag', settings('record_new'), ['--upstream', 'replay']],
    ['by the file', settings('replay'), []],
    ['by a setting', settings('spy'), ['--set', 'protocols.http.upstream.mode=replay']],
    [
      'of JSON',
      JSON.stringify({
        protocols: {
          http: {
            upstream: { url: '${REAL_URL}', mode: 'spy' },
            mocks: [{ id: 'recorded:a', request: { path: '/a' }, response: { body: 'kept' } }],
          },
        },
      }),
      ['--upstream', 'replay'],
    ],
  ])('needs no variable of the url of its upstream: %s', async (_how, text, flags) => {
    const file = text.startsWith('{') ? 'unset.json' : 'unset.yaml';
    writeFileSync(join(folder.path, file), text);
    expect(await asking('run', ['-c', file, ...flags], ['/a'])).toEqual({
      ...{ code: 0, stdout: 'kept\n', stderr: '' },
    });
  });

  it('is the only mode that does without it', async () => {
    writeFileSync(join(folder.path, 'unset.yaml'), settings('spy'));
    const ended = await asking('run', ['-c', 'unset.yaml'], ['/a']);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('no value for ${REAL_URL} (line 3); set it in the environment');
    expect(ended.stderr).toContain('no value for ${REAL_CA} (line 3)');
  });
});

describe('recording and replaying with the command', () => {
  it('records what a program asks for, replays it strictly, and says whether it is still true', async () => {
    const recorded = await asking(
      'run',
      ['--upstream', 'record_new', '--export', 'recorded.yaml'],
      ['/users/1', '/users/2'],
    );
    expect(recorded).toMatchObject({ code: 0, stderr: '' });
    expect(asked).toBe(2);
    const file = join(folder.path, 'recorded.yaml');
    expect(readFileSync(file, 'utf8')).toContain('id: recorded:get-users-1');
    expect(readFileSync(file, 'utf8')).not.toContain('top-secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);

    // What cannot be written takes neither the exit code nor what was found away.
    mkdirSync(join(folder.path, 'taken'));
    const replayed = await asking(
      'run',
      [
        ...['-c', 'recorded.yaml', '--upstream', 'replay', '--export', 'taken', '--logs', 'taken'],
        ...['--junit', 'replay.xml'],
      ],
      ['/users/1', '/users/3'],
      7,
    );
    expect(replayed.code).toBe(7);
    expect(replayed.stdout).toMatch(/^\{"name":"Ann","token":"REDACTED"\}\n/);
    expect(replayed.stderr).toMatch(/error: http: 1 message was not recorded:\n {2}.*GET \/users\/3/);
    expect(replayed.stderr).toContain('error: http: nobody used 1 recording:\n  recorded:get-users-2\n');
    expect(replayed.stderr).toMatch(/error: cannot write taken: .*\nerror: taken cannot be written: /);
    expect(readFileSync(join(folder.path, 'replay.xml'), 'utf8')).toContain('tests="5" failures="5"');
    expect(asked).toBe(2);

    name = 'Bob';
    const different = await asking(
      'verify-upstream',
      ['-c', 'backlot.yaml', '-c', 'recorded.yaml', '--junit', 'report.xml'],
      ['/users/1'],
    );
    name = 'Ann';
    expect(different.code).toBe(1);
    expect(different.stdout).toContain('"Ann"');
    expect(different.stderr).toMatch(
      /error: http: the upstream answers 1 message of 1 otherwise than the mocks:\n {2}.*GET \/users\/1.*\n {4}body \/name: the mock has "Ann", the upstream "Bob"\n/,
    );
    expect(readFileSync(join(folder.path, 'report.xml'), 'utf8')).toContain('failures="1"');
  });
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A server as `backlot run` has it, and what it has to say at the end. */
async function start(
  http: object,
  more: Omit<FileSettings, 'protocols'> = {},
): Promise<RunningServer & { ask(path: string, space?: string): Promise<void>; say(): readonly Finding[] }> {
  const settings = { ...more, protocols: { http } } as FileSettings;
  const plan = planServer(settings, protocols, { freePorts: true, ui: false });
  const server = await startServer({ plan, protocols, version: '1', log: () => undefined });
  cleanups.push(() => server.stop());
  const watch = new UpstreamWatch(server.host, plan.host.settings, new Set(['shop:unknown']));
  cleanups.push(() => watch.stop());
  return Object.assign(server, {
    async ask(path: string, space?: string) {
      const headers = space === undefined ? {} : { 'Backlot-Space': space };
      await (await fetch(`${server.host.kind('http').url}${path}`, { headers })).text();
    },
    say: () => watch.findings(),
  });
}

function mock(id: string, path: string, json: object = { name: 'Ann' }): object {
  return { id, request: { path }, response: { json } };
}

async function post(server: RunningServer, path: string, body?: object): Promise<void> {
  const answer = await fetch(`${server.apiUrl}/api${path}`, {
    method: 'POST',
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
}

function problemsOf(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ problems }) => problems);
}

describe('what is said after a command', () => {
  const diff = (): object => ({
    upstream: { url, mode: 'diff' },
    mocks: [mock('a', '/a', { name: 'Eve' }), mock('b', '/b', { name: 'Ann', token: 'REDACTED' })],
  });
  const replay = {
    upstream: { mode: 'replay' },
    mocks: [
      mock('recorded:a', '/a'),
      mock('recorded:b', '/b'),
      mock('by-hand', '/c'),
      mock('shop:unknown', '/shop/*'),
    ],
  };

  it.each([
    ['a reset', (server: RunningServer) => post(server, '/reset')],
    ['a cleared log', async (server: RunningServer) => server.host.journal.clear()],
  ])('has the differences from before %s', async (_what, forget) => {
    const server = await start(diff());
    await server.ask('/a');
    await forget(server);
    await server.ask('/b');
    const [finding, ...others] = server.say();
    expect(others).toEqual([]);
    expect(finding?.name).toBe('http: the upstream answers as the mocks do (2 compared)');
    expect(finding?.problems).toEqual([
      'http: the upstream answers 1 message of 2 otherwise than the mocks:',
      expect.stringMatching(/^ {2}.*GET \/a 200 .*-> a$/),
      expect.stringMatching(/^ {4}body \/name: the mock has "Eve", the upstream "Ann"$/),
      expect.stringMatching(/^ {4}body \/token: /),
    ]);
  });

  it('has what met no mock, and what was expected, from before a reset', async () => {
    const server = await start({ mocks: [mock('a', '/a'), mock('shop:unknown', '/shop/*')] });
    const unmatched = new UnmatchedWatch(server.host, new Set(['shop:unknown']));
    cleanups.push(() => unmatched.stop());
    const file = join(folder.path, 'check.json');
    writeFileSync(file, '{"expect": [{"http": {"path": "/a"}, "times": 2}], "nothing_else": ["http"]}');
    const check = await beginCheck(file, server);
    for (const path of ['/a', '/none', '/shop/x']) await server.ask(path);
    await post(server, '/reset');
    await server.ask('/a');
    await server.host.spaces.create({ id: 'one' });
    await server.ask('/none', 'one');
    expect(unmatched.finding().problems).toEqual([
      '3 messages met no mock:',
      expect.stringMatching(/GET \/none 404/),
      expect.stringMatching(/GET \/shop\/x 200/),
      expect.stringContaining('[one] http GET /none'),
    ]);
    const [expected, others] = await findUnverified(check);
    expect(expected?.problems).toEqual([]);
    expect(others?.problems).toEqual([
      'not as expected: nothing else of http',
      expect.stringContaining('/none'),
      expect.stringContaining('/shop/x'),
    ]);
    writeFileSync(file, '{"expect": 7}');
    await expect(beginCheck(file, server)).rejects.toThrow(file);
  });

  it('has what the bound of the log has dropped, and lists no more than fifty', async () => {
    const server = await start(diff(), { logs: { max_entries: 2 } });
    for (let count = 0; count < 60; count += 1) await server.ask(`/a?count=${count}`);
    const problems = problemsOf(server.say());
    expect(problems[0]).toBe('http: the upstream answers 60 messages of 60 otherwise than the mocks:');
    expect(problems.at(-1)).toBe('  and 10 more');
    expect(problems).toHaveLength(1 + 50 * 3 + 1);
  });

  it('has what spaces have received, also those that have ended', async () => {
    const server = await start(diff());
    for (const id of ['ended', 'there']) {
      await server.host.spaces.create({ id });
      await server.ask('/a', id);
    }
    await server.host.spaces.remove('ended');
    expect(problemsOf(server.say())).toEqual(
      expect.arrayContaining([
        'http: the upstream answers 2 messages of 2 otherwise than the mocks:',
        expect.stringContaining('[ended] http GET /a'),
        expect.stringContaining('[there] http GET /a'),
      ]),
    );
  });

  it('is that nothing was compared, when nothing was', async () => {
    const server = await start(diff());
    await server.ask('/other');
    expect(problemsOf(server.say())).toEqual([
      'http: nothing was compared, since no mock has answered a message',
    ]);
  });

  it('is that all is well in a replay that has used all recordings, whatever came then', async () => {
    const server = await start(replay);
    await server.ask('/a');
    await server.host.spaces.create({ id: 'one' });
    await server.ask('/b', 'one');
    await post(server, '/reset');
    expect(server.say()).toEqual([
      { name: 'http: every message was recorded', problems: [] },
      { name: 'http: every recording was used', problems: [] },
    ]);
  });

  it('names what a replay has lacked before a reset, and recordings alone as not used', async () => {
    const server = await start(replay);
    for (const path of ['/a', '/none', '/shop/x']) await server.ask(path);
    await post(server, '/reset');
    expect(problemsOf(server.say())).toEqual([
      'http: 2 messages were not recorded:',
      expect.stringMatching(/GET \/none 404 .*closest /),
      expect.stringMatching(/GET \/shop\/x 200 .*-> shop:unknown/),
      'http: nobody used 1 recording:',
      '  recorded:b',
    ]);
  });
});

describe('a file of recordings', () => {
  it('has the recordings alone, is for its owner, and replays by itself and beside other files', async () => {
    const server = await start(
      {
        upstream: { url, mode: 'record_new' },
        mocks: [mock('by-hand', '/mine', { key: 'value-of-the-environment' })],
      },
      { vars: { password: 'value-of-the-environment' } },
    );
    for (const path of ['/mine', '/users/7']) await server.ask(path);
    const file = join(folder.path, 'others.yaml');
    writeFileSync(file, 'old');
    chmodSync(file, 0o644);
    expect(await writeFiles({ export: file, logs: undefined }, server)).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('value-of-the-environment');
    for (const files of [[file], [join(folder.path, 'backlot.yaml'), file]]) {
      const config = await loadConfig(files);
      const { http } = withUpstreamMode(config.settings, config.protocols, 'replay').protocols ?? {};
      expect(http).toMatchObject({ upstream: { mode: 'replay' }, mocks: [{ id: 'recorded:get-users-7' }] });
    }
  });

  it('is not written without a recording, which is said', async () => {
    const server = await start({ mocks: [mock('by-hand', '/mine')] });
    const file = join(folder.path, 'no-recording.yaml');
    expect(problemsOf(await writeFiles({ export: file, logs: undefined }, server))).toEqual([
      `there is no recording, so that ${file} was not written; --upstream record_new records what the upstream answers`,
    ]);
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });
});

describe('another mode for every upstream', () => {
  const http = { upstream: { url: 'http://localhost:1', mode: 'spy' } };
  const tcp = { upstream: { url: 'tcp://localhost:1', mode: 'passthrough' } };
  it.each([
    ['diff', { http: {}, tcp: {} }, undefined, /^no protocol that starts has an upstream; give one a url, /],
    ['diff', { tcp }, undefined, /^tcp cannot do diff with an upstream$/],
    [
      'diff',
      { http, tcp: {} },
      ['tcp'],
      /^--only tcp leaves out http, which diff would be for; name it as well, as in --only tcp,http$/,
    ],
    ['passthrough', { http, tcp: {} }, ['tcp'], /^--only tcp leaves out http, which passthrough would be /],
    ['replay', { http: { mocks: [mock('by-hand', '/')] } }, undefined, /^there is nothing to replay; /],
  ] as const)('%s of %j with --only %j is refused', (mode, blocks, only, message) => {
    const settings = { protocols: blocks } as unknown as FileSettings;
    expect(() => withUpstreamMode(settings, protocols, mode, only)).toThrow(message);
  });
});
