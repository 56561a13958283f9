import { execFile } from 'node:child_process';
import tls from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { Client, startHost } from './support.js';

const MIB = 1024 * 1024;

describe('delays', () => {
  it('keep the order of one connection and never hold up another', async () => {
    const { host, port } = await startHost({
      mocks: [
        { match: 'slow', response: 'S', delay: '1h' },
        { match: 'fast', response: 'F' },
      ],
    });
    const first = await Client.connect(port);
    const second = await Client.connect(port);
    await first.send('slowfast');
    await second.send('fast');
    expect(await second.receives('F')).toBe('F');
    expect(first.text).toBe('');
    await eventually(() => host.kind('tcp').calls.of(host.kind('tcp').mocks.list()[0]?.id ?? '').count === 1);
    await host.clock.advance(3_600_000);
    expect(await first.receives('SF')).toBe('SF');
  });

  it('end when the client leaves', async () => {
    const { host, port } = await startHost({
      mocks: [{ id: 'slow', match: 'slow', response: 'S', delay: '1h' }],
    });
    const client = await Client.connect(port);
    await client.send('slow');
    await eventually(() => host.kind('tcp').calls.of('slow').count === 1);
    client.socket.resetAndDestroy();
    await eventually(() => host.kind('tcp').status()['connections'] === 0);
    expect(host.journal.list()).toMatchObject([{ matched_id: 'slow', aborted: true }]);
  });

  it('stop within the grace with answers that wait', async () => {
    const { host, port } = await startHost({
      mocks: [
        { match: 'slow', response: 'S', delay: '1h' },
        { match: 'soon', response: 'N', delay: '30ms' },
      ],
    });
    const slow = await Client.connect(port);
    const soon = await Client.connect(port);
    await slow.send('slow');
    await soon.send('soon');
    await eventually(() =>
      host
        .kind('tcp')
        .mocks.list()
        .every(({ id }) => host.kind('tcp').calls.of(id).count === 1),
    );
    // The slow one would let nothing move for an hour.
    await host.stop(300);
    await soon.closes();
    expect(soon.text).toBe('N');
    expect(slow.text).toBe('');
  });
});

describe('clients that do not read', () => {
  it('are not read from either, and lose nothing', async () => {
    const big = 'x'.repeat(256 * 1024);
    const { host, port } = await startHost({ mocks: [{ match: 'big.', response: big }] });
    const client = await Client.connect(port);
    client.socket.pause();
    await client.send('big.'.repeat(100));
    await eventually(() => host.journal.list().length > 0);
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(host.journal.count().count).toBeLessThan(100);
    client.socket.resume();
    await client.until(() => client.size === 100 * big.length);
    expect(host.journal.count().count).toBe(100);
  });

  it('may send a mebibyte while an answer waits, and are paused beyond it', async () => {
    const { host, port } = await startHost({
      mocks: [
        { match: 'slow', response: 'S', delay: '1h' },
        { match: '*', response: '.' },
      ],
    });
    const client = await Client.connect(port);
    await client.send('slow');
    await eventually(
      () =>
        host.journal.count().count === 1 ||
        host.kind('tcp').calls.of(host.kind('tcp').mocks.list()[0]?.id ?? '').count === 1,
    );
    client.socket.write(Buffer.alloc(32 * MIB, 0x61));
    await eventually(() => client.socket.bytesWritten >= MIB);
    for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(client.socket.writableLength).toBeGreaterThan(0);
    await host.clock.advance(3_600_000);
    await eventually(() => client.socket.writableLength === 0);
    await client.until(() => client.size >= 2);
    expect(client.text.startsWith('S.')).toBe(true);
  });
});

