import { afterEach, describe, expect, it } from '@jest/globals';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { BIN, makeFolder, takePort } from '../command.js';
import { DIALECTS, MocklyDriver, type Dialect, type DriverOptions } from './driver.js';

const MOCK = {
  id: 'get-user',
  request: { method: 'GET', path: '/users/1', headers: { 'X-Tenant': 'a' } },
  response: { status: 200, body: '{"id":1}', headers: { 'Content-Type': 'application/json' }, delay: '1ms' },
};
const SCENARIOS = [
  {
    id: 'down',
    name: 'Down',
    description: 'Nobody is there.',
    patches: [
      {
        mock_id: 'get-user',
        status: 503,
        body: 'down',
        headers: { 'Retry-After': '1' },
        delay: '1ms',
        disabled: false,
      },
    ],
  },
];
const LANGUAGES = Object.entries(DIALECTS);

const drivers: MocklyDriver[] = [];
afterEach(async () => {
  for (const driver of drivers.splice(0)) await driver.stop();
});

async function create(dialect: Dialect, options: Partial<DriverOptions> = {}): Promise<MocklyDriver> {
  const driver = await MocklyDriver.create({ dialect, env: { MOCKLY_BINARY_PATH: BIN }, ...options });
  drivers.push(driver);
  return driver;
}

async function getUser({ httpBase }: MocklyDriver): Promise<readonly [number, string]> {
  const answer = await fetch(`${httpBase}/users/1`, { headers: { 'x-tenant': 'a' } });
  return [answer.status, await answer.text()];
}

