import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { loadTls } from '@backlot/kit';
import type { NatsConnection } from 'nats';
import { readInfo, writeInfo } from '../src/upstream/info.js';
import { startReference } from './reference-server.js';
import { afterThis, connect2, connect3, RawClient, startHost, type Running } from './support.js';

const recorder = (
  port: number,
  mode: string,
  mocks: readonly Json[] = [],
  more: Json = {},
): Promise<Running> => startHost({ upstream: { url: `nats://127.0.0.1:${port}`, mode }, ...more }, mocks);

/** A service at the server that is recorded, which counts. */
async function serveUsers(port: number): Promise<NatsConnection> {
  const client = await connect2(port);
  let served = 0;
  client.subscribe('users.*.get', {
    callback: (_error, message) => {
      served += 1;
      message.respond(JSON.stringify({ served, name: 'Ann {{x}}', token: 'sk_live_0123456789abcdef' }));
    },
  });
  client.subscribe('ping', { callback: (_error, message) => message.respond('pong') });
  await client.flush();
  return client;
}

/** What an application asks, and is answered. */
async function work(port: number): Promise<string[]> {
  const client = await connect3(port, { user: 'ann', pass: 'hunter2' });
  const ask = async (subject: string, payload: string): Promise<string> =>
    (await client.request(subject, payload, { timeout: 2000 })).string();
  return [
    await ask('ping', ''),
    await ask('users.7.get', '{"full":true}'),
    await ask('users.7.get', '{"full":true}'),
    await ask('users.8.get', 'x'),
  ];
}