describe('faults', () => {
  it('close the connection when nothing else is said', async () => {
    const { host, port } = await startHost({ mocks: [{ id: 'ping', match: 'PING', response: 'PONG' }] });
    host.faults.set('tcp', {});
    const client = await Client.connect(port);
    await client.send('PING');
    expect(await client.closes()).toBe('end');
    expect(client.text).toBe('');
    expect(host.journal.list()).toMatchObject([{ matched_id: 'ping', fault: true }]);
  });

  it('send a response in place of the answer, and stay open', async () => {
    const { host, port } = await startHost({ mocks: [{ match: 'PING', response: 'PONG' }] });
    const client = await Client.connect(port);
    host.faults.set('tcp', { response: 'hex:deadbeef' });
    await client.send('PING');
    await client.until(() => client.size === 4);
    expect(client.bytes.toString('hex')).toBe('deadbeef');
    host.faults.set('tcp', { response: 'broken' });
    await client.send('other');
    expect((await client.receives('1234broken')).endsWith('broken')).toBe(true);
    host.faults.clear('tcp');
    await client.send('PING');
    expect((await client.receives('1234brokenPONG')).endsWith('brokenPONG')).toBe(true);
  });

  itWithTool(PYTHON, 'send JSON or bytes in place of the answer', async () => {
    const { host, port } = await startHost({ mocks: [{ match: 'PING', response: 'PONG' }], framing: 'line' });
    const script = [
      'import socket',
      `s = socket.create_connection(("127.0.0.1", ${port}), 10)`,
      's.sendall(b"PING\\n")',
      'print(s.makefile().readline(), end="")',
    ].join('\n');
    const ask = async (): Promise<string> => (await runTool(PYTHON, ['-c', script])).out;
    host.faults.set('tcp', { json: { error: { code: 7, text: '{{no tag}}' } } });
    expect(await ask()).toBe('{"error":{"code":7,"text":"{{no tag}}"}}\n');
    host.faults.set('tcp', { response_base64: 'b29wcw==' });
    expect(await ask()).toBe('oops\n');
    host.faults.clear('tcp');
    expect(await ask()).toBe('PONG\n');
  });

  it('reset the connection', async () => {
    const { host, port } = await startHost({ mocks: [{ match: 'PING', response: 'PONG' }] });
    host.faults.set('tcp', { reset: true });
    const client = await Client.connect(port);
    await client.send('PING');
    expect(await client.closes()).toBe('reset');
  });

  it('reset connections as soon as they are made', async () => {
    const { host, port } = await startHost();
    host.faults.set('tcp', { phase: 'connect' });
    const outcome = await Client.connect(port).then(
      (client) => client.closes(),
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect(['reset', 'ECONNRESET']).toContain(outcome);
    expect(host.journal.list()).toEqual([]);
  });

  it('only delay when they have only a delay', async () => {
    const { host, port } = await startHost({ mocks: [{ match: 'PING', response: 'PONG' }] });
    host.faults.set('tcp', { delay: '1h' });
    const client = await Client.connect(port);
    await client.send('PING');
    await eventually(() => host.kind('tcp').calls.of(host.kind('tcp').mocks.list()[0]?.id ?? '').count === 1);
    await host.clock.advance(3_600_000);
    expect(await client.receives('PONG')).toBe('PONG');
  });

  it('are refused when they cannot be sent', async () => {
    const { host } = await startHost();
    expect(() => host.faults.set('tcp', { response: 'hex:x' })).toThrow('hex:x');
    expect(() => host.faults.set('tcp', { response: 1 })).toThrow('response');
    expect(() => host.faults.set('tcp', { response: {} })).toThrow('a JSON value is given as "json"');
    expect(() => host.faults.set('tcp', { response: 'a', json: {} })).toThrow('not response as well');
    expect(() => host.faults.set('tcp', { response_base64: 'a' })).toThrow('is not base64');
  });

  it('come with scenarios, as patches of mocks do', async () => {
    const { host, port } = await startHost({ mocks: [{ id: 'ping', match: 'PING', response: 'PONG' }] });
    host.scenarios.create({
      id: 'other',
      patches: [{ mock_id: 'ping', body: 'other', merge: { match: 'PI' } }],
    });
    host.scenarios.create({ id: 'down', faults: { tcp: { reset: true } } });
    host.scenarios.activate('other');
    const client = await Client.connect(port);
    await client.send('PIPI');
    expect(await client.receives('otherother')).toBe('otherother');
    host.scenarios.activate('down');
    await client.send('PI');
    expect(await client.closes()).toBe('reset');
  });
});

describe('robustness', () => {
  it('garbage, a TLS hello and HTTP are messages like others', async () => {
    const { host, port } = await startHost({
      mocks: [
        { match: 'GET / *', response: 'not HTTP', close: true },
        { match: 'PING', response: 'PONG' },
      ],
    });
    const garbage = await Client.connect(port);
    await garbage.send(Buffer.from([0xff, 0xfe, 0x00, 0x80]));
    const hello = await Client.connect(port);
    await hello.send(Buffer.from('160301020001000001fc0303', 'hex'));
    const http = await Client.connect(port);
    await http.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await http.closes()).toBe('end');
    expect(http.text).toBe('not HTTP');
    await eventually(() => host.journal.list().length === 3);
    const good = await Client.connect(port);
    await good.send('PING');
    expect(await good.receives('PONG')).toBe('PONG');
  });

  it('a frame without end is cut off, and a line in the log says so', async () => {
    const { port, log } = await startHost({ delimiter: '\n', mocks: [{ match: 'PING', response: 'PONG' }] });
    const client = await Client.connect(port);
    client.socket.write(Buffer.alloc(2 * MIB, 0x61));
    await client.closes();
    const good = await Client.connect(port);
    await good.send('PING\n');
    expect(await good.receives('PONG')).toBe('PONG');
    expect(log).toHaveLength(1);
    expect(log[0]).toContain('1048576');
  });

  it('a response that cannot be rendered ends its connection only', async () => {
    const deep =
      '{{#request.body}}{{#request.body}}{{#request.body}}x{{/request.body}}{{/request.body}}{{/request.body}}';
    const { host, port, log } = await startHost({
      mocks: [
        { id: 'bomb', match: '[*', response: deep },
        { match: 'PING', response: 'PONG' },
      ],
    });
    const open = await Client.connect(port);
    const client = await Client.connect(port);
    await client.send(JSON.stringify(new Array(1000).fill(1)));
    await client.closes();
    expect(client.text).toBe('');
    await open.send('PING');
    expect(await open.receives('PONG')).toBe('PONG');
    expect(host.journal.list()).toMatchObject([{ matched_id: 'bomb' }, { body: 'PING' }]);
    expect(log).toHaveLength(1);
  });

  it('takes 500 connections at once, half of which are reset amid a message', async () => {
    const { host, port } = await startHost({ mocks: [{ match: 'PINGPONG', response: 'ok' }] });
    const clients = await Promise.all(Array.from({ length: 500 }, () => Client.connect(port)));
    await Promise.all(clients.map((client, index) => client.send(index % 2 === 0 ? 'PINGPONG' : 'PING')));
    clients.forEach((client, index) => index % 2 === 1 && client.socket.resetAndDestroy());
    const answers = await Promise.all(
      clients.filter((_, index) => index % 2 === 0).map((client) => client.receives('ok')),
    );
    expect(new Set(answers)).toEqual(new Set(['ok']));
    for (const client of clients) client.socket.destroy();
    await eventually(() => host.kind('tcp').status()['connections'] === 0);
  });

  it('closes idle connections, half-open ones too', async () => {
    const { host, port } = await startHost({ idle_timeout: '50ms' });
    const client = await Client.connect(port);
    const half = await Client.connect(port);
    await half.send('x');
    await Promise.all([
      client.until(() => client.socket.closed || client.closing !== 'open'),
      half.until(() => half.closing !== 'open'),
    ]);
    await eventually(() => host.kind('tcp').status()['connections'] === 0);
  });

  it('refuses a bad configuration', async () => {
    await expect(startHost({ idle_timeout: 'soon' })).rejects.toThrow('soon');
    await expect(startHost({ delimiter: '' })).rejects.toThrow('delimiter');
  });
});

