import { once } from 'node:events';
import http from 'node:http';
import { afterEach, expect, it } from '@jest/globals';
import { itWithTool, startServer as startProgram } from '@backlot/conformance';
import { loadPlugins } from '../src/plugins/installed.js';
import { planServer, type ClusterPlan, type Overrides } from '../src/server/plan.js';
import { startServer, type RunningServer } from '../src/server/start-server.js';
import { runCommand } from './command.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function startReplica(
  cluster: ClusterPlan,
  only: readonly string[],
  more: Overrides = {},
): Promise<RunningServer> {
  const plugins = await loadPlugins([], (kind) => only.includes(kind));
  const protocols = plugins.map(({ protocol }) => protocol);
  const plan = planServer(undefined, protocols, { freePorts: true, only, cluster, ui: false, ...more });
  const server = await startServer({ plan, protocols, version: '1', log: () => undefined });
  closers.push(() => server.stop());
  return server;
}

/** What is answered to a request. */
async function ask(url: string, method = 'GET', body?: object): Promise<[number, string]> {
  const request = http.request(url, { method, agent: false }).end(body && JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const part of response) text += String(part);
  return [response.statusCode ?? 0, text];
}

itWithTool('redis-server', 'serves mocks of a cluster on every replica, with keys of one seed', async () => {
  const engine = await startProgram(
    'redis-server',
    (port) => ['--bind', '127.0.0.1', '--port', String(port), '--save', ''],
    'Ready to accept connections',
  );
  closers.push(() => engine.stop());
  const url = `redis://127.0.0.1:${engine.port}`;
  const [one, two] = [
    await startReplica({ url, name: 'ci', replica: 'one' }, ['http']),
    await startReplica({ url, name: 'ci', replica: 'two' }, ['http']),
  ];
  const mock = { request: { path: '/a' }, response: { body: 'from {{uuid}}' } };
  expect((await ask(`${one.apiUrl}/api/mocks/http`, 'POST', mock))[0]).toBe(201);
  const answers = await Promise.all(
    [one, two].map(({ host }) => ask(`http://127.0.0.1:${host.kind('http').address?.port}/a`)),
  );
  expect(answers.map(([status]) => status)).toEqual([200, 200]);
  // What is made up for messages is not the same twice.
  expect(new Set(answers.map(([, text]) => text)).size).toBe(2);
  expect(one.host.seed).toBe(two.host.seed);
  // Each tells what all have logged, to commands too.
  const logged = await runCommand(['logs', '--json', '--url', two.apiUrl]);
  const entries = JSON.parse(logged.stdout) as readonly { path: string; replica: string }[];
  expect(entries.map(({ path, replica }) => [path, replica]).toSorted()).toEqual([
    ['/a', 'one'],
    ['/a', 'two'],
  ]);
  const check = '{ "expect": [{ "http": { "path": "/a" }, "times": 2 }] }';
  const verified = await runCommand(['verify', check, '--url', one.apiUrl]);
  expect([verified.code, verified.stderr]).toEqual([0, '']);
  const sequence = { ...mock, sequence: [{ status: 500 }, { status: 200 }] };
  const counting = { ...mock, response: { body: '{{seq request.path}}' } };
  const [status, text] = await ask(`${two.apiUrl}/api/mocks/http`, 'POST', counting);
  expect([status, text]).toEqual([400, expect.stringContaining('it is not known before the answer is made')]);
  const emitting = { ...mock, request: { path: '/emit' }, emit: [{ to: 'http/events', data: { a: 1 } }] };
  expect((await ask(`${two.apiUrl}/api/mocks/http`, 'POST', emitting))[0]).toBe(201);
  const turns = { ...sequence, request: { path: '/turns' } };
  expect((await ask(`${two.apiUrl}/api/mocks/http`, 'POST', turns))[0]).toBe(201);
  const inTurns: number[] = [];
  for (const { host } of [one, two])
    inTurns.push((await ask(`http://127.0.0.1:${host.kind('http').address?.port}/turns`))[0]);
  expect(inTurns).toEqual([500, 200]);
  const [, shown] = await ask(`${two.apiUrl}/api/cluster`);
  expect(JSON.parse(shown)).toMatchObject({
    replica: 'two',
    replicas: [
      { name: 'two', url: two.apiUrl },
      { name: 'one', url: one.apiUrl },
    ],
  });
  await one.stop();
  const [, left] = await ask(`${two.apiUrl}/api/cluster`);
  expect(JSON.parse(left).replicas).toHaveLength(1);
  await expect(startReplica({ url, name: 'ci' }, ['http', 'tcp'])).rejects.toThrow('another configuration');
  await startReplica({ url, name: 'other', data: 'replica' }, ['http', 'redis']);
  // One that has data of its own is of another cluster than those that have them together.
  await expect(startReplica({ url, name: 'other' }, ['http', 'redis'])).rejects.toThrow(
    'another configuration',
  );
});

it('refuses what a replica cannot be', async () => {
  const url = 'nats://127.0.0.1:1';
  await expect(startReplica({ url, name: 'ci' }, ['http'])).rejects.toThrow(
    'the cluster "ci" cannot be joined: nats://127.0.0.1:1 answers',
  );
  await expect(startReplica({ url, name: 'ci' }, ['http'], { toxiproxyPort: 0 })).rejects.toThrow(
    "Toxiproxy's API changes one replica alone",
  );
  const { code, stderr } = await runCommand(['start', '--cluster-name', 'x'], {
    env: { BACKLOT_CLUSTER: '' },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('say which with --cluster')]);
});
