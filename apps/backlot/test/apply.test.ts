import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, startCommand, type Ended, type StartedServer, useOneProcess } from './command.js';

const CONFIG = `protocols:
  http:
    port: 0
    mocks:
      - id: hello
        request: {path: /hello}
        response: {body: Hello}
      - request: {path: /twice}
        times: 1
      - request: {path: /twice}
        times: 1
      - request: {path: /other}
  grpc:
    port: 0
    services:
      - mocks:
          - id: in-service
            method: /shop.Cart/Get
            response: {n: 1}
  snmp:
    port: 0
    traps:
      - {id: up, target: "127.0.0.1:1162", oid: 1.3.6.1.6.3.1.1.5.4}
      - {id: down, target: "127.0.0.1:1162", oid: 1.3.6.1.6.3.1.1.5.3}
  tcp:
    port: 0
    mocks: [{id: ping, match: ping, response: pong}]
scenarios:
  - id: outage
    patches: [{mock_id: hello, status: 503}]
  - faults: {http: {status: 500}}
state: {mode: day}
`;

const NOTHING_NEW = `http: 0 added, 0 changed, 0 removed, 4 unchanged
grpc: 0 added, 0 changed, 0 removed, 1 unchanged
tcp: 0 added, 0 changed, 0 removed, 1 unchanged
snmp traps: 0 added, 0 changed, 0 removed, 2 unchanged
scenarios: 0 added, 0 changed, 0 removed, 2 unchanged
state: 0 added, 0 changed, 1 unchanged
`;
const SERVICES =
  'not applied: grpc.services, apart from its mocks, counts at a start; restart the server when it has changed\n';

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
let url: string;
beforeAll(async () => {
  folder = makeFolder();
  write(CONFIG);
  server = await startCommand(['--api-port=0'], { cwd: folder.path });
  url = server.urls['api'] ?? '';
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});
beforeEach(async () => {
  await fetch(`${url}/api/reset`, { method: 'POST' });
});

function write(text: string, file = 'backlot.yaml'): void {
  writeFileSync(join(folder.path, file), text);
}

const runTogether = useOneProcess();

function apply(...args: readonly string[]): Promise<Ended> {
  return runTogether(['apply', ...args], { cwd: folder.path, env: { BACKLOT_URL: url } });
}

async function list(path: string): Promise<{ id: string }[]> {
  return (await (await fetch(url + path)).json()) as { id: string }[];
}

