import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { formatTable } from '../src/cli/table.js';
import {
  makeFolder,
  runCommand,
  startCommand,
  useOneProcess,
  type Ended,
  type RunCommand,
  type StartedServer,
} from './command.js';

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
const runTogether = useOneProcess();
beforeAll(async () => {
  folder = makeFolder();
  writeFileSync(
    join(folder.path, 'backlot.yaml'),
    `api: {port: 0}
protocols:
  http:
    port: 0
    mocks: [{id: hello, request: {path: /hello}, response: {body: Hello}}]
  smtp: {port: 0}
collections: {pets: {rows: [{id: a, name: Rex}]}}
`,
  );
  server = await startCommand([], { cwd: folder.path });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

function runBy(way: RunCommand, args: readonly string[]): Promise<Ended> {
  return way(args, { cwd: folder.path, env: { BACKLOT_URL: server.urls['api'] ?? '' } });
}

const run = (...args: string[]): Promise<Ended> => runBy(runTogether, args);

function sendMail(): Promise<void> {
  const { hostname, port } = new URL(server.urls['smtp'] ?? '');
  const lines = [
    'EHLO me',
    'MAIL FROM:<a@x.test>',
    'RCPT TO:<b@x.test>',
    'DATA',
    'Subject: Hi\r\n\r\nText\r\n.',
    'QUIT',
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.on('data', (data: Buffer) => {
      // The last line of an answer has a space behind its code.
      if (!/^\d{3} /m.test(data.toString())) return;
      const line = lines.shift();
      if (line !== undefined) socket.write(`${line}\r\n`);
    });
    socket.once('close', () => resolve());
    socket.once('error', reject);
  });
}

describe('commands that are one request each', () => {
  it('list, wait for and clear calls', async () => {
    await fetch(`${server.urls['http']}/hello`);
    const { stdout } = await runBy(runCommand, ['calls', 'http', 'hello']);
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ID +TIMESTAMP +METHOD +PATH +STATUS +DURATION_MS +REMOTE$/),
      expect.stringMatching(/^1 +\S+ +GET +\/hello +200 +\d+ +127\.0\.0\.1:\d+$/),
    ]);
    const late = await run('calls', 'wait', 'http', 'hello', '--count', '2', '--timeout', '10ms');
    expect([late.code, late.stderr]).toEqual([1, expect.stringMatching(/^error: .*1.*2|^error: .*2.*1/)]);
    expect((await run('calls', 'clear', 'http')).stdout).toBe('cleared\n');
    expect((await run('calls', 'http', 'hello')).stdout).toBe('none\n');
  });

  it('show captured messages', async () => {
    await sendMail();
    expect((await run('messages', 'wait', 'smtp')).code).toBe(0);
    expect((await run('messages', 'smtp')).stdout).toMatch(/ SUBJECT .*\n.* Hi +/);
    const [mail] = JSON.parse((await run('messages', 'smtp', '--json')).stdout) as { id: string }[];
    expect(JSON.parse((await run('messages', 'show', 'smtp', mail?.id ?? '')).stdout)).toMatchObject({
      subject: 'Hi',
    });
    expect((await run('messages', 'http')).stderr).toMatch(
      /^error: http captures no messages; "backlot logs/,
    );
  });

  it('move the clock, and change collections', async () => {
    const before = JSON.parse((await run('clock')).stdout) as { now: string };
    const after = JSON.parse((await run('clock', 'advance', '2h')).stdout) as { now: string };
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(7_200_000);
    expect((await run('collection')).stdout).toBe('NAME  KEY  ROWS\npets  id   1\n');
    expect((await run('collection', 'add', 'pets', '{id: b, name: Tom}')).code).toBe(0);
    expect((await run('collection', 'delete', 'pets', 'a')).stdout).toBe('deleted\n');
    expect(JSON.parse((await run('collection', 'show', 'pets')).stdout)).toEqual([{ id: 'b', name: 'Tom' }]);
  });

  it('list webhooks and streams', async () => {
    expect((await run('webhooks')).stdout).toBe('none\n');
    expect((await run('push', 'list', '--json')).stdout).toBe('[]\n');
    expect((await run('push', 'http', '{}')).stderr).toBe(
      'error: give either --stream or --mock; "backlot push list" shows the open streams\n',
    );
  });
});

describe('every command that talks to a server', () => {
  it('answers as JSON when it is asked to, also where it says one line to people', async () => {
    const json = async (...args: string[]): Promise<unknown> => {
      const { stdout, stderr, code } = await run(...args, '--json');
      expect([stderr, code]).toEqual(['', 0]);
      return JSON.parse(stdout) as unknown;
    };
    await run('add', 'http', '{id: other, request: {path: /other}, response: {}}');
    expect(await json('delete', 'http', 'other')).toMatchObject({});
    expect(await json('fault', 'set', 'http', '{status: 500}')).toMatchObject({ status: 500 });
    expect(await json('fault', 'get', 'http')).toMatchObject({ status: 500 });
    expect(await json('fault', 'clear', 'http')).toEqual(expect.anything());
    expect(await json('state', 'set', 'k', 'v')).toMatchObject({ k: 'v' });
    expect(await json('state', 'delete', '--prefix', 'k')).toMatchObject({ deleted: 1 });
    const { id } = (await json('snapshot', 'create', 'x')) as { id: string };
    expect(await json('snapshot', 'restore', id)).toEqual(expect.anything());
    expect(await json('snapshot', 'delete', id)).toEqual(expect.anything());
    expect(await json('connections', 'close', 'http')).toMatchObject({ closed: expect.any(Number) });
    expect(await json('incident', 'stop')).toEqual(expect.anything());
    expect(await json('calls', 'clear', 'http')).toEqual(expect.anything());
    expect(await json('spaces', 'create', 'mine')).toMatchObject({ id: 'mine' });
    expect(await json('spaces', 'end', 'mine')).toEqual(expect.anything());
    writeFileSync(
      join(folder.path, 'more.yaml'),
      'protocols: {http: {mocks: [{id: more, request: {path: /more}, response: {body: a}}]}}\n',
    );
    const change = { path: '/api/mocks/http', after: expect.anything() };
    expect(await json('apply', 'more.yaml', '--dry-run')).toMatchObject({
      applied: false,
      changes: [change],
    });
    expect(await json('apply', 'more.yaml')).toMatchObject({ applied: true, changes: [change] });
    expect(await json('apply', 'more.yaml')).toEqual({ applied: true, changes: [] });
    expect(await json('reset')).toEqual(expect.anything());
    expect(await json('list', 'http')).toMatchObject([{ id: 'hello' }]);
  });

  it('cuts the widest columns of a table until it fits, and no others', () => {
    const rows = [
      ['1', 'x'.repeat(100), '\u001b[2J', 'y'.repeat(60)],
      ['2', 'short', 'b', 'z'],
    ];
    const lines = formatTable(['id', 'path', 'who', 'body'], rows, 80);
    expect(lines).toEqual([
      `ID  PATH${' '.repeat(29)}WHO        BODY`,
      `1   ${'x'.repeat(28)}...  \\u001b[2J  ${'y'.repeat(28)}...`,
      `2   short${' '.repeat(28)}b          z`,
    ]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(formatTable(['id', 'path'], [['1', 'x'.repeat(100)]], Infinity)[1]).toHaveLength(104);
  });
});
