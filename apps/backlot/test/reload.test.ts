import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runTool } from '@backlot/conformance';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { makeFolder, startCommand, takePort, type StartedServer } from './command.js';

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const base = (hello: string): string => `protocols:
  http:
    port: 0
    mocks:
      - {id: hello, request: {path: /hello}, response: {body: ${hello}}}
      - {request: {path: /nameless}, response: {body: same}}
  tcp: {port: 0, mocks: [{id: ping, match: ping, response: pong}]}
state: {mode: day}
`;

beforeAll(async () => {
  folder = makeFolder();
  write('backlot.yaml', base('one'));
  mkdirSync(join(folder.path, 'mocks'));
  write('mocks/more.yaml', 'protocols: {http: {mocks: [{id: more, request: {path: /more}}]}}\n');
  server = await startCommand(['--watch', '-c', 'backlot.yaml', '-c', 'mocks', '--api-port=0'], {
    cwd: folder.path,
  });
});
afterAll(async () => {
  agent.destroy();
  await server.stop();
  folder.remove();
});

function write(name: string, text: string): void {
  // As editors do it: a new file takes the place of the old one.
  writeFileSync(join(folder.path, `${name}.new~`), text);
  renameSync(join(folder.path, `${name}.new~`), join(folder.path, name));
}

/** Resolves once a line of standard error matches that was not there before the change. */
async function after(change: () => void, pattern: RegExp, of = server): Promise<string> {
  const before = of.errors().length;
  const found = (): string | undefined => pattern.exec(of.errors().slice(before))?.[0];
  change();
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const line = found();
      if (line === undefined) return;
      of.child.stderr?.off('data', look);
      resolve(line);
    };
    of.child.stderr?.on('data', look);
    void of.ended.then(() => reject(new Error(`ended: ${of.errors()}`)));
    look();
  });
}

/** The body of an answer, and the local port of the connection that it came over. */
function ask(
  path: string,
  url = server.urls['http'] ?? '',
): Promise<{ body: string; port: number | undefined }> {
  return new Promise((resolve, reject) => {
    get(url + path, { agent }, (response) => {
      const port = response.socket.localPort;
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.once('end', () => resolve({ body, port }));
    }).once('error', reject);
  });
}

function api(path: string, init?: RequestInit): Promise<unknown> {
  return fetch((server.urls['api'] ?? '') + path, init).then((answer) => answer.json());
}

