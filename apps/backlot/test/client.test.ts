import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INSTALLED_PROTOCOLS } from '../src/installed.generated.js';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  FREE_PORTS,
  follow,
  makeFolder,
  runCommand,
  startCommand,
  type Ended,
  type StartedServer,
  useOneProcess,
} from './command.js';

const KINDS: readonly string[] = INSTALLED_PROTOCOLS.map(({ kind }) => kind);

const CONFIG = `protocols:
  http:
    mocks:
      - id: hello
        request: {method: GET, path: /hello}
        response: {body: Hello}
  tcp: {}
scenarios:
  - id: outage
    name: Nothing works
    patches: [{mock_id: hello, status: 503}]
state: {mode: day}
`;

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
beforeAll(async () => {
  folder = makeFolder();
  writeFileSync(join(folder.path, 'backlot.yaml'), CONFIG);
  server = await startCommand(FREE_PORTS, { cwd: folder.path, env: { BACKLOT_API_TOKEN: 'secret' } });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

const runTogether = useOneProcess();
const environment = (): Record<string, string> => ({
  BACKLOT_URL: server.urls['api'] ?? '',
  BACKLOT_API_TOKEN: 'secret',
});

async function run(args: readonly string[], input?: string): Promise<Ended> {
  const options = { cwd: folder.path, env: environment() };
  return input === undefined ? runTogether(args, options) : runCommand(args, { ...options, input });
}

async function succeed(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(args, input);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

async function json(args: readonly string[], input?: string): Promise<unknown> {
  return JSON.parse(await succeed([...args, '--json'], input)) as unknown;
}

async function get(path: string): Promise<[number, string]> {
  const response = await fetch(`${server.urls['http']}${path}`);
  return [response.status, await response.text()];
}

describe('the server', () => {
  it('status', async () => {
    expect(await succeed(['status'])).toMatch(
      /^Backlot \d.*: ok, up \d+ s\nPROTOCOL +STATE +ADDRESS .*\nhttp +running +localhost:\d+ +1 /,
    );
    expect(await json(['status'])).toMatchObject({
      health: { status: 'ok' },
      protocols: KINDS.map((protocol) => ({ protocol })),
    });
  });

  it('reset', async () => {
    await succeed(['state', 'set', 'mode', 'night']);
    expect(await succeed(['reset'])).toBe('reset\n');
    expect(await succeed(['state', 'get', 'mode'])).toBe('day\n');
  });
});

describe('spaces', () => {
  it('are made, shown, used and ended', async () => {
    expect(await succeed(['spaces'])).toBe('no spaces\n');
    expect(
      await succeed(['spaces', 'create', 't1', '--protocols', 'http', '--ttl', '5m', '--seed', '7']),
    ).toMatch(/^t1 ends at \S+Z, unless it is used before\nPROTOCOL +URL\nhttp +http:\/\/localhost:\d+\n$/);
    expect(await json(['spaces', 'show', 't1'])).toMatchObject({
      id: 't1',
      seed: 7,
      protocols: { http: {} },
    });
    expect(await succeed(['spaces', 'list'])).toMatch(/^ID .*\nt1 .* http\n$/);
    await succeed(['state', 'set', 'mode', 'night', '--space', 't1']);
    expect(await succeed(['state', 'get', 'mode', '--space', 't1'])).toBe('night\n');
    expect(await succeed(['state', 'get', 'mode'])).toBe('day\n');
    await succeed(['reset', '--space', 't1']);
    expect(await succeed(['state', 'get', 'mode', '--space', 't1'])).toBe('day\n');
    const { protocols } = (await json(['spaces', 'show', 't1'])) as { protocols: { http: { url: string } } };
    await fetch(`${protocols.http.url}/of-space`);
    for (const space of ['t1', '*', 't*'])
      expect(await succeed(['logs', '--space', space])).toMatch(
        /^\d\d:\d\d:\d\d\.\d{3} \[t1\] http GET \/of-space 404 .*\n$/,
      );
    expect(await json(['logs', '--space', '', '--where', 'path=/of-*'])).toMatchObject([{ space: 't1' }]);
    expect((await run(['logs', '--space', 't9'])).stderr).toMatch(/^error: there is no space "t9"/);
    expect((await run(['logs', '--space', '*', '--after', '1'])).stderr).toMatch(
      /^error: .*name one space, or ask by "since"/,
    );
    expect(await succeed(['spaces', 'end', 't1'])).toBe('ended t1\n');
    expect((await run(['state', 'get', '--space', 't1'])).stderr).toMatch(
      /^error: the space "t1" is gone: it was deleted/,
    );
  });
});

describe('mocks', () => {
  it('list', async () => {
    expect(await succeed(['list'])).toMatch(/^PROTOCOL +ID +MOCK\nhttp +hello +request=/);
    expect(await json(['list', 'http'])).toMatchObject([{ id: 'hello' }]);
    expect(await succeed(['list', 'tcp'])).toBe('no mocks\n');
  });

  it('add from an argument, a file and standard input; delete', async () => {
    expect(
      await succeed([
        'add',
        'http',
        '{"id": "one", "request": {"path": "/one"}, "response": {"status": 201}}',
      ]),
    ).toBe('created one\n');
    writeFileSync(join(folder.path, 'two.yaml'), 'id: two\nrequest: {path: /two}\n');
    expect(await succeed(['add', 'http', 'two.yaml'])).toBe('created two\n');
    expect(
      await succeed(
        ['add', 'http'],
        '[{"id": "three", "request": {"path": "/3"}}, {"id": "four", "request": {"path": "/4"}}]',
      ),
    ).toBe('created three\ncreated four\n');
    expect(await json(['add', 'http', '-'], 'id: a/b %\nrequest: {path: /5}')).toMatchObject({ id: 'a/b %' });
    expect((await get('/one'))[0]).toBe(201);
    for (const id of ['one', 'two', 'three', 'four', 'a/b %'])
      expect(await succeed(['delete', 'http', id])).toBe(`deleted ${id}\n`);
    expect((await get('/one'))[0]).toBe(404);
  });

  it.each([
    [
      ['add', 'http', '{"request": {"path": "/a"}, "response": {"status": 9}}'],
      /^error: .*\/response\/status/,
    ],
    [['add', 'http', 'nowhere.yaml'], /^error: there is no file "nowhere\.yaml"/],
    [['add', 'http', '{"a": '], /^error: this is no mock: /],
    [['add', 'nothing', '{}'], /^error: .*nothing/],
    [['delete', 'http', 'nothing'], /^error: .*"nothing"/],
    [['list', 'dns', '--url', 'nonsense'], /^error: "nonsense" is not the url of a server/],
    [
      ['status', '--url', 'http://127.0.0.1:1'],
      /^error: no server at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\); start one/,
    ],
    [['status', '--token', 'wrong'], /^error: .*token/i],
    [['scenario', 'activate', 'nothing'], /^error: .*"nothing"/],
    [['fault', 'set', 'http', '{"status": "x"}'], /^error: .*\/status/],
    [['state', 'get', 'nothing'], /^error: there is no state "nothing"/],
    [['state', 'set', 'a', 'b', '--ttl', 'soon'], /^error: .*soon/],
    [['spaces', 'create', 'T 1'], /^error: .*space \/id/],
    [['spaces', 'create', '--protocols', 'http,gopher'], /^error: .*gopher/],
    [['spaces', 'create', '--ttl', 'soon'], /^error: .*soon/],
    [['spaces', 'end', 'nothing'], /^error: there is no space "nothing"; POST \/api\/spaces makes one\n$/],
    [['list', '--space', 'nothing'], /^error: there is no space "nothing"/],
    [['list', '--space', 'a b'], /^error: "a b" is not the id of a space, which has 1 to 63/],
    [['health', '--space', 't1'], /^error: unknown option '--space'/],
    [['state', 'delete'], /^error: give either a key or --prefix/],
    [['snapshot', 'restore', 'nothing'], /^error: .*nothing/],
    [['status', '--ca', 'missing.pem'], /^error: --ca: cannot read missing\.pem: there is no such file/],
    [['status', '--ca', 'backlot.yaml'], /^error: --ca: backlot\.yaml holds no certificate as PEM: /],
  ])('%j is an error of one line', async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('explain', async () => {
    expect(await succeed(['explain', 'http', '{"method": "GET", "path": "/hello"}'])).toMatch(
      /^matched: hello\n/,
    );
    expect(await json(['explain', 'http'], 'method: GET\npath: /nope')).toMatchObject({
      outcome: 'unmatched',
      others: [{ mock_id: 'hello' }],
    });
    expect(await succeed(['explain', 'http', '{"method": "GET", "path": "/nope"}'])).toMatch(
      /\n {2}not hello: .*\/hello/,
    );
  });

  it('apply adds and changes, and changes nothing when the file is wrong', async () => {
    writeFileSync(
      join(folder.path, 'more.yaml'),
      `protocols:
  http:
    mocks:
      - id: hello
        request: {path: /hello}
        response: {body: Goodbye}
      - id: more
        request: {path: /more}
scenarios:
  - id: outage
    patches: [{mock_id: hello, status: 500}]
    active: true
  - id: fresh
    patches: []
state: {mode: evening}
`,
    );
    expect(await succeed(['apply', '-f', 'more.yaml'])).toBe(
      [
        'http: 1 added, 1 changed, 0 removed, 0 unchanged',
        'scenarios: 1 added, 1 changed, 0 removed, 0 unchanged',
        'scenarios: activated outage',
        'state: 0 added, 1 changed, 0 unchanged',
        '',
      ].join('\n'),
    );
    expect(await get('/hello')).toEqual([500, 'Goodbye']);
    expect(await succeed(['state', 'get', 'mode'])).toBe('evening\n');
    writeFileSync(
      join(folder.path, 'wrong.yaml'),
      'protocols: {http: {mocks: [{id: hello, request: {path: 3, pat: 1}}]}}\n',
    );
    expect(await run(['apply', '-f', 'wrong.yaml'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^wrong\.yaml:1:\d+: .*\.pat: unknown/),
    });
    expect((await get('/hello'))[0]).toBe(500);
    await succeed(['reset']);
    expect(await get('/hello')).toEqual([200, 'Hello']);
  });
});

describe('the journal', () => {
  it('logs with filters', async () => {
    await succeed(['reset']);
    await get('/hello');
    await get('/nope');
    const lines = (await succeed(['logs'])).trim().split('\n');
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} http GET \/hello 200 \d+ms -> hello$/);
    expect(lines[1]).toMatch(/http GET \/nope 404 \d+ms -> no mock \(closest hello: /);
    expect(await json(['logs', '--unmatched'])).toMatchObject([{ path: '/nope' }]);
    expect(await json(['logs', '--matched-id', 'hello', '--protocol', 'http', '--limit', '1'])).toMatchObject(
      [{ path: '/hello' }],
    );
    expect(await json(['logs', '--protocol', 'tcp'])).toEqual([]);
    const where = ['--where', 'path=/n*', '--where', 'status=4*'];
    expect(await json(['logs', ...where])).toMatchObject([{ path: '/nope' }]);
    expect(await json(['logs', ...where, '--where', 'since=2100-01-01'])).toEqual([]);
  });

  it('logs -f of a space ends with it', async () => {
    await succeed(['spaces', 'create', 'f1']);
    const following = follow(['logs', '-f', '--space', 'f1'], { env: environment() });
    let isThere = false;
    const seen = following.until(/\[f1\] http GET \/hello/).then(() => (isThere = true));
    while (!isThere)
      await fetch(`${server.urls['http']}/hello`, {
        headers: { 'Backlot-Space': 'f1', Connection: 'close' },
      });
    await seen;
    await succeed(['spaces', 'end', 'f1']);
    await following.ended;
  });

  it('logs -f goes on, and ends with the server or a signal', async () => {
    const following = follow(['logs', '-f', '--json', '--unmatched'], { env: environment() });
    // The stream has begun when something comes: ask until it does.
    let isThere = false;
    const seen = following.until(/"path":"\/live"/).then(() => (isThere = true));
    while (!isThere) {
      await get('/hello');
      await get('/live');
    }
    await seen;
    expect(following.output()).not.toContain('"path":"/hello"');
    following.child.kill('SIGINT');
    await following.ended;
  });
});

describe('scenarios, faults, state, snapshots', () => {
  it('scenario list, show, activate, deactivate', async () => {
    expect(await succeed(['scenario', 'list'])).toMatch(
      /^ID +ACTIVE +WHAT IT IS\noutage +no +Nothing works\n$/,
    );
    expect(await succeed(['scenario', 'activate', 'outage'])).toBe('activated outage; active: outage\n');
    expect(await get('/hello')).toEqual([503, 'Hello']);
    expect(await json(['scenario', 'list'])).toMatchObject([{ id: 'outage', active: true }]);
    expect(JSON.parse(await succeed(['scenario', 'show', 'outage']))).toMatchObject({
      id: 'outage',
      active: true,
    });
    expect(await succeed(['scenario', 'deactivate', 'outage'])).toBe('deactivated outage; active: none\n');
    expect((await get('/hello'))[0]).toBe(200);
  });

  it('fault set, get, clear', async () => {
    expect(JSON.parse(await succeed(['fault', 'set', 'http', '{"status": 418}']))).toEqual({ status: 418 });
    expect((await get('/hello'))[0]).toBe(418);
    expect(JSON.parse(await succeed(['fault', 'get']))).toEqual({ http: { status: 418 } });
    expect(await succeed(['fault', 'clear', 'http'])).toBe('cleared the fault of http\n');
    expect(JSON.parse(await succeed(['fault', 'get', 'http']))).toBeNull();
    expect(await succeed(['fault', 'clear'])).toBe('cleared all faults\n');
    expect((await get('/hello'))[0]).toBe(200);
  });

  it('state set, get, delete', async () => {
    await succeed(['state', 'set', 'a/b c', 'x y']);
    await succeed(['state', 'set', 'a/d', 'z', '--ttl', '1h']);
    expect(await succeed(['state', 'get', 'a/b c'])).toBe('x y\n');
    expect(await json(['state', 'get'])).toEqual({ mode: 'day', 'a/b c': 'x y', 'a/d': 'z' });
    expect(await succeed(['state', 'delete', 'a/b c'])).toBe('deleted a/b c\n');
    expect(await succeed(['state', 'delete', '--prefix', 'a/'])).toBe('deleted 1\n');
    expect(await succeed(['state', 'get'])).toMatch(/^KEY +VALUE\nmode +day\n$/);
  });

  it('snapshot create, list, restore, delete', async () => {
    const { id } = (await json(['snapshot', 'create', 'before'])) as { id: string };
    await succeed(['state', 'set', 'mode', 'night']);
    expect(await succeed(['snapshot', 'list'])).toMatch(
      new RegExp(`^ID +CREATED +NAME\\n${id} +\\S+ +before\\n$`),
    );
    expect(await succeed(['snapshot', 'restore', id])).toBe(`restored ${id}\n`);
    expect(await succeed(['snapshot', 'restore', 'before'])).toBe('restored before\n');
    expect(await succeed(['state', 'get', 'mode'])).toBe('day\n');
    expect(await succeed(['snapshot', 'delete', id])).toBe(`deleted ${id}\n`);
    expect(await json(['snapshot', 'list'])).toEqual([]);
  });
});

describe('connections', () => {
  it('are listed and closed', async () => {
    const { port } = new URL((server.urls['tcp'] ?? '').replace('tcp:', 'http:'));
    const socket = connect(Number(port), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    let list: unknown = [];
    while (Array.isArray(list) && list.length === 0) list = await json(['connections', 'tcp']);
    expect(list).toEqual([expect.objectContaining({ bytes_in: 0, bytes_out: 0 })]);
    expect(await succeed(['connections', 'list', 'tcp'])).toMatch(/^ID +REMOTE/);
    expect(await succeed(['connections', 'close', 'tcp', '--user', 'ada'])).toBe('closed 0 connections\n');
    expect(await succeed(['connections', 'close', 'tcp', '--how', 'reset'])).toBe('closed 1 connection\n');
    await closed;
    expect((await run(['connections', 'close', 'tcp', '--how', 'slowly'])).code).not.toBe(0);
  });
});