describe('apply', () => {
  it('changes nothing where the server has what the file says, mocks without ids included', async () => {
    const before = await list('/api/mocks/http');
    expect(await apply()).toEqual({ code: 0, stdout: NOTHING_NEW, stderr: SERVICES });
    expect(await apply('--prune')).toEqual({ code: 0, stdout: NOTHING_NEW, stderr: SERVICES });
    expect(await list('/api/mocks/http')).toEqual(before);
  });

  it('adds and changes, keeps what is not in the file, and removes it with --prune', async () => {
    write(
      `protocols:
  http:
    mocks:
      - {id: hello, request: {path: /hello}, response: {body: Good evening}}
      - {request: {path: /twice}, times: 1}
      - {request: {path: /new}}
  snmp:
    traps:
      - {id: up, target: "127.0.0.1:1163", oid: 1.3.6.1.6.3.1.1.5.4}
scenarios:
  - {id: outage, patches: [{mock_id: hello, status: 503}], active: true}
state: {mode: night, more: "1"}
`,
      'other.yaml',
    );
    expect(await apply('other.yaml')).toEqual({
      code: 0,
      stdout: `http: 1 added, 1 changed, 0 removed, 1 unchanged; 2 not in the file stay
snmp traps: 0 added, 1 changed, 0 removed, 0 unchanged; 1 not in the file stays
scenarios: 0 added, 0 changed, 0 removed, 1 unchanged; 1 not in the file stays
scenarios: activated outage
state: 1 added, 1 changed, 0 unchanged
`,
      stderr: '',
    });
    expect(await list('/api/mocks/http')).toHaveLength(5);
    expect((await fetch(`${server.urls['http']}/hello`)).status).toBe(503);

    expect(await apply('-f', 'other.yaml', '--prune')).toEqual({
      code: 0,
      stdout: `http: 0 added, 0 changed, 2 removed, 3 unchanged
snmp traps: 0 added, 0 changed, 1 removed, 1 unchanged
scenarios: 0 added, 0 changed, 1 removed, 1 unchanged
state: 0 added, 0 changed, 2 unchanged
`,
      stderr: '',
    });
    expect(await list('/api/mocks/http')).toMatchObject([
      { id: 'hello', response: { body: 'Good evening' } },
      { request: { path: '/twice' }, times: 1 },
      { request: { path: '/new' } },
    ]);
    expect((await list('/api/snmp/traps')).map(({ id }) => id)).toEqual(['up']);
    expect((await list('/api/scenarios')).map(({ id }) => id)).toEqual(['outage']);
    // What the file says nothing of is nobody's to remove.
    expect(await list('/api/mocks/tcp')).toHaveLength(1);
    expect(await list('/api/mocks/grpc')).toHaveLength(1);

    write('protocols: {http: {}}\n', 'empty.yaml');
    expect((await apply('empty.yaml', '--prune')).stdout).toBe(
      'http: 0 added, 0 changed, 3 removed, 0 unchanged\n',
    );
    expect(await list('/api/scenarios')).toHaveLength(1);
  });

  it('takes each of several mocks with the same content for one of its own', async () => {
    write(`protocols: {http: {mocks: [${'{request: {path: /same}},'.repeat(3)}]}}`, 'same.yaml');
    expect((await apply('same.yaml')).stdout).toMatch(/^http: 3 added, .* 0 unchanged; 4 not/);
    expect((await apply('same.yaml')).stdout).toMatch(/^http: 0 added, .* 3 unchanged; 4 not/);
    write(
      `protocols: {http: {mocks: [{times: 2, request: {path: /same}}, {request: {path: /same}}]}}`,
      'same.yaml',
    );
    expect((await apply('same.yaml', '--prune')).stdout).toBe(
      'http: 1 added, 0 changed, 6 removed, 1 unchanged\n',
    );
  });

  it('says what only a start can change', async () => {
    write(
      `api: {port: 9999, cors: {allowed_origins: ["https://shop.test"]}}
seed: 5
vars: {a: b}
protocols:
  http: {port: 8099, host: 0.0.0.0, tls: {self_signed: true}, cors: true, mocks: [{id: hello, request: {path: /h}}]}
  redis: {mocks: [{command: GET, response: {type: "nil"}}]}
  tcp: {enabled: false}
`,
      'start.yaml',
    );
    const { code, stdout, stderr } = await apply('start.yaml');
    // Mocks of redis are nowhere: that is a failure.
    expect(code).toBe(1);
    expect(stdout).toBe('http: 0 added, 1 changed, 0 removed, 0 unchanged; 3 not in the file stay\n');
    const port = new URL(server.urls['http'] ?? '').port;
    const atStart = 'counts at a start; restart the server when it has changed';
    expect(stderr.trim().split('\n')).toEqual(
      [
        `api.port ${atStart}`,
        `api.cors ${atStart}`,
        `seed ${atStart}`,
        `vars ${atStart}`,
        `http.port is 8099 in the file and ${port} on the server; restart it to change it`,
        'http.host is 0.0.0.0 in the file and localhost on the server; restart it to change it',
        'http.tls is on in the file and not on the server; restart it to change it',
        `http.cors ${atStart}`,
        'tcp is off in the file and on on the server; restart it to stop tcp',
        'redis, with everything in its block: the server was started without it; restart it with this file',
      ].map((text) => `not applied: ${text}`),
    );
  });

  it('says when mocks stand in another order than in the file', async () => {
    write(
      'protocols: {http: {mocks: [{id: first, request: {path: "/*"}}, {id: hello, request: {path: /hello}}]}}',
      'order.yaml',
    );
    expect((await apply('order.yaml')).stderr).toMatch(
      /^not applied: http: the server asks them in another order than the file has them, .*; restart it, or give them a priority\n$/,
    );
  });

  it('makes the mocks that a resource stands for', async () => {
    write('protocols: {http: {mocks: [{resource: {path: /rows, collection: rows}}]}}', 'resource.yaml');
    expect((await apply('resource.yaml')).stdout).toMatch(/^http: 15 added, 0 changed/);
    expect((await apply('resource.yaml')).stdout).toMatch(
      /^http: 0 added, 0 changed, 0 removed, 15 unchanged/,
    );
    const made = await fetch(`${server.urls['http'] ?? ''}/rows`, { method: 'POST', body: '{"n":1}' });
    expect([made.status, await made.json()]).toEqual([201, { id: expect.any(String), n: 1 }]);
  });

  it('needs a file', async () => {
    const empty = makeFolder();
    const { code, stderr } = await runTogether(['apply'], { cwd: empty.path, env: { BACKLOT_URL: url } });
    empty.remove();
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: there is no backlot\.yaml, .* here; name a file/),
    ]);
  });
});

