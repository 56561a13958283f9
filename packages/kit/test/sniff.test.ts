import http from 'node:http';
import http2 from 'node:http2';
import { once } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { sniff, timers, type Connection, type SniffOptions } from '../src/index.js';
import { closeAll, closeOf, connect, echo, listen, readAll, readUntil, until } from './clients.js';

afterEach(closeAll);

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

function isPrefix(head: Buffer, whole: string): boolean {
  return whole.startsWith(head.toString('latin1'));
}

/** An echo that says who answers. */
function sayName(name: string): (connection: Connection) => void {
  return (connection) => {
    connection.write(`${name}:`);
    echo(connection);
  };
}

const byVerb: SniffOptions = {
  bytes: 4,
  choose: (head) => {
    if (head.toString('latin1') === 'GET ') return sayName('web');
    return isPrefix(head, 'GET ') ? 'more' : sayName('messages');
  },
};

describe('sniffing', () => {
  it('loses no byte, in one piece or byte by byte', async () => {
    const { port } = await listen({ onConnection: (connection) => sniff(connection, byVerb) });
    for (const text of ['GET / and more', 'PING', 'GEX', 'G!']) {
      const whole = await connect(port);
      whole.end(text);
      const expected = `${text.startsWith('GET ') ? 'web' : 'messages'}:${text}`;
      expect(await readAll(whole)).toBe(expected);
      const slow = await connect(port);
      const answer = readAll(slow);
      for (const byte of text) {
        slow.write(byte);
        await timers.wait(2);
      }
      slow.end();
      expect(await answer).toBe(expected);
    }
  });

  it('drops a client that sends nothing, or hands it to a default', async () => {
    const { port, server } = await listen({
      onConnection: (connection) => sniff(connection, { ...byVerb, timeout: 30 }),
    });
    expect(await readAll(await connect(port))).toBe('');
    const half = await connect(port);
    half.write('GE');
    expect(await readAll(half)).toBe('');
    await until(() => server.connections === 0);

    const patient = await listen({
      onConnection: (connection) =>
        sniff(connection, { ...byVerb, timeout: 20, onSilence: sayName('greeting') }),
    });
    const client = await connect(patient.port);
    expect(await readUntil(client, 'greeting:')).toBe('greeting:');
    client.write('late');
    expect(await readUntil(client, 'late')).toBe('late');
  });

  it('lets go of a client that leaves before the decision', async () => {
    const { port, server } = await listen({ onConnection: (connection) => sniff(connection, byVerb) });
    const client = await connect(port);
    client.end('GE');
    await closeOf(client);
    await until(() => server.connections === 0);
  });

  it('ends a connection that cannot be decided on, or whose choice throws', async () => {
    const onError = jest.fn();
    const { port } = await listen({
      onError,
      onConnection: (connection) =>
        sniff(connection, {
          bytes: 2,
          choose: (head) => {
            if (head[0] === 33) throw new Error('no choice');
            return 'more';
          },
        }),
    });
    for (const text of ['ab', '!']) {
      const client = await connect(port);
      client.write(text);
      expect(await readAll(client)).toBe('');
    }
    expect(onError).toHaveBeenCalledTimes(1);
    expect(onError).toHaveBeenCalledWith(new Error('no choice'), 'connection', expect.anything());
  });

  it('parts HTTP/2 with prior knowledge from HTTP/1.1 and from messages', async () => {
    const one = http.createServer((request, response) => response.end(`1.1 ${request.url}`));
    const two = http2.createServer((request, response) => void response.end(`2 ${request.url}`));
    const { port, server } = await listen({
      onConnection: (connection) =>
        sniff(connection, {
          bytes: PREFACE.length,
          choose: (head) => {
            if (head.toString('latin1') === PREFACE) {
              return () => connection.handOver(two, { halfOpen: true });
            }
            if (isPrefix(head, PREFACE)) return 'more';
            return head[0] === 0 ? echo : () => connection.handOver(one, { halfOpen: true });
          },
        }),
    });
    expect(await (await fetch(`http://127.0.0.1:${port}/a`)).text()).toBe('1.1 /a');
    const posted = await fetch(`http://127.0.0.1:${port}/b`, { method: 'POST', body: 'x'.repeat(300_000) });
    expect(await posted.text()).toBe('1.1 /b');
    const session = http2.connect(`http://127.0.0.1:${port}`);
    for (const path of ['/c', '/d']) {
      const [data] = (await once(session.request({ ':path': path }), 'data')) as [Buffer];
      expect(data.toString()).toBe(`2 ${path}`);
    }
    session.close();
    await once(session, 'close');
    const messages = await connect(port);
    messages.write('\0binary');
    expect(await readUntil(messages, 'binary')).toBe('\0binary');
    await server.stop();
  });
});
