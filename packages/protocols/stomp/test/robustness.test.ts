import net from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { Client } from '@stomp/stompjs';
import { abandon, eventually, mulberry32, mutate, playSession } from '@backlot/conformance';
import { WebSocket } from 'ws';
import { RawClient, afterThis, startHost } from './support.js';

/** What stompit 1.0 sent in a session with subscriptions, receipts, acknowledgements and transactions. */
const SESSION = Buffer.from(
  'CONNECT\naccept-version:1.0,1.1,1.2\nhost:/\nlogin:ann\npasscode:secret\nheart-beat:5000,5000\n\n\0\n' +
    'SUBSCRIBE\ndestination:/queue/a\nack:client-individual\nid:1\n\n\0\n' +
    'SEND\ndestination:/queue/a\ncontent-type:text/plain\nx-odd:a\\cb\\\\c\\nd\ncontent-length:7\nreceipt:1\n\none\0two\0\n' +
    'ACK\nsubscription:1\nmessage-id:756e6202-e717-4b9a-a895-e94646a63c7c-1\nid:1-1\n\n\0\n' +
    'BEGIN\ntransaction:1\n\n\0\n' +
    'SEND\ndestination:/topic/b\nreply-to:/temp-queue/c\ntransaction:1\n\nin a transaction é\0\n' +
    'SEND\ndestination:/queue/a\ncontent-type:text/plain\nreceipt:2\n\nsecond\0\n' +
    'NACK\ntransaction:1\nsubscription:1\nmessage-id:756e6202-e717-4b9a-a895-e94646a63c7c-2\nid:1-2\n\n\0\n' +
    'COMMIT\ntransaction:1\n\n\0\n' +
    'BEGIN\ntransaction:2\n\n\0\n' +
    'SEND\ndestination:/queue/a\ntransaction:2\n\nnever\0\n' +
    'ABORT\ntransaction:2\n\n\0\n' +
    'UNSUBSCRIBE\nid:1\nreceipt:3\n\n\0\n' +
    'DISCONNECT\nreceipt:4\n\n\0\n',
);

const MUTATIONS = 10_000;
const AT_ONCE = 100;

const INSERTS = [
  '\0',
  '\n',
  '\r',
  ':',
  '\\',
  '\xff',
  '\n\n',
  'content-length:4294967296\n',
  'content-length:-1\n',
  'receipt:x\n',
  '\\t',
  'CONNECT\n',
  'SEND\n',
];

/** What comes back for a session, as text. */
async function exchange(port: number, bytes: Buffer): Promise<string> {
  return (await playSession(port, bytes)).toString();
}

async function checkRealClient(port: number): Promise<void> {
  const client = new Client({
    webSocketFactory: () => new WebSocket(`ws://127.0.0.1:${port}`),
    reconnectDelay: 0,
  });
  afterThis(() => client.deactivate({ force: true }));
  const bodies: string[] = [];
  client.onConnect = () => {
    client.subscribe('/topic/well', ({ body }) => bodies.push(body));
    client.publish({ destination: '/topic/well', body: 'well' });
  };
  client.activate();
  await eventually(() => bodies.includes('well'));
}