describe.each(LANGUAGES)('the driver for %s', (_name, dialect) => {
  it('starts the binary, uses all of its interface, and stops it', async () => {
    const driver = await create(dialect, { scenarios: SCENARIOS });
    expect(await driver.send('POST', '/api/mocks/http', MOCK)).toEqual([201, MOCK]);
    expect(await driver.send('GET', '/api/mocks/http')).toEqual([200, [MOCK]]);
    expect(await getUser(driver)).toEqual([200, '{"id":1}']);
    const changed = { ...MOCK, response: { status: 200, body: 'changed' } };
    expect(await driver.send('PUT', '/api/mocks/http/get-user', changed)).toEqual([200, changed]);
    const [patched, mock] = await driver.send('PATCH', '/api/mocks/http/get-user', {
      status: 202,
      body: 'patched',
      headers: { 'X-A': '1' },
      delay: '1ms',
    });
    expect([patched, mock]).toEqual([200, expect.objectContaining({ id: 'get-user' })]);
    expect(await getUser(driver)).toEqual([202, 'patched']);

    expect(await driver.send('POST', '/api/calls/http/get-user/wait', { count: 2, timeout: '10s' })).toEqual([
      200,
      expect.objectContaining({ mock_id: 'get-user', count: 2 }),
    ]);
    const [, summary] = await driver.send('GET', '/api/calls/http/get-user');
    expect(summary).toMatchObject({
      mock_id: 'get-user',
      count: 2,
      calls: [
        {
          id: expect.any(String),
          timestamp: expect.stringMatching(/Z$/),
          protocol: 'http',
          method: 'GET',
          path: '/users/1',
          status: 200,
          duration_ms: expect.any(Number),
          headers: expect.objectContaining({ 'x-tenant': 'a' }),
          matched_id: 'get-user',
        },
        {},
      ],
    });
    const timedOut = await driver.send('POST', '/api/calls/http/get-user/wait', {
      count: 3,
      timeout: '10ms',
    });
    expect(timedOut[0]).toBe(408);
    expect(await driver.send('GET', '/api/logs?matched_id=get-user')).toEqual([
      200,
      [expect.anything(), expect.anything()],
    ]);
    expect(await driver.send('GET', '/api/logs/count?matched_id=get-user')).toEqual([200, { count: 2 }]);
    expect((await driver.send('DELETE', '/api/calls/http/get-user'))[0]).toBe(200);
    expect((await driver.send('DELETE', '/api/calls/http'))[0]).toBe(200);
    expect((await driver.send('DELETE', '/api/logs'))[0]).toBe(200);
    expect(await driver.send('GET', '/api/logs/count')).toEqual([200, { count: 0 }]);

    expect(await driver.send('POST', '/api/state', { stage: 'two' })).toEqual([200, { stage: 'two' }]);
    expect(await driver.send('GET', '/api/state')).toEqual([200, { stage: 'two' }]);
    expect((await driver.send('DELETE', '/api/state/stage'))[0]).toBe(200);
    expect(await driver.send('GET', '/api/state')).toEqual([200, {}]);

    expect(await driver.send('GET', '/api/scenarios')).toMatchObject([200, SCENARIOS]);
    expect((await driver.send('POST', '/api/scenarios/down/activate'))[0]).toBe(200);
    expect(await getUser(driver)).toEqual([503, 'down']);
    expect(await driver.send('GET', '/api/scenarios/active')).toMatchObject([
      200,
      { active: ['down'], scenarios: SCENARIOS },
    ]);
    expect((await driver.send('DELETE', '/api/scenarios/down/activate'))[0]).toBe(200);
    expect((await driver.send('POST', '/api/scenarios/down/activate'))[0]).toBe(200);
    expect((await driver.send('POST', '/api/scenarios/down/deactivate'))[0]).toBe(200);
    expect(await getUser(driver)).toEqual([202, 'patched']);
    const gone = { id: 'gone', name: 'Gone', patches: [{ mock_id: 'get-user', disabled: true }] };
    expect(await driver.send('POST', '/api/scenarios', gone)).toMatchObject([201, gone]);
    expect(await driver.send('GET', '/api/scenarios/gone')).toMatchObject([200, gone]);
    expect(await driver.send('PUT', '/api/scenarios/gone', gone)).toMatchObject([200, gone]);
    expect((await driver.send('DELETE', '/api/scenarios/gone'))[0]).toBe(200);

    const fault = { enabled: true, delay: '1ms', status_override: 429, error_rate: 1 };
    expect((await driver.send('POST', '/api/fault/http', fault))[0]).toBe(200);
    expect((await getUser(driver))[0]).toBe(429);
    // The driver for Go names it as the management API does, and leaves `enabled` out.
    expect((await driver.send('POST', '/api/fault/http', { status: 418 }))[0]).toBe(200);
    expect((await getUser(driver))[0]).toBe(418);
    expect((await driver.send('DELETE', '/api/fault'))[0]).toBe(200);
    expect((await getUser(driver))[0]).toBe(202);

    expect((await driver.send('DELETE', '/api/mocks/http/get-user'))[0]).toBe(200);
    expect((await getUser(driver))[0]).toBe(404);
    await driver.send('POST', '/api/mocks/http', MOCK);
    expect((await driver.send('POST', '/api/reset'))[0]).toBe(200);
    expect(await driver.send('GET', '/api/mocks/http')).toEqual([200, []]);

    // A connection that stays open does not hold it up.
    const socket = connect(Number(new URL(driver.httpBase).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    const ended = new Promise((resolve) => socket.once('close', resolve));
    expect(await driver.stop()).toEqual(
      dialect.signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
    );
    await ended;
  }, 30_000);

  it('tries other ports where one is taken', async () => {
    const taken = await takePort();
    const [free, other] = [await takePort(), await takePort()];
    await free.release();
    await other.release();
    const driver = await create(dialect, {
      ports: [
        [taken.port, free.port],
        [other.port, taken.port],
      ],
    });
    await taken.release();
    expect(driver.attempts).toBe(3);
    expect((await driver.send('GET', '/api/health'))[0]).toBe(200);
  }, 30_000);
});

describe('MOCKLY_BINARY_PATH', () => {
  const node = DIALECTS['node'] as Dialect;

  it('may name a link, as npm makes them in node_modules/.bin, or a script', async () => {
    const folder = makeFolder();
    try {
      const link = join(folder.path, 'backlot');
      symlinkSync(BIN, link);
      const script = join(folder.path, 'mockly');
      writeFileSync(script, `#!/bin/sh\nexec node "${BIN}" "$@"\n`);
      chmodSync(script, 0o755);
      for (const path of [link, script]) {
        const driver = await create(node, { env: { MOCKLY_BINARY_PATH: path } });
        const [, protocols] = await driver.send('GET', '/api/protocols');
        expect(
          (protocols as { protocol: string; enabled: boolean }[]).filter(({ enabled }) => enabled),
        ).toEqual([expect.objectContaining({ protocol: 'http', state: 'running', mocks: 0 })]);
        expect(await driver.stop()).toEqual({ code: 0, signal: null });
      }
    } finally {
      folder.remove();
    }
  }, 30_000);

  it('must name a file', async () => {
    await expect(create(node, { env: { MOCKLY_BINARY_PATH: '/nowhere/backlot' } })).rejects.toThrow(
      'not found',
    );
  });
});
