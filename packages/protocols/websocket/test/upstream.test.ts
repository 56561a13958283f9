import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, PYTHON, runTool } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { WebSocketServer, type WebSocket } from 'ws';
import { afterThis, Client, startHost, type Running } from './support.js';

/** A server of `ws`. */
interface RealServer {
  readonly port: number;
  /** The paths, subprotocols and extensions of connections, and how they ended. */
  readonly seen: string[];
  readonly sockets: WebSocket[];
  stop(): Promise<void>;
}

async function startReal(): Promise<RealServer> {
  const seen: string[] = [];
  const sockets: WebSocket[] = [];
  let visits = 0;
  const server = createServer((_request, response) => response.writeHead(404).end());
  const upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: { threshold: 0 },
    handleProtocols: (offers) => (offers.has('v2') ? 'v2' : false),
  });
  upgrades.on('connection', (socket, request) => {
    sockets.push(socket);
    seen.push(
      `${request.url ?? ''} ${socket.protocol} ${socket.extensions} ${String(request.headers['x-mine'] ?? '')}`.trim(),
    );
    if (request.url?.startsWith('/chat') === true) {
      socket.send('welcome {{you}}');
      if (!request.url.includes('short')) socket.send(Buffer.from([1, 2, 3]));
    }
    socket.on('message', (data: Buffer, isBinary) => {
      const text = data.toString();
      if (isBinary) socket.send(Buffer.concat([data, data]), { binary: true });
      else if (text === 'visit') socket.send(`visit ${(visits += 1)}`);
      else if (text === 'many') for (const each of ['a', 'b', 'c']) socket.send(each);
      else if (text === 'quit') {
        socket.send('bye');
        socket.close(4001, 'over');
      } else if (text.startsWith('{')) {
        const { id, op } = JSON.parse(text) as { id: string; op: string };
        socket.send(JSON.stringify({ id, op, api_token: 'top-secret' }));
      } else if (text !== 'silent') socket.send(`echo ${text}`);
    });
    socket.on('close', (code, reason) => seen.push(`closed ${code} ${reason.toString()}`.trim()));
    socket.on('ping', (data) => seen.push(`ping ${data.toString()}`));
  });
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/forbidden') socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nno! ');
    else upgrades.handleUpgrade(request, socket, head, (open) => upgrades.emit('connection', open, request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    for (const socket of sockets) socket.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  afterThis(stop);
  return { port: (server.address() as AddressInfo).port, seen, sockets, stop };
}

const recorder = (
  { port }: Pick<RealServer, 'port'>,
  mode: string,
  mocks: readonly Json[] = [],
): Promise<Running> => startHost(mocks, { upstream: { url: `ws://127.0.0.1:${port}`, mode } });

const recordedBy = ({ kind }: Running): Json[] => kind.mocks.list().map((mock) => structuredClone(mock));

const replay = (recording: Running): Promise<Running> =>
  startHost(recordedBy(recording), { upstream: { mode: 'replay' } });

/** What a client of `ws` does on one connection; gives what it sees. */
async function work({ url }: Running, id: string): Promise<unknown[]> {
  const client = await Client.connect(`${url}/chat?token=hunter2`, ['v1', 'v2'], {
    headers: { authorization: 'Bearer hunter2hunter2', 'x-mine': 'mine' },
  });
  const seen: unknown[] = [client.socket.protocol, await client.next(), await client.next()];
  for (const message of ['hello', 'visit', 'visit', JSON.stringify({ id, op: 'get', api_key: 'hunter2' })]) {
    client.send(message);
    seen.push(await client.next());
  }
  client.send(Buffer.from([7, 255]));
  seen.push(await client.next());
  for (let times = 0; times < 2; times += 1) {
    client.send('many');
    seen.push(await client.next(), await client.next(), await client.next());
  }
  client.send('quit');
  seen.push(await client.next(), await client.next());
  return seen;
}

const SCRIPT = `
import asyncio, sys, websockets
async def main():
    async with websockets.connect(sys.argv[1], subprotocols=['v2']) as ws:
        print(await ws.recv(), await ws.recv())
        await ws.ping()
        for message in ['visit', 'x' * 100000, b'\\x00\\xff']:
            await ws.send(message)
            answer = await ws.recv()
            print(len(answer), answer[:7])
asyncio.run(main())
`;

describe('an upstream of WebSocket', () => {
  it('is recorded and replayed without it', async () => {
    const real = await startReal();
    const recording = await recorder(real, 'record_new');
    const [id, other] = ['0f8fad5b-d9cb-469f-a165-70867728950e', '7c9e6679-7425-40de-944b-e07fc1f90ae7'];
    const seen = await work(recording, id);
    expect(seen).toEqual([
      'v2',
      'welcome {{you}}',
      Buffer.from([1, 2, 3]),
      'echo hello',
      'visit 1',
      'visit 2',
      `{"id":"${id}","op":"get","api_token":"top-secret"}`,
      Buffer.from([7, 255, 7, 255]),
      ...['a', 'b', 'c', 'a', 'b', 'c', 'bye'],
      'close 4001 over',
    ]);
    expect(real.seen[0]).toBe('/chat?token=hunter2 v2 permessage-deflate mine');
    await eventually(() => recording.logged('CLOSE').length === 1);
    expect(JSON.stringify([recording.host.journal.list(), recordedBy(recording)])).not.toMatch(
      /hunter2|top-secret/,
    );
    expect(recording.log).toEqual([]);
    expect(recordedBy(recording)).toMatchObject([
      { on_connect: { send: ['welcome {{raw "{{"}}you}}', { body_base64: 'AQID' }] } },
      {
        id: 'recorded:chat-hello',
        path: '/chat',
        subprotocol: 'v2',
        on_message: [{ match: { equals: 'hello' }, respond: 'echo hello' }],
      },
      { times: 1, on_message: [{ respond: 'visit 1' }] },
      { on_message: [{ respond: 'visit 2' }] },
      { on_message: [{ match: { json_schema: expect.anything() } }] },
      { on_message: [{ match_binary: 'B/8=', respond: [{ body_base64: 'B/8H/w==' }] }] },
      { on_message: [{ match: { equals: 'many' }, respond: ['a', 'b', 'c'] }] },
      { on_message: [{ match: { equals: 'quit' }, respond: 'bye', close: { code: 4001, reason: 'over' } }] },
    ]);
    await real.stop();
    const replayed = await replay(recording);
    const again = await work(replayed, other);
    expect(again.filter((_each, index) => index !== 6)).toEqual(seen.filter((_each, index) => index !== 6));
    expect(again[6]).toBe(`{"id":"${id}","op":"get","api_token":"REDACTED"}`);
    expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
  });

  itWithTool('python3:websockets', 'passes what websockets of Python says, and replays it', async () => {
    const real = await startReal();
    const recording = await recorder(real, 'record_all');
    const run = async ({ url }: Running): Promise<string> => {
      const { out, err } = await runTool(PYTHON, ['-c', SCRIPT, `${url}/chat`]);
      expect(err).toBe('');
      return out;
    };
    const direct = await run(recording);
    expect(direct).toContain("b'\\x01\\x02\\x03'");
    expect(direct).toContain('100005 echo xx');
    expect(real.seen).toContainEqual(expect.stringMatching(/^ping /));
    await eventually(() => recording.logged('CLOSE').length === 1);
    await real.stop();
    expect(await run(await replay(recording))).toBe(direct);
  });

  it('passes refusals and close codes, and says what cannot be told apart', async () => {
    const real = await startReal();
    const recording = await recorder(real, 'record_new');
    await expect(Client.connect(`${recording.url}/forbidden`)).rejects.toThrow('403');
    const client = await Client.connect(`${recording.url}/feed`);
    client.send('first');
    client.send('second');
    expect([await client.next(), await client.next()]).toEqual(['echo first', 'echo second']);
    client.send('third');
    expect(await client.next()).toBe('echo third');
    client.socket.close(4321, 'mine');
    await eventually(() => real.seen.includes('closed 4321 mine'));
    expect(recordedBy(recording)).toEqual([]);
    expect(recording.log).toEqual([expect.stringContaining('nobody can tell what answers what')]);
    const pushed = await Client.connect(`${recording.url}/feed`);
    real.sockets.at(-1)?.send('news');
    expect(await pushed.next()).toBe('news');
    real.sockets.at(-1)?.terminate();
    expect(await pushed.next()).toBe('close 1006');
    const gone = await recorder({ port: 1 }, 'spy');
    await expect(Client.connect(`${gone.url}/x`)).rejects.toThrow(/ECONNRESET|hang up/);
    expect(gone.logged('CONNECT')[0]?.response?.status).toContain('the upstream gave no answer');
  });

  it('is asked for what no mock answers, and compared with mocks', async () => {
    const real = await startReal();
    const mocks = [
      { path: '/chat', on_connect: { send: 'hello from a mock' } },
      {
        path: '/chat',
        on_message: [
          { match: 'hello', respond: 'echo hello' },
          { match: 'many', respond: ['a', 'x', 'c'] },
        ],
      },
    ];
    const spy = await recorder(real, 'spy', mocks);
    const client = await Client.connect(`${spy.url}/chat`);
    const seen = [await client.next()];
    for (const message of ['hello', 'other']) {
      client.send(message);
      seen.push(await client.next());
    }
    expect(seen).toEqual(['hello from a mock', 'echo hello', 'echo other']);
    const diff = await recorder(real, 'diff', mocks);
    const compared = await Client.connect(`${diff.url}/chat?short`);
    expect(await compared.next()).toBe('hello from a mock');
    for (const message of ['hello', 'many']) compared.send(message);
    for (const want of ['echo hello', 'a', 'x', 'c']) expect(await compared.next()).toBe(want);
    expect(diff.host.journal.list().map(({ upstream }) => upstream?.differences)).toEqual([
      ['answer /: the mock has "hello from a mock", the upstream "welcome {{you}}"'],
      [],
      ['answer /1: the mock has "x", the upstream "b"'],
    ]);
  });
});