describe('an upstream of NATS', () => {
  itWithTool('nats-server', 'is recorded with its own clients, and replayed without it', async () => {
    const port = await startReference('--user', 'ann', '--pass', 'hunter2');
    const real = await connect2(port, { user: 'ann', pass: 'hunter2' });
    let served = 0;
    real.subscribe('users.*.get', {
      callback: (_error, message) => {
        served += 1;
        message.respond(JSON.stringify({ served, name: 'Ann {{x}}', token: 'sk_live_0123456789abcdef' }));
      },
    });
    real.subscribe('ping', { callback: (_error, message) => message.respond('pong') });
    await real.flush();
    const recording = await recorder(port, 'record_new');
    const answers = await work(recording.port);
    expect(answers[0]).toBe('pong');
    expect(answers[2]).toContain('"served":2');
    const mocks = recording.kind.mocks.list();
    expect(mocks.map(({ id }) => id)).toEqual(
      ['recorded:ping', 'recorded:users.7.get', 'recorded:users.8.get', 'recorded:users.7.get-2'].toSorted(
        (a, b) => mocks.findIndex(({ id }) => id === a) - mocks.findIndex(({ id }) => id === b),
      ),
    );
    const entries = recording.host.journal.list();
    expect(JSON.stringify([entries, mocks, recording.captured()])).not.toMatch(/hunter2|sk_live/);
    expect(entries.every(({ upstream }) => upstream?.answered === true)).toBe(true);
    await real.close();
    const replayed = await startHost({ upstream: { mode: 'replay' } }, structuredClone(mocks));
    expect(await work(replayed.port)).toEqual(
      answers.map((answer) => answer.replace('sk_live_0123456789abcdef', 'REDACTED')),
    );
    expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
  });

  itWithTool('nats-server', 'is not told to clients by its own addresses', async () => {
    const port = await startReference();
    const direct = await RawClient.connect(port).then(() => connect3(port));
    const through = await recorder(port, 'passthrough');
    const client = await connect3(through.port);
    expect(client.info).toMatchObject({ port: through.port, server_id: direct.info?.server_id });
    const heard: string[] = [];
    const subscription = client.subscribe('news.>', {
      callback: (_error, message) => void heard.push(message.string()),
    });
    await client.flush();
    direct.publish('news.sport', 'from elsewhere');
    await direct.flush();
    await client.flush();
    expect(heard).toEqual(['from elsewhere']);
    expect(through.host.journal.list()).toMatchObject([
      { method: 'MSG', path: 'news.sport', body: 'from elsewhere', upstream: { answered: true } },
    ]);
    subscription.unsubscribe();
  });

  it('leaves out the other servers of a cluster', () => {
    // What nats-server 2.9.10 says with a second one beside it.
    const line = Buffer.from(
      'INFO {"server_id":"NCN4","version":"2.9.10","proto":1,"host":"127.0.0.1","port":14777,"headers":true,"tls_required":true,"cluster":"real","connect_urls":["127.0.0.1:14777","127.0.0.1:14797"]} \r\n',
    );
    const info = readInfo(line);
    expect(info.needsTls).toBe(true);
    const told = writeInfo(info, { place: { host: 'localhost', port: 4222 }, tls: 'none' });
    expect(readInfo(told).fields).toEqual({
      ...{ server_id: 'NCN4', version: '2.9.10', proto: 1, headers: true, cluster: 'real' },
      ...{ host: 'localhost', port: 4222 },
    });
  });

  itWithTool('nats-server', 'has TLS behind its greeting, as the listener has', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'nats-tls-'));
    afterThis(() => rmSync(folder, { recursive: true, force: true }));
    const { cert, key } = await loadTls({ self_signed: true });
    writeFileSync(path.join(folder, 'cert.pem'), cert);
    writeFileSync(path.join(folder, 'key.pem'), key);
    const port = await startReference(
      '--tls',
      ...['--tlscert', path.join(folder, 'cert.pem'), '--tlskey', path.join(folder, 'key.pem')],
    );
    const upstream = {
      url: `tls://localhost:${port}`,
      mode: 'passthrough',
      ca: path.join(folder, 'cert.pem'),
    };
    const through = await startHost({ upstream, tls: { self_signed: true } });
    const client = await connect2(through.port, { tls: { rejectUnauthorized: false } as object });
    client.subscribe('echo', { callback: (_error, message) => message.respond(message.data) });
    const answer = await client.request('echo', new Uint8Array(700_000), { timeout: 5000 });
    expect(answer.data).toHaveLength(700_000);
    expect(
      through.host.journal
        .list()
        .map(({ method }) => method)
        .toSorted(),
    ).toEqual(['MSG', 'PUB', 'PUB']);
  });

  itWithTool('nats-server', 'is asked beside mocks, which answer in its place', async () => {
    const port = await startReference();
    const real = await serveUsers(port);
    const spy = await recorder(port, 'spy', [
      { id: 'ping', subject: 'ping', response: { payload: 'mocked' } },
      { id: 'told', subject: 'orders', response: { subject: 'orders.accepted', payload: 'yes' } },
    ]);
    const heard = new Promise<string>((resolve) => {
      real.subscribe('orders.accepted', { callback: (_error, message) => resolve(message.string()), max: 1 });
    });
    await real.flush();
    const client = await connect2(spy.port);
    expect((await client.request('ping')).string()).toBe('mocked');
    expect((await client.request('users.1.get')).string()).toContain('"served":1');
    client.publish('orders', 'one');
    expect(await heard).toBe('yes');
    const comparing = await recorder(port, 'diff', [
      { id: 'ping', subject: 'ping', response: { payload: 'mocked' } },
    ]);
    const other = await connect2(comparing.port);
    expect((await other.request('ping')).string()).toBe('mocked');
    expect(comparing.host.journal.list()).toMatchObject([
      { upstream: { differences: ['payload /: the mock has "mocked", the upstream "pong"'] } },
    ]);
  });

  itWithTool('nats-server', 'gets what cannot be understood all the same', async () => {
    const port = await startReference();
    const through = await recorder(port, 'passthrough');
    const client = await RawClient.connect(through.port);
    client.send('NONSENSE\r\n');
    expect(await client.untilClosed()).toContain("-ERR 'Unknown Protocol Operation'");
  });
});