describe('a server that watches its files', () => {
  it('takes mocks that changed on the same connection, and keeps what was made at run time', async () => {
    const first = await ask('/hello');
    expect(first.body).toBe('one');
    await api('/api/mocks/http', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'own', request: { path: '/own' }, response: { body: 'own' } }),
    });
    const ids = async (): Promise<unknown[]> =>
      ((await api('/api/mocks/http')) as { id: string }[]).map(({ id }) => id);
    const nameless = (await ids())[1];
    expect(await after(() => write('backlot.yaml', base('two')), /^config: .*$/m)).toBe(
      'config: http mocks: 1 changed (hello)',
    );
    expect(await ask('/hello')).toEqual({ body: 'two', port: first.port });
    expect((await ask('/own')).body).toBe('own');
    expect(await ids()).toEqual(['hello', nameless, 'more', 'own']);
    // A reset goes to what the file says now.
    await api('/api/reset', { method: 'POST' });
    expect(await ids()).toEqual(['hello', nameless, 'more']);
    expect((await ask('/hello')).body).toBe('two');
  });

  it('keeps what runs when a file is wrong, and takes it once it is mended', async () => {
    const lines = await after(
      () => write('backlot.yaml', base('three').replace('path: /hello', 'pth: /hello')),
      /^error: config: the configuration was not taken.*$/m,
    );
    expect(lines).toBe('error: config: the configuration was not taken; what ran before goes on');
    expect(server.errors()).toMatch(/^error: config: backlot\.yaml:5:\d+: .*unknown field "pth"/m);
    expect((await ask('/hello')).body).toBe('two');
    await after(() => write('backlot.yaml', base('three')), /^config: http mocks: 1 changed/m);
    expect((await ask('/hello')).body).toBe('three');
  });

  it('sees new files, and folders that vanish and come back', async () => {
    await after(
      () => write('mocks/x.yaml', 'protocols: {http: {mocks: [{id: x, request: {path: /x}}]}}\n'),
      /^config: http mocks: 1 added \(x\)$/m,
    );
    await after(
      () => rmSync(join(folder.path, 'mocks'), { recursive: true }),
      /^error: config: the configuration was not taken/m,
    );
    await after(() => {
      mkdirSync(join(folder.path, 'mocks'));
      write('mocks/more.yaml', 'protocols: {http: {mocks: [{id: more, request: {path: /more}}]}}\n');
    }, /^config: http mocks: 1 removed \(x\)$/m);
  });

  it('restarts, starts and stops the kinds whose settings changed, and leaves the others alone', async () => {
    const first = await ask('/hello');
    const old = await open(server.urls['tcp'] ?? '');
    const taken = await takePort();
    const free = taken.port;
    const inUse = await after(
      () => write('backlot.yaml', base('three').replace('tcp: {port: 0', `tcp: {port: ${free}`)),
      /^error: config: the configuration was not taken/m,
    );
    expect(inUse).toContain('not taken');
    expect(server.errors()).toMatch(/^error: config: .*in use/m);
    expect(
      ((await api('/api/protocols')) as { protocol: string; state: string }[]).find(
        ({ protocol }) => protocol === 'tcp',
      ),
    ).toMatchObject({ state: 'running' });
    await taken.release();
    const line = await after(
      () =>
        write(
          'backlot.yaml',
          base('three').replace('tcp: {port: 0', `redis: {port: 0}\n  tcp: {port: ${free}`),
        ),
      /^config: tcp restarted: .*$/m,
    );
    expect(line).toBe(`config: tcp restarted: tcp://localhost:${free}`);
    expect(old.destroyed).toBe(true);
    const socket = await open(`tcp://localhost:${free}`);
    expect(await reply(socket, 'ping')).toBe('pong');
    socket.destroy();
    // Its routes are those of a kind that was there from the start.
    const redis = /^config: redis started: (.*)$/m.exec(server.errors())?.[1] ?? '';
    const client = await open(redis);
    expect(await reply(client, 'PING\r\n')).toBe('+PONG\r\n');
    client.destroy();
    const made = { id: 'r', command: 'GET', key: 'a', response: { type: 'bulk', value: 'b' } };
    expect(
      await api('/api/mocks/redis', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(made),
      }),
    ).toMatchObject({ id: 'r' });
    await after(() => write('backlot.yaml', base('three')), /^config: redis stopped$/m);
    expect(await ask('/hello')).toEqual({ body: 'three', port: first.port });
  });

  it('is told by SIGHUP as well, and takes scenarios, state and variables', async () => {
    const text = `${base('three').replace('mode: day', 'mode: night')}scenarios: [{id: out, active: true, patches: [{mock_id: hello, body: out}]}]\nvars: {a: b}\n`;
    await after(() => write('backlot.yaml', text), /^config: vars taken$/m);
    expect(server.errors()).toMatch(/^config: scenarios: 1 added \(out\)$/m);
    expect(server.errors()).toMatch(/^config: state: 1 changed \(mode\)$/m);
    expect((await ask('/hello')).body).toBe('out');
    await after(() => server.child.kill('SIGHUP'), /^config: read again; nothing has changed$/m);
    await after(() => write('backlot.yaml', base('three')), /^config: scenarios: 1 removed \(out\)$/m);
    expect((await ask('/hello')).body).toBe('three');
    expect(await api('/api/state')).toEqual({ mode: 'day' });
  });

  it('says what counts at a start', async () => {
    await after(
      () => write('backlot.yaml', `${base('three')}seed: 5\n`),
      /^warning: config: seed counts at a start; restart the server to take it$/m,
    );
  });
});

function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once('error', reject);
  });
}

function reply(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.setEncoding('utf8').once('data', (answer: string) => resolve(answer));
    socket.once('error', reject);
    socket.write(text);
  });
}

