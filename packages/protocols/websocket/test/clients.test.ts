import { describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { processCertificate } from '@backlot/kit';
import { Agent, WebSocket as BrowserWebSocket } from 'undici';
import { afterThis, Client, startHost } from './support.js';

const MOCKS = [
  {
    path: '/chat',
    subprotocol: 'v1.chat',
    on_connect: { send: 'welcome' },
    on_message: [
      { match: 'ping', respond: 'pong' },
      { match_binary: 'AAEC', respond_binary: 'AwQF' },
      { match: 'large', respond: 'x'.repeat(500_000) },
      { match: 'quit', respond: 'bye', close: { code: 4002, reason: 'grüß dich' } },
    ],
  },
];

describe("the browser's WebSocket", () => {
  it('is greeted, answered and closed', async () => {
    const { url } = await startHost(MOCKS);
    expect(await talk(new BrowserWebSocket(`${url}/chat`, ['v0', 'v1.chat']))).toEqual([
      'open v1.chat',
      'welcome',
      'pong',
      'bytes 3,4,5',
      'text of 500000',
      'bye',
      'close 4002 grüß dich true',
    ]);
  });

  it('talks over TLS', async () => {
    const { url } = await startHost(MOCKS, { tls: { self_signed: true } });
    const dispatcher = new Agent({ connect: { ca: (await processCertificate()).cert } });
    afterThis(() => dispatcher.close());
    const socket = new BrowserWebSocket(`${url}/chat`, { protocols: ['v1.chat'], dispatcher });
    expect((await talk(socket)).at(-1)).toBe('close 4002 grüß dich true');
  });

  it('gets an error where there is no mock', async () => {
    const { url } = await startHost(MOCKS);
    const socket = new BrowserWebSocket(`${url}/none`);
    const closed = await new Promise<{ code: number }>((resolve) => {
      socket.addEventListener('close', resolve);
      socket.addEventListener('error', () => undefined);
    });
    expect(closed.code).toBe(1006);
  });
});

describe('ws', () => {
  it('talks over TLS', async () => {
    const { url, host } = await startHost(MOCKS, { tls: {} });
    const { cert } = await processCertificate();
    const client = await Client.connect(`${url}/chat`, ['v1.chat'], { ca: cert });
    expect([await client.next(), await client.ask('ping')]).toEqual(['welcome', 'pong']);
    expect(client.socket.protocol).toBe('v1.chat');
    expect(host.kind('websocket').status()).toMatchObject({ tls: true, connections: 1 });
  });
});

const SCRIPT = `
import asyncio, sys, websockets

async def main(url):
    async with websockets.connect(url + "/chat", subprotocols=["v1.chat"]) as socket:
        print(socket.subprotocol, await socket.recv())
        await socket.send("ping")
        print(await socket.recv())
        await socket.send(bytes([0, 1, 2]))
        print(list(await socket.recv()))
        await socket.send(["pi", "ng"])
        print("fragments", await socket.recv())
        await socket.send("large")
        print(len(await socket.recv()))
        pong = await socket.ping(b"abc")
        await pong
        await socket.send("quit")
        print(await socket.recv())
        try:
            await socket.recv()
        except websockets.ConnectionClosed as closed:
            print(closed.rcvd.code, closed.rcvd.reason)
    try:
        await websockets.connect(url + "/none")
    except websockets.InvalidStatusCode as refused:
        print(refused.status_code)

asyncio.run(main(sys.argv[1]))
`;

describe('python3-websockets', () => {
  itWithTool('python3:websockets', 'is greeted, answered and closed', async () => {
    const { url, host } = await startHost(MOCKS);
    const { out, err } = await runTool(PYTHON, ['-c', SCRIPT, url]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual([
      'v1.chat welcome',
      'pong',
      '[3, 4, 5]',
      'fragments pong',
      '500000',
      'bye',
      '4002 grüß dich',
      '404',
    ]);
    expect(host.journal.count().count).toBe(8);
  });
});

/** Says everything there is to say, and collects what comes back. */
function talk(socket: BrowserWebSocket): Promise<string[]> {
  const received: string[] = [];
  const toSay = ['ping', new Uint8Array([0, 1, 2]), 'large', 'quit'];
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => received.push(`open ${socket.protocol}`));
    socket.addEventListener('message', ({ data }: { data: string | ArrayBuffer }) => {
      const text = typeof data === 'string' ? data : `bytes ${[...new Uint8Array(data)].join()}`;
      received.push(text.length > 100 ? `text of ${text.length}` : text);
      const next = toSay.shift();
      if (next !== undefined) socket.send(next);
    });
    socket.addEventListener('error', (event) => reject(new Error(event.message)));
    socket.addEventListener('close', ({ code, reason, wasClean }) => {
      received.push(`close ${code} ${reason} ${wasClean}`);
      resolve(received);
    });
  });
}
