import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { http } from '@backlot/http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BacklotContainer } from '../src/index.js';
import { Engine } from './support/engine.js';

const engine = new Engine();
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backlot-'));
  process.env['DOCKER_HOST'] = await engine.start();
  // It is a container by which others are ended when the process dies.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
});
afterAll(async () => {
  await engine.stop();
  await rm(folder, { recursive: true });
});

it('starts what is configured, is reached at mapped ports, and has a client and spaces', async () => {
  const container = await new BacklotContainer('backlot:test')
    .withProtocols('http')
    .withDatagramProtocols('dns')
    .withToken('secret')
    .withConfig({
      protocols: {
        http: { port: 8080, mocks: [{ id: 'hi', request: { path: '/hi' }, response: { body: 'Hi' } }] },
        dns: { mocks: [{ id: 'a', name: 'shop.test', type: 'A', records: ['10.0.0.7'] }] },
        smtp: {},
      },
    })
    .start();
  try {
    const { urls, ports, managementUrl } = container;
    expect(await (await fetch(`${urls.http}/hi`)).text()).toBe('Hi');
    // A datagram goes to the port that is mapped for datagrams.
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${ports.dns}`]);
    expect(await resolver.resolve4('shop.test')).toEqual(['10.0.0.7']);
    expect(urls.dns).toBe(`dns://127.0.0.1:${ports.dns}`);
    expect(container.env).toEqual({ BACKLOT_URL: managementUrl, BACKLOT_API_TOKEN: 'secret' });
    expect((await fetch(`${managementUrl}/api/mocks/http`)).status).toBe(401);

    const backlot = await container.client({ protocols: [http] });
    expect(backlot.http.url).toBe(urls.http);
    const order = await backlot.http.mock({ request: { path: '/orders' }, response: { status: 201 } });
    expect((await fetch(`${backlot.http.url}/orders`)).status).toBe(201);
    expect(await order.count).toBe(1);

    const space = await container.space();
    await space.mock('http', { request: { path: '/own' }, response: { body: 'own' } });
    const answer = await fetch(`${urls.http}/own`, { headers: space.headers });
    expect([await answer.text(), (await fetch(`${urls.http}/own`)).status]).toEqual(['own', 404]);
    await space.remove();
    // Only what is named runs.
    const running = (
      await backlot.call<readonly { protocol: string; enabled: boolean }[]>('GET', '/protocols')
    )
      .filter(({ enabled }) => enabled)
      .map(({ protocol }) => protocol);
    expect(running).toEqual(['http', 'dns']);
  } finally {
    await container.stop();
  }
  expect(engine.containers.size).toBe(0);
  expect(engine.asked.slice(-2)).toEqual(['POST /containers/ID/stop', 'DELETE /containers/ID']);
}, 60_000);

it('says what is wrong with what it was given, and leaves no container', async () => {
  const make = (): BacklotContainer => new BacklotContainer('backlot:test');
  await expect(make().start()).rejects.toThrow(
    "no protocol is named, so none could be reached: call withProtocols('http') before start()",
  );
  expect(() => make().withProtocols('http').withFixedPort('http', 1)).toThrow(
    'http is named twice; name it once',
  );
  await expect(make().withProtocols('snmp').start()).rejects.toThrow(
    'snmp speaks UDP: name it by withDatagramProtocols',
  );
  // What the command says of a wrong configuration is in the error.
  const wrong = make().withProtocols('http').withConfig('protocols: { http: { mock: [] } }');
  await expect(wrong.start()).rejects.toThrow(
    /^Container exited during HTTP healthCheck[^]*unknown field "mock"/,
  );
  expect(engine.containers.size).toBe(0);
}, 60_000);

it('takes a file; a fixed port is the same inside and outside', async () => {
  const file = join(folder, 'mine.yaml');
  await writeFile(file, 'protocols: { kafka: { mocks: [{ id: a, topic: t, value: x }] } }');
  const container = await new BacklotContainer('backlot:test')
    .withFixedPort('kafka', 40_404)
    .withConfigFile(file)
    .start();
  const [{ wanted } = {}] = engine.containers.values();
  expect(wanted?.Env).toEqual(['BACKLOT_API_PORT=9091', 'BACKLOT_ONLY=kafka', 'BACKLOT_KAFKA_PORT=40404']);
  expect(wanted?.HostConfig?.PortBindings).toEqual({
    '9091/tcp': [{ HostPort: '0' }],
    '40404/tcp': [{ HostPort: '40404' }],
  });
  expect(await (await container.client()).call('GET', '/mocks/kafka')).toMatchObject([{ id: 'a' }]);
  await container.stop();
}, 60_000);
