import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { post, startGraphql, stopAll } from './support/graphql-host.js';
import { closeSockets, openSocket } from './support/raw-socket.js';

afterEach(async () => {
  closeSockets();
  await stopAll();
});

const MOCK = { id: 'ticks', operation_type: 'subscription', operation_name: 'Ticks' };
const subscribe = (id: string, variables?: object): object => ({
  id,
  type: 'subscribe',
  payload: { query: 'subscription Ticks { tick }', variables },
});
const next = (id: string, payload: string): string => `{"id":"${id}","type":"next","payload":${payload}}`;

describe('a subscription', () => {
  it('is sent the entries in order, rendered and not written anew, then stays open', async () => {
    const stream = [
      { data: '{"data": {"tick":   1.0, "big": 12345678901234567890}}' },
      { data: '{"data": {"of": "{{request.variables.text}}", "n": {{request.variables.n}}}}' },
      { data: '{"data": null, "errors": [{"message": "three"}]}' },
    ];
    const { socketUrl, host } = await startGraphql([{ ...MOCK, stream }]);
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1', { text: 'a "quote"\n', n: 7 }));
    expect(await socket.text()).toBe(next('1', stream[0]?.data ?? ''));
    expect(await socket.text()).toBe(next('1', '{"data": {"of": "a \\"quote\\"\\n", "n": 7}}'));
    expect(await socket.text()).toBe(next('1', stream[2]?.data ?? ''));
    const [open] = host.streams.list();
    expect(open).toMatchObject({ protocol: 'graphql', mock_id: 'ticks' });
    expect(await socket.send({ type: 'ping' }).text()).toBe('{"type":"pong"}');
    expect(host.journal.list()).toMatchObject([
      { method: 'subscription', path: 'Ticks', matched_id: 'ticks' },
    ]);
  });

  it('waits on the virtual clock before entries with a delay', async () => {
    const { socketUrl, host } = await startGraphql([
      {
        ...MOCK,
        stream: [
          { data: '{"data":1}' },
          { data: '{"data":2}', delay: '1h' },
          { data: '{"data":3}' },
          { data: '{"data":4}', delay: '1m' },
        ],
      },
    ]);
    host.clock.freeze(true);
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1'));
    expect(await socket.text()).toBe(next('1', '{"data":1}'));
    await host.clock.advance(3_599_999);
    socket.send({ type: 'ping' });
    expect(await socket.text()).toBe('{"type":"pong"}');
    await host.clock.advance(1);
    expect(await socket.text()).toBe(next('1', '{"data":2}'));
    expect(await socket.text()).toBe(next('1', '{"data":3}'));
    await host.clock.advance(60_000);
    expect(await socket.text()).toBe(next('1', '{"data":4}'));
  });

  it.each([
    ['{"data": {{request.variables.text}}}', '{"data": oops}'],
    ['{{request.variables.n}}', '7'],
  ])('ends with an error at an entry such as %s', async (data, shown) => {
    const { socketUrl, host } = await startGraphql([
      { ...MOCK, stream: [{ data: '{"data":1}' }, { data }, { data: '{"data":3}' }] },
    ]);
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1', { text: 'oops', n: 7 }));
    expect(await socket.text()).toBe(next('1', '{"data":1}'));
    expect(await socket.next()).toEqual({
      id: '1',
      type: 'error',
      payload: [
        {
          message: `stream entry 1 of mock "ticks" does not render to a JSON object: ${JSON.stringify(shown)}`,
        },
      ],
    });
    expect(host.streams.list()).toEqual([]);
    // The socket is as good as before.
    socket.send(subscribe('1', { text: '1', n: 7 }));
    expect(await socket.text()).toBe(next('1', '{"data":1}'));
  });

  it('of a mock with a response is sent that, and stays open', async () => {
    const { socketUrl, host } = await startGraphql([{ ...MOCK, response: { tick: 1 } }]);
    const socket = await openSocket(socketUrl);
    expect(await socket.send(subscribe('1')).text()).toBe(next('1', '{"data":{"tick":1}}'));
    expect(host.streams.list()).toHaveLength(1);
  });

  it('may be one of many on a socket, each a stream of its own', async () => {
    const { socketUrl, host } = await startGraphql([{ ...MOCK, stream: [] }]);
    const first = await openSocket(socketUrl);
    const second = await openSocket(socketUrl);
    for (let id = 0; id < 20; id += 1) first.send(subscribe(`a${id}`));
    second.send(subscribe('b'));
    await eventually(() => host.streams.list().length === 21);
    expect(host.streams.push({ protocol: 'graphql', mock_id: 'ticks' }, '{"data": {"n":  1}}')).toBe(21);
    for (let id = 0; id < 20; id += 1) expect(await first.text()).toBe(next(`a${id}`, '{"data": {"n":  1}}'));
    expect(await second.text()).toBe(next('b', '{"data": {"n":  1}}'));
    first.send({ id: 'a7', type: 'complete' });
    await eventually(() => host.streams.list().length === 20);
    first.socket.terminate();
    await eventually(() => host.streams.list().length === 1);
    expect(host.journal.list().filter((entry) => entry['aborted'] === true)).toHaveLength(19);
  });

  it('ends while an entry is waited for, and nothing comes after', async () => {
    const { socketUrl, host } = await startGraphql([
      { ...MOCK, stream: [{ data: '{"data":1}', delay: '1h' }] },
    ]);
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1'));
    await eventually(() => host.streams.list().length === 1);
    socket.send({ id: '1', type: 'complete' });
    await eventually(() => host.streams.list().length === 0);
    await host.clock.advance(3_600_000);
    socket.send({ type: 'ping' });
    expect(await socket.text()).toBe('{"type":"pong"}');
    expect(host.journal.list()[0]?.['aborted']).toBeUndefined();
  });

  it('over plain HTTP is told to come over WebSocket', async () => {
    const { url, host } = await startGraphql([{ ...MOCK, stream: [] }]);
    const answer = await post(url, { query: 'subscription Ticks { tick }' });
    expect(answer.status).toBe(200);
    expect(answer.json.errors).toEqual([
      {
        message:
          'subscription Ticks is a stream: connect over WebSocket with the subprotocol graphql-transport-ws, or accept text/event-stream',
        extensions: { code: 'WEBSOCKET_REQUIRED' },
      },
    ]);
    expect(host.streams.list()).toEqual([]);
    expect(host.kind('graphql').calls.of('ticks').count).toBe(1);
  });
});

