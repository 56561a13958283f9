import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { processCertificate } from '@backlot/kit';
import { websocket } from '@backlot/websocket';
import { WebSocketServer } from 'ws';
import { makeFolder, runCommand } from './command.js';

const require = createRequire(import.meta.url);

/** A server of WebSocket with TLS; each answer has its name and how often it was asked. */
interface Real {
  readonly port: number;
  readonly hosts: unknown[];
  stop(): void;
}

async function startReal(name: string): Promise<Real> {
  const server: Server = createServer(await processCertificate());
  const hosts: unknown[] = [];
  let asked = 0;
  const sockets = new WebSocketServer({ server, path: '/chat' });
  sockets.on('connection', (socket, { headers }) => {
    hosts.push(headers.host);
    socket.send(`${name} greets`);
    socket.on('message', (data) => {
      asked += 1;
      socket.send(
        JSON.stringify({
          answer: `${name} ${asked}: ${(data as Buffer).toString()}`,
          api_token: 'top-secret',
        }),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    hosts,
    stop() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    },
  };
}

/** A program that talks to the hosts that it is given, by an agent that knows the proxy and nothing of what is behind. */
const TALK = `
  const { WebSocket } = require(${JSON.stringify(require.resolve('ws'))});
  const { HttpsProxyAgent } = require(${JSON.stringify(require.resolve('https-proxy-agent'))});
  const agent = new HttpsProxyAgent(process.env.HTTPS_PROXY);
  const talk = (host) => new Promise((resolve) => {
    const socket = new WebSocket('wss://' + host + '/chat?token=hunter2hunter2', { agent });
    socket.on('error', (error) => resolve(error.message));
    socket.on('message', (data) => {
      const text = String(data);
      console.log(text.startsWith('{') ? JSON.parse(text).answer : text);
      if (text.startsWith('{')) socket.close();
      else socket.send('hello');
    });
    socket.on('close', () => resolve());
  });
  (async () => {
    for (const host of process.argv.slice(2)) {
      const problem = await talk(host);
      if (problem !== undefined) console.log(problem);
    }
  })();
`;

let folder: ReturnType<typeof makeFolder>;

beforeAll(async () => {
  folder = makeFolder();
  writeFileSync(join(folder.path, 'ca.pem'), (await processCertificate()).cert);
  writeFileSync(join(folder.path, 'talk.cjs'), TALK);
});
afterAll(() => folder.remove());

const run = (flags: readonly string[], ...hosts: readonly string[]): ReturnType<typeof runCommand> =>
  runCommand(['run', '--proxy', ...flags, '--', process.execPath, 'talk.cjs', ...hosts], {
    cwd: folder.path,
  });

/** The settings of a proxy in front of two real servers. */
function configure(name: string, [one, two]: readonly [Real, Real], mocks: readonly unknown[] = []): void {
  const servers = {
    'one.example.com': `https://localhost:${one.port}`,
    'two.example.com': `https://localhost:${two.port}`,
  };
  const ca = join(folder.path, 'ca.pem');
  const settings = {
    protocols: {
      http: { proxy: { servers } },
      websocket: { share: 'http', upstream: { mode: 'spy', ca }, mocks },
    },
  };
  writeFileSync(join(folder.path, name), JSON.stringify(settings));
}

describe('WebSocket through the proxy', () => {
  it('is recorded from the hosts that a client asks, and replayed without them', async () => {
    const real = [await startReal('one'), await startReal('two')] as const;
    configure('backlot.json', real);
    const hosts = ['one.example.com', 'one.example.com', 'two.example.com'];
    const recorded = await run(
      ['-c', 'backlot.json', '--upstream', 'record_new', '--export', 'recorded.yaml'],
      ...hosts,
    );
    for (const one of real) one.stop();
    const stdout = 'one greets\none 1: hello\none greets\none 2: hello\ntwo greets\ntwo 1: hello\n';
    expect(recorded).toEqual({ code: 0, stdout, stderr: '' });
    expect([...real[0].hosts, ...real[1].hosts]).toEqual(
      [real[0], real[0], real[1]].map(({ port }) => `localhost:${port}`),
    );
    const text = readFileSync(join(folder.path, 'recorded.yaml'), 'utf8');
    expect(text).not.toMatch(/hunter2|top-secret/);
    expect(text).toContain('  http: {}\n  websocket:\n    share: http\n');
    expect(text.match(/id: .*|host: .*|times: .*/g)).toEqual([
      ...['id: recorded:connect-one.example.com-chat', 'host: one.example.com'],
      ...['id: recorded:one.example.com-chat-hello', 'host: one.example.com', 'times: 1'],
      ...['id: recorded:one.example.com-chat-hello-2', 'host: one.example.com'],
      ...['id: recorded:connect-two.example.com-chat', 'host: two.example.com'],
      ...['id: recorded:two.example.com-chat-hello', 'host: two.example.com'],
    ]);
    const replay = ['-c', 'backlot.json', '-c', 'recorded.yaml', '--upstream', 'replay'];
    expect(await run(replay, ...hosts)).toEqual({ code: 0, stdout, stderr: '' });
    // What was not recorded is told, and so is what nobody used.
    const missed = await run(replay, 'two.example.com', 'three.example.com');
    expect([missed.code, missed.stdout]).toEqual([
      1,
      'two greets\ntwo 1: hello\nUnexpected server response: 404\n',
    ]);
    expect(missed.stderr).toContain('error: websocket: 1 message was not recorded:\n');
    expect(missed.stderr).toContain('error: websocket: nobody used 3 recordings:\n');
  });

  it('is answered by the mocks of its host, and goes on to its server where none is', async () => {
    const real = [await startReal('one'), await startReal('two')] as const;
    configure('mocked.json', real, [
      { path: '/chat', host: 'one.example.com', on_connect: { send: '{"answer": "a mock"}' } },
    ]);
    const answered = await run(['-c', 'mocked.json'], 'one.example.com', 'two.example.com');
    for (const one of real) one.stop();
    expect(answered).toEqual({ code: 0, stdout: 'a mock\ntwo greets\ntwo 1: hello\n', stderr: '' });
  });

  it('passes what comes to the listener itself to nobody', async () => {
    const settings = {
      http: { port: 0, proxy: {} },
      websocket: {
        share: 'http',
        upstream: { mode: 'spy' },
        mocks: [{ path: '/own', host: 'localhost:*', on_connect: { send: '{{request.host}}' } }],
      },
    } as const;
    const host = await createHost({ protocols: [http, websocket], settings });
    await host.start();
    try {
      const { port } = host.kind('http').address ?? {};
      const { WebSocket } = await import('ws');
      const own = new WebSocket(`ws://localhost:${port}/own`);
      const [greeting] = (await once(own, 'message')) as [Buffer];
      expect(String(greeting)).toBe(`localhost:${port}`);
      own.close();
      const other = new WebSocket(`ws://127.0.0.1:${port}/own`);
      const [problem] = (await once(other, 'error')) as [Error];
      expect(problem.message).toBe('Unexpected server response: 404');
    } finally {
      await host.stop(0);
    }
  });

  it.each<[object, { readonly mode: 'spy' | 'replay'; readonly url?: string }, string]>([
    [{}, { mode: 'spy' }, '"spy" needs the setting proxy of http'],
    [{ proxy: {} }, { mode: 'spy', url: 'ws://localhost:1' }, 'cannot stand beside share'],
    [{}, { mode: 'replay' }, ''],
  ])(
    'has an upstream where HTTP says which server a connection is for: %j, %j',
    async (ofHttp, upstream, problem) => {
      const settings = { http: { port: 0, ...ofHttp }, websocket: { share: 'http', upstream } };
      const made = createHost({ protocols: [http, websocket], settings });
      if (problem === '') await expect(made).resolves.toBeDefined();
      else await expect(made).rejects.toThrow(problem);
    },
  );
});
