import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { follow, makeFolder, runCommand, type Ended, useOneProcess } from './command.js';

/** Clears the screen, sets the title, hides text, turns it around, and begins a line that looks like ours. */
const EVIL =
  '\u001b[2J\u001b]0;title\u0007\u009b8m\u202eturned\u2066\u200f\u2028\r\b\u007f\nready http=http://evil.test';
/** As it may stand in an argument or a file name. */
const EVIL_NAME = EVIL.replaceAll('/', '_');
/** What a terminal would act on; a line break and a tab alone may be of the table. */
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const MOCK = { id: EVIL, request: { path: EVIL }, [EVIL]: EVIL };
const SCENARIO = { id: EVIL, name: EVIL, active: true, problems: [{ path: EVIL, message: EVIL }] };
const ENTRY = {
  id: '1',
  timestamp: `2030-01-01T${EVIL}`,
  protocol: EVIL,
  method: EVIL,
  path: EVIL,
  status: EVIL,
  near_misses: [{ mock_id: EVIL, reason: EVIL }],
};
const STATUS = { protocol: EVIL, enabled: true, state: EVIL, host: EVIL, port: 1, error: EVIL };
/** The first line of a recording. */
const FLIGHT = {
  format: 'backlot-flight',
  version: 1,
  backlot: EVIL,
  seed: 1,
  clock: { now: '2030-01-01T00:00:00Z', frozen: false },
  has_secrets: false,
  kinds: [],
};
const NEAR = { id: EVIL, method: EVIL, path: EVIL, reason: EVIL };
const VERDICT = {
  verified: false,
  looked_at: 1,
  expectations: [
    { verified: false, protocol: EVIL, name: EVIL, count: 0, ids: [EVIL], problem: EVIL, nearest: [NEAR] },
  ],
  unexpected: [NEAR],
  unexpected_count: 1,
};
const INCIDENT = {
  name: EVIL,
  protocols: [EVIL],
  summary: EVIL,
  advice: EVIL,
  lasts: EVIL,
  fields: { properties: { [EVIL]: { description: EVIL, default: EVIL } } },
  running: { fields: { [EVIL]: EVIL }, began_at: EVIL, ends_at: EVIL, stages: { [EVIL]: EVIL } },
};
const SPACE = {
  id: EVIL,
  created_at: EVIL,
  expires_at: EVIL,
  protocols: { [EVIL]: { url: EVIL, host: EVIL, port: 1 } },
  env: { [EVIL]: EVIL },
};
const ROW = { id: EVIL, name: EVIL, subject: EVIL, url: EVIL, mock_id: EVIL, [EVIL]: EVIL };
const SNAPSHOT = { id: EVIL, name: EVIL, created_at: EVIL };

const NOTE = { place: EVIL, message: EVIL, count: 2 };
const REPORT = {
  format: EVIL,
  title: EVIL,
  written: { [EVIL]: 1 },
  approximated: [NOTE],
  refused: [NOTE],
};

/** What a server answers that wants to write on the terminal of who talks to it. */
function answerTo(method: string, path: string): unknown {
  if (path === '/api/health') return { status: EVIL, version: EVIL, uptime_ms: 1 };
  if (path === '/api/protocols') return [STATUS, { protocol: 'http', enabled: true, port: 1 }];
  if (path.startsWith('/api/mocks/')) return method === 'GET' ? [MOCK] : MOCK;
  if (path.startsWith('/api/explain/'))
    return { outcome: EVIL, mock_id: EVIL, others: [{ mock_id: EVIL, reason: EVIL }] };
  if (path === '/api/scenarios/active') return { active: [] };
  if (path.endsWith('activate')) return { active: [EVIL] };
  if (path === '/api/export') return [{ format: EVIL, title: EVIL }];
  if (path === '/api/import') return { created: { [EVIL]: 1 }, replaced: { [EVIL]: 1 }, left: [EVIL] };
  if (path.startsWith('/api/scenarios')) return path === '/api/scenarios' ? [SCENARIO] : SCENARIO;
  if (path.startsWith('/api/fault')) return { [EVIL]: { body: EVIL } };
  if (path.startsWith('/api/incidents'))
    return path === '/api/incidents' && method === 'GET' ? [INCIDENT] : INCIDENT;
  if (path.startsWith('/api/state'))
    return method === 'DELETE' ? { deleted: EVIL } : { [EVIL]: EVIL, key: EVIL };
  if (path.startsWith('/api/connections'))
    return method === 'GET'
      ? [
          {
            id: EVIL,
            remote: EVIL,
            age_ms: 1,
            bytes_in: 1,
            bytes_out: 1,
            user: EVIL,
            client: EVIL,
            subscriptions: [EVIL],
          },
        ]
      : { closed: EVIL };
  if (path.startsWith('/api/snapshots'))
    return path === '/api/snapshots' && method === 'GET' ? [SNAPSHOT] : SNAPSHOT;
  if (path.startsWith('/api/spaces')) return path === '/api/spaces' && method === 'GET' ? [SPACE] : SPACE;
  if (path.startsWith('/api/schema/')) return { captures: { path: '/api/emails' } };
  if (path.startsWith('/api/calls/')) return { calls: [ENTRY] };
  if (path === '/api/emails' || path === '/api/webhooks' || path === '/api/streams') return [ROW];
  if (path === '/api/collections') return [ROW];
  if (/^\/api\/(?:emails|webhooks|streams|collections|clock)/.test(path)) return ROW;
  if (path === '/api/configuration') return { protocols: { [EVIL]: { [EVIL]: EVIL } } };
  if (path === '/api/verify') return VERDICT;
  if (path.startsWith('/api/logs')) return [ENTRY];
  return { status: EVIL };
}

