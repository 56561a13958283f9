import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import amqp from 'amqplib';
import { Redis } from 'ioredis';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { makeFolder, runCommand, startCommand, takePort, type StartedServer } from './command.js';

const configuration = (body: string): string => `
protocols:
  http:
    port: 0
    mocks:
      - {id: hello, request: {path: /hello}, response: {body: ${body}}}
      - {id: turns, request: {path: /turns}, sequence: [{status: 201}, {status: 202}, {status: 203}]}
  tcp: {port: 0, tls: {enabled: true}, mocks: [{match: ping, response: pong}]}
  redis: {port: 0, mode: stateful}
  amqp: {port: 0}
  mqtt: {port: 0}
  dns: {port: 0, mocks: [{name: a.test, records: [192.0.2.1]}]}
  coap: {port: 0}
`;

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;

beforeAll(async () => {
  folder = makeFolder();
  writeFileSync(join(folder.path, 'backlot.yaml'), configuration('one'));
  server = await startCommand(['--workers', '3', '--watch', '--api-port=0', '--log', 'text'], {
    cwd: folder.path,
  });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

function portOf(kind: string): number {
  return Number(new URL(server.urls[kind] ?? '').port);
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Asks over a connection of its own; each of a few addresses of this machine may have another worker. */
function ask(url: string, method = 'GET', body?: object, localAddress?: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, agent: false, ...(localAddress && { localAddress, family: 4 }) });
    asked.on('error', reject);
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    asked.end(body && JSON.stringify(body));
  });
}

async function api(path: string, method = 'GET', body?: object, from?: string): Promise<unknown> {
  const { status, text } = await ask(`http://127.0.0.1:${portOf('api')}/api${path}`, method, body, from);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return JSON.parse(text);
}

/** An address of this machine for each worker, by its name. */
async function askers(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let last = 1; last < 40 && found.size < 3; last += 1) {
    const { replica } = (await api('/cluster', 'GET', undefined, `127.0.0.${last}`)) as { replica: string };
    if (!found.has(replica)) found.set(replica, `127.0.0.${last}`);
  }
  return found;
}

/** The numbers of the processes of the workers. */
async function workerPids(): Promise<readonly number[]> {
  const { out } = await runTool('pgrep', ['-P', String(server.child.pid)]);
  return out.trim().split('\n').map(Number);
}

