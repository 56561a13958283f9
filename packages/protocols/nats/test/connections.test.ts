import net from 'node:net';
import tls from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { eventually } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { processCertificate } from '@backlot/kit';
import { nats } from '../src/index.js';
import { afterThis, connect2, connect3, converse, QUIET, RawClient, startHost } from './support.js';

describe('login', () => {
  const users = [{ username: 'ada', password: 'secret' }, { token: 't0k3n' }];

  it('passes with anything where no users are configured', async () => {
    const { port } = await startHost();
    for (const options of [{}, { user: 'a', pass: 'b' }, { token: 'c' }]) {
      expect((await connect3(port, options)).info?.auth_required).toBeUndefined();
      await connect2(port, options);
    }
  });

  it('is held up and refused by faults of its phase, whoever logs in, and clients that leave meanwhile are forgotten', async () => {
    const { host, port, kind } = await startHost({ users });
    host.clock.freeze(true);
    host.faults.set('nats', { phase: 'login', delay: '10m', error_rate: 0, times: 2 });
    const client = await RawClient.connect(port);
    const left = await RawClient.connect(port);
    const login = 'CONNECT {"auth_token":"t0k3n","verbose":false}\r\nPING\r\n';
    client.send(login);
    left.send(login);
    await eventually(() => (host.faults.get('nats')?.left as { times: number }).times === 0);
    left.socket.destroy();
    await eventually(() => kind.status()['connections'] === 1);
    expect(client.received.toString()).not.toContain('PONG');
    await host.clock.advance(600_000);
    await client.until(() => client.received.toString().includes('PONG'));
    host.faults.set('nats', { phase: 'login', times: 1 });
    await expect(connect2(port, { token: 't0k3n' })).rejects.toThrow(/authorization violation/i);
    await connect2(port, { token: 't0k3n' });
    client.send('PING\r\n');
    await client.until(() => client.received.toString().split('PONG').length === 3);
  });

  it('takes users and tokens, and refuses others', async () => {
    const { port, kind } = await startHost({ users });
    const ada = await connect3(port, { user: 'ada', pass: 'secret' });
    expect(ada.info?.auth_required).toBe(true);
    await connect3(port, { token: 't0k3n' });
    await connect2(port, { user: 'ada', pass: 'secret' });
    await connect2(port, { token: 't0k3n' });
    for (const wrong of [
      {},
      { user: 'ada', pass: 'Secret' },
      { user: 'ada' },
      { token: 'secret' },
      { user: '', pass: '' },
    ]) {
      await expect(connect3(port, wrong)).rejects.toThrow(/authorization violation/i);
      await expect(connect2(port, wrong)).rejects.toThrow(/authorization violation/i);
    }
    await eventually(() => kind.status()['connections'] === 4);
  });

  it('comes before everything else, and soon', async () => {
    const { port } = await startHost({ users });
    const violation = "-ERR 'Authorization Violation'\r\n<closed>";
    expect(await converse(port, '')).toBe(violation);
    expect(await converse(port, 'SUB > 1\r\n')).toBe(violation);
    expect(await converse(port, 'CONNECT {"user":"ada","pass":"secret"}\r\nCONNECT {"user":"ada"}\r\n')).toBe(
      `+OK\r\n${violation}`,
    );
    const silent = await RawClient.connect(port);
    expect(await silent.untilClosed()).toBe("-ERR 'Authentication Timeout'\r\n");
  });
});