describe('bytes that are no session', () => {
  it('is a session that works before it is changed', async () => {
    const { port } = await startHost();
    const answer = await exchange(port, SESSION);
    expect(answer).not.toContain('ERROR');
    for (const receipt of ['1', '2', '3', '4']) expect(answer).toContain(`RECEIPT\nreceipt-id:${receipt}\n`);
  });

  it(`end ${MUTATIONS} times in an answer, ERROR or the close of their connection`, async () => {
    const { port, host, log } = await startHost();
    const below = mulberry32(20_261);
    let errors = 0;
    for (let done = 0; done < MUTATIONS; done += AT_ONCE) {
      const sent = Array.from({ length: AT_ONCE }, () => mutate(SESSION, below, INSERTS));
      const answers = await Promise.all(sent.map((bytes) => exchange(port, bytes)));
      // Else every session would be sent what those before it have left in the queue.
      host.reset();
      for (const answer of answers) {
        if (!/^(?:$|CONNECTED\n|ERROR\n|HTTP\/1\.1 4)/.test(answer))
          throw new Error(`odd answer ${JSON.stringify(answer)}`);
        // An ERROR frame is the last one.
        const at = answer.lastIndexOf('\0ERROR\n') + 1 || (answer.startsWith('ERROR\n') ? 0 : -1);
        if (at < 0) continue;
        errors += 1;
        if (answer.indexOf('\0', at) !== answer.length - 1)
          throw new Error(`something follows an ERROR: ${JSON.stringify(answer)}`);
      }
    }
    expect(errors).toBeGreaterThan(MUTATIONS / 3);
    expect(log.filter((line) => line.startsWith('error'))).toEqual([]);
    expect(host.kind('stomp').status()).toMatchObject({ state: 'running' });
    expect(host.kind('stomp').status()['exceptions']).toBeUndefined();
    await checkRealClient(port);
    await eventually(() => Number(host.kind('stomp').status()['connections']) <= 1);
  });

  it('are held to 64 KiB before CONNECT', async () => {
    const { port } = await startHost();
    for (const flood of [
      `CONNECT\n${'a:b\n'.repeat(900)}x:`,
      'CONNECT\n\n',
      'CONNECT\ncontent-length:32768\n\n',
      '\n',
    ]) {
      const client = await RawClient.open(port);
      client.send(flood);
      let sent = 0;
      while (!client.isClosed && sent < 200) {
        client.send(Buffer.alloc(1_024, flood === '\n' ? '\n' : 'x'));
        sent += 1;
        await new Promise((resolve) => setImmediate(resolve));
        if (flood !== '\n' && client.frames.length > 0) break;
      }
      if (flood === '\n') expect(client.frames).toEqual([]);
      else expect(client.frames[0]?.command).toBe('ERROR');
      // A loop may run ahead of the answer a little.
      if (flood !== '\n') expect(sent).toBeLessThan(100);
      client.socket.destroy();
    }
  });

  it.each([
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex'), /^ERROR\nmessage:malformed frame\n/],
    [
      'HTTP',
      Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'),
      /^ERROR\nmessage:unknown command\n|^$/,
    ],
    ['HTTP GET', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), /^HTTP\/1\.1 426 /],
    ['broken HTTP', Buffer.from('GET /\0 nonsense\r\n\r\n'), /^HTTP\/1\.1 400 /],
    ['0xff', Buffer.alloc(70_000, 255), /^ERROR\nmessage:malformed frame\n/],
  ])('of %s get their answer', async (_name, bytes, answer) => {
    const { port, log } = await startHost();
    expect(await exchange(port, bytes)).toMatch(answer);
    expect(log).toEqual([]);
  });

  it('that stop in the middle leave nothing behind', async () => {
    const { port, host } = await startHost();
    for (let length = 1; length < SESSION.length; length += 29) {
      const socket = net.connect({ port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(SESSION.subarray(0, length));
      await new Promise((resolve) => setImmediate(resolve));
      abandon(socket);
    }
    await eventually(() => host.kind('stomp').status()['connections'] === 0);
    await checkRealClient(port);
  });
});

describe('WebSockets', () => {
  const open = async (port: number, protocols: string[] = []): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/any/path`, protocols);
    afterThis(() => socket.terminate());
    await once(socket, 'open');
    return socket;
  };
  const CONNECT = 'CONNECT\naccept-version:1.2\n\n\0';

  it.each([
    [['v10.stomp', 'v12.stomp', 'v11.stomp'], 'v12.stomp'],
    [['v10.stomp', 'v11.stomp'], 'v11.stomp'],
    [['v10.stomp'], 'v10.stomp'],
    [[], ''],
  ])('agree on one of %j', async (offered, agreed) => {
    const { port } = await startHost();
    expect((await open(port, offered)).protocol).toBe(agreed);
  });

  it('carry frames in any pieces, as text where they are text', async () => {
    const { port } = await startHost();
    const socket = await open(port);
    const got: [string, boolean][] = [];
    socket.on('message', (data: Buffer, isBinary) => got.push([data.toString('latin1'), isBinary]));
    for (const byte of `${CONNECT}SUBSCRIBE\nid:1\ndestination:/topic/a\n\n\0`) socket.send(byte);
    socket.send('SEND\ndestination:/topic/a\n\none\0\nSEND\ndestination:/topic/a\n\ntwo\0');
    socket.send(Buffer.from('SEND\ndestination:/topic/a\ncontent-length:1\n\n\xff\0', 'latin1'));
    await eventually(() => got.length === 4);
    expect(got.map(([text, isBinary]) => [text.slice(0, text.indexOf('\n')), isBinary])).toEqual([
      ['CONNECTED', false],
      ['MESSAGE', false],
      ['MESSAGE', false],
      ['MESSAGE', true],
    ]);
  });

  it('end with 1002 after an ERROR, with 1000 after DISCONNECT, with 1001 when the server stops', async () => {
    const { port, host } = await startHost();
    const codes: number[] = [];
    for (const frames of ['NO\n\n\0', `${CONNECT}DISCONNECT\nreceipt:1\n\n\0`]) {
      const socket = await open(port);
      socket.on('close', (code) => codes.push(code));
      socket.send(frames);
    }
    await eventually(() => codes.length === 2);
    expect(codes.sort()).toEqual([1000, 1002]);
    const socket = await open(port);
    socket.on('close', (code) => codes.push(code));
    socket.send(CONNECT);
    await once(socket, 'message');
    await host.stop(1_000);
    await eventually(() => codes.length === 3);
    expect(codes[2]).toBe(1001);
  });

  it('are held to 64 KiB before CONNECT', async () => {
    const { port } = await startHost();
    const socket = await open(port);
    const closed = once(socket, 'close');
    socket.send(`CONNECT\n\n${'x'.repeat(1_000_000)}\0`);
    expect((await closed)[0]).toBe(1009);
    const quick = await open(port);
    const got: string[] = [];
    quick.on('message', (data: Buffer) => got.push(data.toString()));
    quick.send(CONNECT);
    quick.send(`SEND\ndestination:/topic/a\nreceipt:1\n\n${'x'.repeat(1_000_000)}\0`);
    await eventually(() => got.length === 2);
    expect(got[1]).toMatch(/^RECEIPT\n/);
  });

  it('refuse messages beyond the limit and frames that lie', async () => {
    const { port, host } = await startHost({ max_message_bytes: 1_000 });
    const big = await open(port);
    const closed = once(big, 'close');
    big.send(Buffer.alloc(100_000, 'A'));
    expect((await closed)[0]).toBe(1009);
    const raw = await RawClient.open(port);
    raw.send(
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    raw.send(Buffer.from('82ff7fffffffffffffff00000000', 'hex'));
    await raw.closes();
    await eventually(() => host.kind('stomp').status()['connections'] === 0);
    await checkRealClient(port);
  });

  it('cut off a subscriber that does not read', async () => {
    const { port, host } = await startHost();
    const slow = await open(port);
    slow.send(`${CONNECT}SUBSCRIBE\nid:1\ndestination:/topic/a\nreceipt:1\n\n\0`);
    let got = 0;
    slow.on('message', () => (got += 1));
    await eventually(() => got === 2);
    slow.pause();
    const sender = await RawClient.connect(port);
    const frame = `SEND\ndestination:/topic/a\n\n${'x'.repeat(256 * 1024)}\0`;
    for (let sent = 0; host.kind('stomp').status()['connections'] === 2; sent += 1) {
      expect(sent).toBeLessThan(200);
      await sender.request(frame);
    }
    expect(host.kind('stomp').status()['connections']).toBe(1);
  });

  it('are taken over TLS', async () => {
    const { port } = await startHost({ tls: {} });
    const socket = new WebSocket(`wss://127.0.0.1:${port}`, ['v12.stomp'], { rejectUnauthorized: false });
    afterThis(() => socket.terminate());
    await once(socket, 'open');
    const answer = once(socket, 'message') as Promise<[Buffer]>;
    socket.send(CONNECT);
    const [data] = await answer;
    expect(data.toString()).toMatch(/^CONNECTED\nversion:1\.2\n/);
  });

  it('get a long backlog as fast as they read', async () => {
    const { port } = await startHost();
    const sender = await RawClient.connect(port);
    for (let n = 0; n < 1_000; n += 1) sender.send(`SEND\ndestination:/queue/a\n\n${'x'.repeat(10_000)}\0`);
    await sender.request('BEGIN\ntransaction:t\n\n\0');
    const socket = await open(port);
    let got = 0;
    socket.on('message', () => (got += 1));
    socket.send(`${CONNECT}SUBSCRIBE\nid:1\ndestination:/queue/a\n\n\0`);
    await eventually(() => got === 1_001);
  });
});