describe('apply --dry-run and diff', () => {
  it('say what would be changed, and change nothing', async () => {
    write(
      CONFIG.replace('body: Hello', 'body: Bye')
        .replace('      - request: {path: /other}\n', '      - {id: new, request: {path: /new}}\n')
        .replace('mode: day', 'mode: night'),
    );
    const before = await list('/api/mocks/http');
    const { code, stdout } = await apply('--dry-run');
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      '~ http/hello',
      '  - response.body: "Hello"',
      '  + response.body: "Bye"',
      '+ http {"id":"new","request":{"path":"/new"}}',
      '+ state {"mode":"night"}',
    ]);
    expect(stdout).toContain('http: 1 added, 1 changed, 0 removed, 2 unchanged; 1 not in the file stays\n');
    expect(stdout.endsWith('nothing was changed\n')).toBe(true);
    expect(await list('/api/mocks/http')).toEqual(before);

    const diff = await runTogether(['diff'], { cwd: folder.path, env: { BACKLOT_URL: url } });
    expect([diff.code, diff.stdout.split('\n')[4]]).toEqual([
      1,
      expect.stringMatching(/^- http\/\S+ \{.*"path":"\/other"/),
    ]);
    write(CONFIG);
    const same = await runTogether(['diff', '--json'], { cwd: folder.path, env: { BACKLOT_URL: url } });
    expect([same.code, JSON.parse(same.stdout)]).toEqual([0, []]);
  });
});

describe('export', () => {
  it('prints a file that starts the same', async () => {
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post('/api/mocks/http', {
      id: 'odd',
      request: { path: '/odd' },
      response: { body: 'a ${NAME} b' },
    });
    await post('/api/scenarios/outage/activate', {});
    await post('/api/state', { more: 'x' });
    const exported = await runTogether(['export'], { env: { BACKLOT_URL: url } });
    expect(exported.stderr).toBe('');
    write(exported.stdout, 'exported.yaml');
    const again = await startCommand(['exported.yaml', '--api-port=0'], { cwd: folder.path });
    const second = again.urls['api'] ?? '';
    try {
      for (const path of [
        '/api/mocks/http',
        '/api/mocks/grpc',
        '/api/mocks/tcp',
        '/api/snmp/traps',
        '/api/scenarios',
        '/api/state',
      ])
        expect(await (await fetch(second + path)).json()).toEqual(await list(path));
      expect(Object.keys(again.urls)).toEqual(Object.keys(server.urls));
    } finally {
      await again.stop();
    }
  });
});