describe('TLS', () => {
  it('is upgraded to after the greeting', async () => {
    const { port, kind } = await startHost({ tls: {} }, [{ subject: 'a', response: { payload: 'b' } }]);
    const { cert } = await processCertificate();
    const options = { tls: { ca: cert } };
    for (const connect of [connect3 as unknown as typeof connect2, connect2]) {
      const client = await connect(port, options);
      expect(client.info).toMatchObject({ tls_required: true });
      expect((await client.request('a', '', { timeout: 60_000 })).string()).toBe('b');
    }
    expect(kind.status()['tls']).toBe(true);
  });

  it('is refused to nobody who does not ask for it, where it is a choice', async () => {
    const { port } = await startHost({ tls: { self_signed: true }, allow_non_tls: true });
    const unsecured = await connect3(port, { tls: null });
    expect(unsecured.info).toMatchObject({ tls_available: true });
    const secured = await connect3(port, { tls: { rejectUnauthorized: false } });
    expect(await secured.rtt()).toBeGreaterThanOrEqual(0);
    const plain = await RawClient.connect(port);
    expect(await plain.ask(`${QUIET}SUB a 1\r\nPUB a 1\r\nx\r\n`)).toBe('MSG a 1 1\r\nx\r\n');
  });

  it('ends a connection that goes on in the clear, and drops what came before it', async () => {
    const { port, captured } = await startHost({ tls: {} });
    expect(await converse(port, `${QUIET}PUB a 1\r\nx\r\n`)).toMatch(/<closed>$/);
    expect(captured()).toEqual([]);
  });

  it('comes first where it is implicit', async () => {
    const { port } = await startHost({ tls: { mode: 'implicit' } });
    const client = await connect3(port, { tls: { handshakeFirst: true, rejectUnauthorized: false } });
    expect(client.info?.tls_required).toBe(true);
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    afterThis(() => socket.destroy());
    const greeting = await new Promise<string>((resolve, reject) =>
      socket.once('data', (data) => resolve(String(data))).once('error', reject),
    );
    expect(greeting).toMatch(/^INFO \{.*\} \r\n$/);
  });
});

describe('keep-alive', () => {
  it('asks a silent client, and gives up one that does not answer', async () => {
    const { port } = await startHost({ ping_interval: '30ms', ping_max: 2 });
    const client = await RawClient.connect(port);
    client.send(QUIET);
    expect(await client.untilClosed()).toBe("PING\r\nPING\r\n-ERR 'Stale Connection'\r\n");
  });

  it('keeps a client that answers, or that is busy', async () => {
    const { port, kind } = await startHost({ ping_interval: '50ms', ping_max: 2 });
    const client = await connect3(port);
    const busy = await RawClient.connect(port);
    busy.send(QUIET);
    const began = performance.now();
    // Longer than a client lives that says nothing.
    while (performance.now() - began < 400) {
      await client.rtt();
      busy.send('PONG\r\n');
    }
    expect(kind.status()['connections']).toBe(2);
    expect(busy.isClosed).toBe(false);
  });

  it('answers the PINGs of clients', async () => {
    const { port } = await startHost();
    const client = await connect3(port, { pingInterval: 40, maxPingOut: 2 });
    const began = performance.now();
    await eventually(() => performance.now() - began > 300);
    expect(client.isClosed()).toBe(false);
    expect(client.stats().inMsgs).toBe(0);
  });
});

describe('a slow consumer', () => {
  it('is cut with the reason, and holds up nobody', async () => {
    const maxPending = 4 * 1024 * 1024;
    const { port, log, kind } = await startHost({ max_pending: maxPending });
    const slow = await RawClient.connect(port);
    await slow.ask(`${QUIET}SUB flood 1\r\n`);
    slow.socket.pause();
    const quick = await connect3(port);
    let got = 0;
    quick.subscribe('flood', { callback: () => void (got += 1) });
    await quick.flush();
    const publisher = await connect3(port);
    const payload = new Uint8Array(256 * 1024);
    let sent = 0;
    while (log.length === 0 && sent < 400) {
      publisher.publish('flood', payload);
      await publisher.flush();
      sent += 1;
    }
    await eventually(() => got === sent);
    expect(log).toEqual([
      expect.stringMatching(
        new RegExp(
          `^warn: 127\\.0\\.0\\.1:\\d+ was cut as a slow consumer: more than ${maxPending} bytes waited for it$`,
        ),
      ),
    ]);
    slow.socket.resume();
    expect(await slow.untilClosed()).toMatch(/-ERR 'Slow Consumer'\r\n$/);
    await eventually(() => kind.status()['connections'] === 2);
    publisher.publish('flood', payload);
    await publisher.flush();
    await eventually(() => got === sent + 1);
  });

  it('that never reads is gone soon all the same', async () => {
    const { port, kind, log } = await startHost({ max_pending: 64 * 1024, max_payload: 32 * 1024 });
    const slow = await RawClient.connect(port);
    await slow.ask(`${QUIET}SUB flood 1\r\n`);
    slow.socket.pause();
    const publisher = await connect3(port);
    while (log.length === 0) {
      publisher.publish('flood', new Uint8Array(32 * 1024));
      await publisher.flush();
    }
    await eventually(() => kind.status()['connections'] === 1);
  });

  it('may be one that asks and never reads', async () => {
    const { port, log } = await startHost({ max_pending: 1024 * 1024, max_payload: 1024 });
    const socket = net.connect(port, '127.0.0.1');
    afterThis(() => socket.destroy());
    socket.on('error', () => undefined).pause();
    const pings = Buffer.from('PING\r\n'.repeat(10_000));
    await new Promise<void>((resolve) => {
      const pump = (): void => {
        if (log.length > 0 || socket.destroyed) return resolve();
        socket.write(pings, pump);
      };
      pump();
    });
    expect(log[0]).toContain('slow consumer');
  });
});