describe('TLS', () => {
  it('speaks it with the certificate of the process', async () => {
    const { host, port } = await startHost({
      tls: { self_signed: true },
      mocks: [{ match: 'PING', response: 'PONG' }],
    });
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    const client = new Client(socket);
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    await client.send('PING');
    expect(await client.receives('PONG')).toBe('PONG');
    expect(host.kind('tcp').status()).toMatchObject({ tls: true });
    const plain = await Client.connect(port);
    await plain.send('PING and more');
    await plain.until(() => plain.closing !== 'open');
    expect(plain.text).not.toContain('PONG');
  });
});

describe('other clients', () => {
  itWithTool('python3', "Python's sockets", async () => {
    const { port } = await startHost({ mocks: [{ match: 'HELLO\n', response: 'hi {{request.raw_body}}' }] });
    const script = [
      'import socket, time',
      `s = socket.create_connection(("127.0.0.1", ${port}))`,
      's.sendall(b"HEL"); time.sleep(0.01); s.sendall(b"LO\\n"); s.shutdown(socket.SHUT_WR)',
      'data = b""',
      'while True:',
      '    part = s.recv(100)',
      '    if not part: break',
      '    data += part',
      'print(data.decode(), end="")',
    ].join('\n');
    const output = await new Promise<string>((resolve, reject) =>
      execFile('python3', ['-c', script], (error, stdout) => (error ? reject(error) : resolve(stdout))),
    );
    expect(output).toBe('hi HELLO\n');
  });
});