it('takes nothing when the management port cannot listen where it is to be, and moves when it can', async () => {
  const own = makeFolder();
  const text = (port: number, body: string): string =>
    `api: {port: ${port}}\nprotocols: {http: {port: 0, mocks: [{id: a, request: {path: /a}, response: {body: ${body}}}]}}\n`;
  writeFileSync(join(own.path, 'backlot.yaml'), text(0, 'one'));
  const started = await startCommand([], { cwd: own.path });
  try {
    const url = started.urls['http'] ?? '';
    const taken = await takePort();
    const told = (pattern: RegExp): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!pattern.test(started.errors())) return;
          started.child.stderr?.off('data', look);
          resolve();
        };
        started.child.stderr?.on('data', look);
        look();
      });
    writeFileSync(join(own.path, 'backlot.yaml'), text(taken.port, 'two'));
    started.child.kill('SIGHUP');
    await told(/the configuration was not taken/);
    expect((await ask('/a', url)).body).toBe('one');
    await taken.release();
    started.child.kill('SIGHUP');
    await told(/the management port is at /);
    expect((await ask('/a', url)).body).toBe('two');
    expect((await fetch(`http://localhost:${taken.port}/api/health`)).status).toBe(200);
    // At the same place the port can only be opened once all else was taken; what it needs is looked at before.
    const tls = '{ cert_file: none.pem, key_file: none.pem }';
    const secure = text(taken.port, 'three').replace(
      `port: ${taken.port}`,
      `port: ${taken.port}, tls: ${tls}`,
    );
    writeFileSync(join(own.path, 'backlot.yaml'), secure);
    started.child.kill('SIGHUP');
    await told(/none\.pem: there is no such file[^]*the configuration was not taken/);
    expect((await ask('/a', url)).body).toBe('two');
    expect((await fetch(`http://localhost:${taken.port}/api/health`)).status).toBe(200);
  } finally {
    await started.stop();
    own.remove();
  }
});

it('takes certificates that were renewed, while connections stay that are open', async () => {
  const own = makeFolder();
  const at = (name: string): string => join(own.path, name);
  const make = async (host: string, name: string): Promise<void> => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const names = ['-subj', `/CN=${host}`, '-keyout', `${name}.key`, '-out', `${name}.pem`];
    await runTool('openssl', ['req', '-x509', ...key, ...names], { cwd: own.path });
  };
  const put = (name: string): void => {
    for (const kind of ['key', 'pem']) renameSync(at(`${name}.${kind}`), at(`server.${kind}`));
  };
  const tls = 'tls: {cert_file: server.pem, key_file: server.key}';
  const text = (body: string): string => `api: {port: 0, ${tls}}
protocols:
  http: {port: 0, ${tls}, mocks: [{id: a, request: {path: /a}, response: {body: ${body}}}]}
  tcp: {port: 0, ${tls}, mocks: [{id: ping, match: ping, response: pong}]}
`;
  await make('first.test', 'first');
  put('first');
  writeFileSync(at('backlot.yaml'), text('one'));
  const started = await startCommand(['--watch'], { cwd: own.path });
  const told = (change: () => void, pattern: RegExp): Promise<string> => after(change, pattern, started);
  const nameOf = async (name: string): Promise<[string, TLSSocket]> => {
    const { hostname, port } = new URL(started.urls[name] ?? '');
    const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return [String(socket.getPeerCertificate().subject.CN), socket];
  };
  try {
    const [, open] = await nameOf('tcp');
    // A pair that does not fit is not taken, and nothing else of the configuration is either.
    await make('second.test', 'second');
    renameSync(at('second.pem'), at('server.pem'));
    await told(
      () => writeFileSync(at('backlot.yaml'), text('two')),
      /not a PEM certificate and its key[^]*the configuration was not taken/,
    );
    const shown = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const name of ['http', 'tcp', 'api']) {
        const [host, socket] = await nameOf(name);
        socket.destroy();
        found.push(host);
      }
      return found;
    };
    expect(await shown()).toEqual(['first.test', 'first.test', 'first.test']);
    // The key comes as well: files of certificates are watched.
    const lines = await told(
      () => renameSync(at('second.key'), at('server.key')),
      /^config: the management port has read its certificates anew$/m,
    );
    expect(lines).not.toBe('');
    expect(started.errors()).toMatch(/^config: http has read its certificates anew\n.*tcp has read its/m);
    expect(await shown()).toEqual(['second.test', 'second.test', 'second.test']);
    open.setEncoding('utf8').write('ping');
    expect(await once(open, 'data')).toEqual(['pong']);
    open.destroy();
  } finally {
    await started.stop();
    own.remove();
  }
});