let server: Server;
let url: string;
let isRefusing = false;
let folder: ReturnType<typeof makeFolder>;
const runTogether = useOneProcess();
beforeAll(async () => {
  folder = makeFolder();
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (isRefusing) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: EVIL, details: [{ path: EVIL, message: `more ${EVIL}` }] }));
    } else if (pathname === '/api/logs/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // A comment of the server about itself as well: its data may hold everything but line breaks.
      const raw = EVIL.replaceAll(/[\r\n]/g, '');
      response.end(`data: ${JSON.stringify(ENTRY)}\n\nevent: dropped\ndata: ${raw}\n\n`);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      const isReport = searchParams.has('report');
      response.end(JSON.stringify(isReport ? REPORT : answerTo(request.method ?? '', pathname)));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = JSON.stringify(EVIL);
  write(
    'good.yaml',
    `protocols: {http: {port: 0, mocks: [{id: ${text}, request: {path: ${text}}}]}}
api: {port: 0}
scenarios: [{id: ${text}, active: true, patches: [{mock_id: ${JSON.stringify(`no ${EVIL}`)}, status: 500}]}]
state: {${text}: ${text}}
`,
  );
  write(
    'bad.yaml',
    `${text}: 1\nprotocols: {${text}: {}, http: {port: ${text}, ${text}: 1}}\nseed: "\${X:-${'\\u001b[2J'}}"\n`,
  );
  write(
    'evil.flight.gz',
    gzipSync(`${JSON.stringify({ ...FLIGHT, reason: EVIL })}\n${JSON.stringify({ [EVIL]: EVIL })}\n`),
  );
  write(`${EVIL_NAME}.yaml`, 'protocols: {http: {prot: 1}}\n');
  mkdirSync(join(folder.path, 'plugin'));
  write(
    'plugin/package.json',
    JSON.stringify({ name: 'x', type: 'module', main: 'index.js', backlot: { protocol: EVIL } }),
  );
  write('plugin/index.js', `throw new Error(${text});`);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  folder.remove();
});

function write(name: string, text: string | Buffer): void {
  writeFileSync(join(folder.path, name), text);
}

/** Servers and those that load plugins have a process each. */
function run(args: readonly string[]): Promise<Ended> {
  const options = { cwd: folder.path, env: { BACKLOT_URL: url } };
  const isAlone = ['start', 'run'].includes(args[0] ?? '') || args.includes('--plugin');
  return isAlone ? runCommand(args, options) : runTogether(args, options);
}

function expectHarmless({ stdout, stderr }: Ended, isWholeValue = false): void {
  const output = stdout + stderr;
  // Else nothing of it was printed, and the case tests nothing.
  expect(output).toContain('[2J');
  expect(output).not.toMatch(ACTIVE);
  // A value that has several lines is printed as it is, by the one command that prints nothing else.
  if (!isWholeValue) expect(output).not.toMatch(/^ready http=http:\/\/evil/m);
}

/** Commands that have commands. */
const GROUPS = [
  'scenario',
  'fault',
  'state',
  'snapshot',
  'connections',
  'services',
  'incident',
  'spaces',
  'calls',
  'messages',
  'clock',
  'webhooks',
  'push',
  'collection',
];