describe('start --workers', () => {
  it('answers by all, counts together, and tells of what all have logged through any of them', async () => {
    const url = `http://127.0.0.1:${portOf('http')}`;
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await ask(`${url}/turns`)).status);
    expect(statuses).toEqual([201, 202, 203, 203, 203, 203]);
    await api('/mocks/http', 'POST', { request: { path: '/new' }, response: { body: 'new' } });
    const answers = await Promise.all(Array.from({ length: 9 }, () => ask(`${url}/new`)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['200 new']));
    const by = await askers();
    expect([...by.keys()].toSorted()).toEqual(['worker-1', 'worker-2', 'worker-3']);
    for (const address of by.values()) {
      const entries = (await api('/logs?protocol=http', 'GET', undefined, address)) as {
        replica: string;
      }[];
      expect(entries).toHaveLength(15);
      expect(new Set(entries.map(({ replica }) => replica)).size).toBe(3);
    }
    await eventually(() => server.output().split(' /new').length === 10);
    // What a match changes is the same for all.
    const counting = { request: { path: '/count' }, response: { body: '{{seq "orders"}}' } };
    await api('/mocks/http', 'POST', counting);
    const numbers = await Promise.all(Array.from({ length: 9 }, () => ask(`${url}/count`)));
    expect(numbers.map(({ text }) => Number(text)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 9 }, (_, index) => index + 1),
    );
  });

  itWithTool('redis-cli mosquitto_pub mosquitto_sub', 'keeps what clients store in one place', async () => {
    const port = String(portOf('redis'));
    for (let n = 1; n <= 6; n += 1)
      expect((await runTool('redis-cli', ['-p', port, 'incr', 'x'])).out.trim()).toBe(String(n));
    const clients = Array.from({ length: 4 }, () => new Redis(Number(port), '127.0.0.1'));
    await Promise.all(clients.map((client) => client.incr('x')));
    expect(await clients[0]?.get('x')).toBe('10');
    for (const client of clients) client.disconnect();
    // The management API finds it wherever it is asked.
    for (const address of (await askers()).values())
      expect(JSON.stringify(await api('/redis/data/keys', 'GET', undefined, address))).toContain('"x"');

    const url = `amqp://127.0.0.1:${portOf('amqp')}`;
    const [sender, receiver] = await Promise.all([amqp.connect(url), amqp.connect(url)]);
    const [sending, receiving] = await Promise.all([sender.createChannel(), receiver.createChannel()]);
    await sending.assertQueue('q');
    const received = new Promise((resolve) => {
      void receiving.consume('q', (message) => resolve(String(message?.content)));
    });
    sending.sendToQueue('q', Buffer.from('to all'));
    expect(await received).toBe('to all');
    await Promise.all([sender.close(), receiver.close()]);

    const mqtt = ['-h', '127.0.0.1', '-p', String(portOf('mqtt')), '-t', 't'];
    await runTool('mosquitto_pub', [...mqtt, '-r', '-m', 'kept']);
    expect((await runTool('mosquitto_sub', [...mqtt, '-C', '1'])).out).toBe('kept\n');
  });

  itWithTool('dig coap-client-notls', 'takes datagrams', async () => {
    const asked = await Promise.all(
      Array.from({ length: 6 }, () =>
        runTool('dig', ['+short', '@127.0.0.1', '-p', String(portOf('dns')), 'a.test']),
      ),
    );
    expect(new Set(asked.map(({ out }) => out.trim()))).toEqual(new Set(['192.0.2.1']));
    await api('/mocks/coap', 'POST', { path: '/temp', response: { payload: '21' } });
    const coap = await runTool('coap-client-notls', [`coap://127.0.0.1:${portOf('coap')}/temp`]);
    expect(coap.out).toContain('21');
  });

  it('shows one certificate on all', async () => {
    const shown = await Promise.all(Array.from({ length: 6 }, () => certificateOf(portOf('tcp'))));
    expect(new Set(shown).size).toBe(1);
  });

  it('takes a configuration that has changed, on all', async () => {
    writeFileSync(join(folder.path, 'backlot.yaml'), configuration('two'));
    const url = `http://127.0.0.1:${portOf('http')}/hello`;
    await eventually(() => server.errors().includes('http mocks: 1 changed (hello)'));
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(url)));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['two']));
    // Mocks that count begin anew.
    expect((await ask(`http://127.0.0.1:${portOf('http')}/turns`)).status).toBe(201);
    writeFileSync(join(folder.path, 'backlot.yaml'), `${configuration('three')}nothing: 1\n`);
    await eventually(() => server.errors().includes('the configuration was not taken'));
    expect((await ask(url)).text).toBe('two');
  });

  it('starts a worker anew that has ended, with all that was changed', async () => {
    const [pid = 0] = (await workerPids()).slice(-1);
    process.kill(pid, 'SIGKILL');
    await eventually(() => /worker \d has ended \(SIGKILL\) and is started anew/.test(server.errors()));
    // It does not take what the others have not taken.
    await eventually(() => /worker \d cannot start, .*nothing/.test(server.errors()));
    writeFileSync(join(folder.path, 'backlot.yaml'), configuration('two'));
    await eventually(() => /worker \d is there again/.test(server.errors()));
    const url = `http://127.0.0.1:${portOf('http')}`;
    const answers = await Promise.all(Array.from({ length: 9 }, () => ask(`${url}/new`)));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['new']));
    expect((await ask(`${url}/turns`)).status).toBe(202);
    expect((await ask(`${url}/turns`)).status).toBe(203);
  });

  it('stops all, with 0', async () => {
    const pids = await workerPids();
    expect(pids).toHaveLength(3);
    const { code } = await server.stop();
    expect(code).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('start --workers that cannot start', () => {
  it('says so once', async () => {
    const empty = makeFolder();
    const taken = await takePort();
    const { code, stderr } = await runCommand(
      [
        'start',
        '--workers',
        '2',
        '--only',
        'tcp',
        `--tcp-port=${taken.port}`,
        '--api-port=0',
        '--host=127.0.0.1',
      ],
      { cwd: empty.path },
    );
    await taken.release();
    expect(code).toBe(1);
    expect(stderr.match(/address already in use/g)).toHaveLength(1);
    const refused = await runCommand(['start', '--workers', '0'], { cwd: empty.path });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('"0" is no number of workers'),
    ]);
    const both = await runCommand(['start', '--workers', '2', '--cluster', 'nats://127.0.0.1:1'], {
      cwd: empty.path,
    });
    expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('without --cluster')]);
    for (const [flag, value, reason] of [
      ['--cluster-data', 'snapshot', 'one that takes its place begins with the configuration'],
      ['--cluster-name', 'ci', 'not for --workers'],
    ] as const) {
      const unfit = await runCommand(['start', '--workers', '2', flag, value], { cwd: empty.path });
      expect([unfit.code, unfit.stderr]).toEqual([1, expect.stringContaining(reason)]);
    }
    empty.remove();
  });
});

/** What a TLS port shows. */
function certificateOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