describe('what is pushed', () => {
  it('is an object or the text of one', async () => {
    const { socketUrl, host } = await startGraphql([{ ...MOCK, stream: [] }]);
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1'));
    await eventually(() => host.streams.list().length === 1);
    const target = { protocol: 'graphql', conn_id: host.streams.list()[0]?.id ?? '' };
    for (const data of ['no json', '7', '[]', 'null', 7, null, [], undefined])
      expect(() => host.streams.push(target, data)).toThrow(/data/);
    expect(host.streams.push(target, { data: { tick: '{{now}}' } })).toBe(1);
    expect(await socket.text()).toBe(next('1', '{"data":{"tick":"{{now}}"}}'));
    expect(socket.count).toBe(0);
  });

  it('cuts a reader that does not read, and others go on', async () => {
    const { socketUrl, host, port } = await startGraphql([{ ...MOCK, stream: [] }]);
    const reading = await openSocket(socketUrl);
    reading.send(subscribe('1'));
    const idle = await openIdle(port);
    await eventually(() => host.streams.list().length === 2);
    const data = { data: { text: 'x'.repeat(100_000) } };
    const target = { protocol: 'graphql', mock_id: 'ticks' };
    let sent = 0;
    while (host.streams.list().length === 2) {
      if (sent > 1000) throw new Error('100 MB wait for a reader that does not read');
      host.streams.push(target, data);
      sent += 1;
      await reading.text();
    }
    expect(host.streams.list()).toHaveLength(1);
    host.streams.push(target, { data: 1 });
    expect(await reading.text()).toBe(next('1', '{"data":1}'));
    idle.destroy();
  });

  it('does not cut a reader whose stream is long', async () => {
    const data = `{"data":{"text":"${'x'.repeat(50_000)}"}}`;
    const stream = Array.from({ length: 200 }, () => ({ data }));
    const { socketUrl } = await startGraphql([{ ...MOCK, stream }]);
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1'));
    for (let count = 0; count < stream.length; count += 1) expect(await socket.text()).toBe(next('1', data));
  });
});

/** A client that subscribes and then never reads. */
async function openIdle(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    'GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  );
  await once(socket, 'data');
  socket.pause();
  for (const message of [{ type: 'connection_init' }, subscribe('1')])
    socket.write(frame(JSON.stringify(message)));
  return socket;
}

/** A text frame of a client, masked with zeros (RFC 6455, section 5.2). */
function frame(text: string): Buffer {
  const head = Buffer.from([0x81, 0xfe, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(Buffer.byteLength(text), 2);
  return Buffer.concat([head, Buffer.from(text)]);
}