describe('JetStream', () => {
  it('is answered as not enabled', async () => {
    const { port } = await startHost();
    const client = await connect3(port);
    await expect(jetstreamManager(client)).rejects.toMatchObject({ name: 'JetStreamNotEnabled' });
    const manager = await jetstreamManager(client, { checkAPI: false });
    await expect(manager.streams.add({ name: 's', subjects: ['s'] })).rejects.toThrow(
      'JetStream not enabled for account',
    );
    await expect(manager.consumers.info('s', 'c')).rejects.toMatchObject({ name: 'JetStreamNotEnabled' });
    await expect(jetstream(client).publish('s', 'x')).rejects.toMatchObject({ name: 'JetStreamNotEnabled' });
    const older = await connect2(port);
    await expect(older.jetstreamManager()).rejects.toMatchObject({
      code: '503',
      chainedError: { message: 'jetstream not enabled for account' },
    });
  });

  it('names the answer after the request', async () => {
    const { port, host } = await startHost();
    const type = async (subject: string): Promise<string | undefined> => {
      const answer = await converse(port, `${QUIET}SUB r 1\r\nPUB $JS.API.${subject} r 0\r\n\r\n`);
      return /"type":"io\.nats\.jetstream\.api\.v1\.(\w+)"/.exec(answer)?.[1];
    };
    expect(await type('INFO')).toBe('account_info_response');
    expect(await type('STREAM.CREATE.s')).toBe('stream_create_response');
    expect(await type('STREAM.NAMES')).toBe('stream_names_response');
    expect(await type('STREAM.MSG.GET.s')).toBe('stream_msg_get_response');
    expect(await type('CONSUMER.DURABLE.CREATE.s.c')).toBe('consumer_create_response');
    expect(await type('CONSUMER.MSG.NEXT.s.c')).toBeUndefined();
    expect(host.journal.list()[0]).toMatchObject({ path: '$JS.API.INFO', status: 503 });
  });

  it('can be mocked, or served by a client', async () => {
    const { port } = await startHost({}, [
      { subject: '$JS.API.STREAM.NAMES', response: { payload: '{"streams":["s"]}' } },
    ]);
    const client = await connect3(port);
    const manager = await jetstreamManager(client, { checkAPI: false });
    expect(await manager.streams.find('x')).toBe('s');
    client.subscribe('$JS.API.INFO', {
      callback: (_error, message) => void message.respond('{"streams": 3}'),
    });
    expect((await (await connect3(port)).request('$JS.API.INFO', '', { timeout: 60_000 })).json()).toEqual({
      streams: 3,
    });
  });
});

describe('the configuration', () => {
  it.each([
    [{ users: [{ username: 'a' }] }, 'a user needs either'],
    [{ users: [{ token: 'a', username: 'b', password: 'c' }] }, 'a user needs either'],
    [{ users: [{}] }, 'a user needs either'],
    [{ ping_interval: 'soon' }, 'soon'],
    [{ max_payload: 0 }, 'max_payload'],
    [{ max_payload: 1024, max_pending: 1024 }, 'at least twice'],
    [{ max_control_line: 10 }, 'max_control_line'],
  ])('%j is refused', async (settings, message) => {
    const making = createHost({ protocols: [nats], settings: { nats: { port: 0, ...settings } } });
    await expect(making).rejects.toThrow(message);
  });
});