/** By the name of the command, lines that print what somebody else wrote. */
const CASES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  start: [
    ['bad.yaml'],
    ['-c', `${EVIL_NAME}.yaml`],
    ['--only', EVIL],
    ['--plugin', './plugin'],
    [`--${EVIL}`],
  ],
  run: [
    ['-c', 'good.yaml', '--', EVIL],
    ['-c', 'good.yaml', '--env', `${EVIL}=X`, '--', 'true'],
    ['-c', 'good.yaml', '--proxy', '--', EVIL],
    ['-c', 'good.yaml', '--env', `HTTP=${EVIL}=`, '--', 'true'],
  ],
  init: [[EVIL_NAME]],
  validate: [['good.yaml'], ['bad.yaml'], [`${EVIL_NAME}.yaml`], [EVIL]],
  schema: [['--plugin', './plugin']],
  'services show': [[EVIL]],
  'services eject': [[EVIL]],
  plugins: [['--plugin', `./${EVIL_NAME}`]],
  openapi: [['--plugin', EVIL]],
  'new-protocol': [[EVIL]],
  status: [[], ['--json'], ['--url', EVIL], ['--ca', EVIL], ['--space', EVIL]],
  health: [[], ['-c', 'nowhere.yaml', '--url', EVIL]],
  list: [[], ['http'], ['http', '--json']],
  add: [
    ['http', '{}'],
    ['http', '{}', '--json'],
  ],
  delete: [
    ['http', EVIL],
    ['http', EVIL, '--json'],
  ],
  apply: [
    ['good.yaml'],
    ['bad.yaml'],
    ['good.yaml', '--prune'],
    ['good.yaml', '--dry-run'],
    ['good.yaml', '--json'],
  ],
  mcp: [['--main', '--url', EVIL]],
  diff: [['good.yaml'], ['good.yaml', '--json']],
  export: [
    [],
    ['--json'],
    ['--format', 'list'],
    ['--format', 'list', '--json'],
    ['--format', EVIL, '--id', EVIL, '--out', EVIL_NAME, '--force'],
    ['--format', 'har', '--out', EVIL_NAME, '--force', '--json'],
  ],
  save: [[EVIL_NAME, '--force'], [EVIL]],
  open: [[EVIL], ['evil.flight.gz']],
  import: [
    ['good.yaml'],
    ['good.yaml', '--json'],
    ['bad.yaml', '--dry-run'],
    ['good.yaml', '--format', EVIL],
    [`${EVIL_NAME}.yaml`, '--dry-run'],
    [EVIL],
    ['good.yaml', '--out', EVIL],
  ],
  'verify-upstream': [
    ['-c', EVIL, '--', 'true'],
    ['-c', 'bad.yaml', '--', 'true'],
  ],
  reset: [],
  logs: [[], ['--json'], ['-f'], ['-f', '--json']],
  explain: [
    ['http', '{}'],
    ['http', '{}', '--json'],
  ],
  verify: [['{expect: []}'], ['{expect: []}', '--json']],
  'scenario list': [[], ['--json']],
  'scenario show': [['x']],
  'scenario activate': [[EVIL]],
  'scenario deactivate': [[EVIL]],
  'fault get': [[]],
  'fault set': [['http', '{}']],
  'fault clear': [[EVIL]],
  'incident list': [[], ['--json']],
  'incident show': [['x'], ['x', '--json']],
  'incident start': [['x'], ['x', '{}', '--json']],
  'incident stop': [[EVIL]],
  'spaces list': [[], ['--json']],
  'spaces create': [[], ['t1', '--json']],
  'spaces show': [['x'], ['x', '--json']],
  'spaces end': [[EVIL]],
  'state get': [[], ['key'], ['key', '--json'], ['--json']],
  'state set': [[EVIL, 'value']],
  'state delete': [[EVIL], ['--prefix', 'a']],
  'snapshot create': [[], ['--json']],
  'snapshot list': [[], ['--json']],
  'snapshot restore': [[EVIL]],
  'snapshot delete': [[EVIL]],
  'connections list': [['http'], ['http', '--json']],
  'connections close': [['http', '--id', EVIL]],
  'calls list': [
    ['http', 'x'],
    ['http', 'x', '--json'],
  ],
  'messages list': [['smtp']],
  'collection show': [['x']],
  'calls wait': [['http', 'x', '--count', '1']],
  'messages show': [['smtp', 'x']],
  'messages wait': [['smtp', '--count', '1']],
  'clock show': [[]],
  'clock advance': [['1h']],
  'clock set': [['2030-01-01T00:00:00Z']],
  'clock stop': [[]],
  'clock go': [[]],
  'webhooks list': [[]],
  'webhooks show': [['x']],
  'webhooks send': [['{url: "http://localhost/"}']],
  'push list': [[]],
  'push send': [['http', '{data: x}', '--mock', 'x']],
  'push close': [['http', '--mock', 'x']],
  'collection list': [[]],
  'collection add': [['x', '{a: 1}']],
  'collection set': [['x', '[]']],
  // These print nothing that somebody else wrote, unless as JSON: then by the one function that "delete" prints by.
  'calls clear': [],
  'messages clear': [],
  'webhooks clear': [],
  'collection delete': [],
  help: [],
};

describe('what somebody else wrote', () => {
  it('is tested for every command', async () => {
    const commands: string[] = [];
    for (const group of [[], ...GROUPS.map((name) => [name])]) {
      const { stdout } = await run([...group, '--help']);
      for (const [, name = ''] of stdout.matchAll(/^ {2}([a-z][a-z-]*)(?: [<[][^ ]+)* {2,}\S/gm))
        if (!['npx', 'backlot'].includes(name)) commands.push([...group, name].join(' '));
    }
    const single = commands.filter((name) => !GROUPS.includes(name) && !/ help$/.test(name));
    expect([...new Set(single)].sort()).toEqual(Object.keys(CASES).sort());
  });

  const lines = Object.entries(CASES).flatMap(([name, all]) =>
    all.map((args) => [...name.split(' '), ...args]),
  );
  it.each(lines.map((args) => [JSON.stringify(args), args] as const))(
    'does not reach the terminal by %s',
    async (_, args) => {
      isRefusing = false;
      expectHarmless(await run(args), args.join(' ') === 'state get key');
    },
  );

  const clients = lines.filter(
    ([name = '']) =>
      ![
        'start',
        'run',
        'init',
        'validate',
        'schema',
        'plugins',
        'openapi',
        'new-protocol',
        'services',
        'mcp',
        'help',
      ].includes(name),
  );
  it.each([
    ...new Set(
      clients.map(([name, inner = '']) =>
        /^[a-z]+$/.test(inner) && GROUPS.includes(name ?? '') ? `${name} ${inner}` : (name ?? ''),
      ),
    ),
  ])('does not reach the terminal by an error that %s gets', async (name) => {
    isRefusing = true;
    const needed: Readonly<Record<string, readonly string[]>> = {
      add: ['http', '{}'],
      delete: ['http', 'x'],
      apply: ['good.yaml'],
      diff: ['good.yaml'],
      'calls list': ['http', 'x'],
      'messages list': ['smtp'],
      'collection show': ['x'],
      explain: ['http', '{}'],
      import: ['good.yaml'],
      verify: ['{expect: []}'],
      'scenario show': ['x'],
      'scenario activate': ['x'],
      'scenario deactivate': ['x'],
      'connections list': ['http'],
      'connections close': ['http'],
      'fault set': ['http', '{}'],
      'incident show': ['x'],
      'incident start': ['x'],
      'spaces show': ['x'],
      'spaces end': ['x'],
      'state set': ['a', 'b'],
      'state delete': ['a'],
      'snapshot restore': ['x'],
      'snapshot delete': ['x'],
    };
    const ended = await run([...name.split(' '), ...(needed[name] ?? CASES[name]?.[0] ?? [])]);
    expect(ended.code).toBe(1);
    expectHarmless(ended);
    // One line, whatever the server has sent.
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('does not reach the terminal by the lines of a server', async () => {
    const running = follow(['start', '-c', 'good.yaml'], { cwd: folder.path });
    await running.until(/^ready .*api=/m);
    running.child.kill('SIGTERM');
    expectHarmless(await running.ended);
    const script =
      "await fetch(process.env.HTTP_URL + '/%1b[2J' + encodeURIComponent('\\u202e'), { headers: { 'x-a': '1' } })";
    expectHarmless(
      await run(['run', '-c', 'good.yaml', '--fail-on-unmatched', '--', process.execPath, '-e', script]),
    );
    const upstream = `--set=protocols.http.upstream=${JSON.stringify({ url: 'http://localhost:1', mode: 'spy' })}`;
    const mock = `--set=protocols.http.mocks=${JSON.stringify([{ id: 'evil', request: { path: '/*' }, response: { body: EVIL } }])}`;
    expectHarmless(
      await run([
        ...['verify-upstream', '-c', 'good.yaml', upstream, mock, '--', process.execPath, '-e', script],
      ]),
    );
    const recording = `--set=protocols.http.mocks=${JSON.stringify([{ id: `recorded:${EVIL}`, request: { path: '/' }, response: {} }])}`;
    const replay = ['run', '-c', 'good.yaml', '--upstream', 'replay', '--export', join(folder.path, EVIL)];
    expectHarmless(await run([...replay, recording, '--', process.execPath, '-e', script]));
  });

  it('keeps its value in JSON', async () => {
    isRefusing = false;
    expect(JSON.parse((await run(['state', 'get', 'key', '--json'])).stdout)).toBe(EVIL);
  });
});
