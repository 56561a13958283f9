import { afterEach, describe, expect, it } from '@jest/globals';
import { isBacklotError, type Protocol } from '@backlot/core';
import { http } from '@backlot/http';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { createWebhooks } from '@backlot/webhooks';
import { Redis } from 'ioredis';
import { startBacklot, type BacklotOptions } from '../src/index.js';
import { sendMail } from './clients.js';

const PROTOCOLS = [http, smtp, redis] as const;
let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

async function start(options: Partial<BacklotOptions<typeof PROTOCOLS>> = {}) {
  const backlot = await startBacklot({ ...options, protocols: PROTOCOLS });
  stop = () => backlot.stop();
  return backlot;
}

/** What a promise was rejected with. */
async function errorOf(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await promise;
  } catch (thrown) {
    if (isBacklotError(thrown)) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('a protocol of a Backlot', () => {
  it('listens on a free port and says where', async () => {
    const backlot = await start();
    expect(backlot.http.url).toBe(`http://localhost:${backlot.http.port}`);
    expect(backlot.redis.url).toMatch(/^redis:\/\/localhost:\d+$/);
    expect((await fetch(`${backlot.http.url}/nothing`)).status).toBe(404);
    await backlot.stop();
    expect(() => backlot.http.url).toThrow('http does not listen: the Backlot has been stopped');
  });

  it('says so when its settings keep it from listening', async () => {
    const backlot = await start({ settings: { redis: { enabled: false } } });
    expect(() => backlot.redis.port).toThrow('its settings say `enabled: false`');
    const names = ['HOST', 'PORT', 'URL'];
    expect(Object.keys(backlot.env).sort()).toEqual(
      ['HTTP', 'SMTP'].flatMap((kind) => names.map((name) => `${kind}_${name}`)),
    );
    expect(backlot.env).toMatchObject({ SMTP_HOST: 'localhost', SMTP_PORT: String(backlot.smtp.port) });
  });

  it('reads and changes collections, which one line makes a resource of', async () => {
    const backlot = await start({
      collections: { users: { rows: [{ id: 'a', name: 'Ann' }] } },
      settings: { http: { mocks: [{ resource: { path: '/users', collection: 'users' } }] } },
    });
    const users = backlot.collection<{ readonly id: string; readonly name: string }>('users');
    const url = `${backlot.http.url}/users`;
    await fetch(url, { method: 'POST', body: '{"id":"b","name":"Bob"}' });
    expect(users.get('b').name).toBe('Bob');
    users.update('a', { name: 'Anna' });
    expect(await (await fetch(`${url}/a`)).json()).toEqual({ id: 'a', name: 'Anna' });
    backlot.reset();
    expect(users.list()).toEqual([{ id: 'a', name: 'Ann' }]);
  });

  it('takes mocks, and gives each a handle', async () => {
    const backlot = await start();
    const user = backlot.http.mock({ id: 'user', request: { path: '/user' }, response: { body: 'Ann' } });
    expect(await (await fetch(`${backlot.http.url}/user`)).text()).toBe('Ann');
    expect(user.count).toBe(1);
    expect(user.calls()).toMatchObject([{ method: 'GET', path: '/user', status: 200 }]);
    expect(backlot.http.calls('user')).toEqual(user.calls());
    user.replace({ request: { path: '/user' }, response: { body: 'Bob' } });
    expect(await (await fetch(`${backlot.http.url}/user`)).text()).toBe('Bob');
    user.remove();
    expect((await fetch(`${backlot.http.url}/user`)).status).toBe(404);
    expect(backlot.http.journal({ unmatched: true })).toHaveLength(1);
    expect(backlot.http.journal()).toHaveLength(3);
    expect(() => backlot.http.mock({ request: {}, response: { status: 9999 } })).toThrow('/response/status');
  });

  it('shows every problem of what is not valid', async () => {
    const backlot = await start();
    const wrong = { requets: { path: '/a' }, response: { status: 9999 }, priority: 'high' } as never;
    const problems = [
      /\n {2}\/requets: unknown field/,
      /\n {2}\/response\/status: /,
      /\n {2}\/priority: must be/,
    ];
    const user = backlot.http.mock({ id: 'user', request: { path: '/user' } });
    const attempts = [() => backlot.http.mock(wrong), () => user.replace(wrong)];
    for (const attempt of attempts) {
      let error: unknown;
      try {
        attempt();
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toMatchObject({
        code: 'invalid',
        details: expect.arrayContaining([{}, {}, {}].map(() => expect.anything())),
      });
      for (const problem of problems) expect((error as Error).message).toMatch(problem);
      // What a runner shows of the stack begins in the test.
      expect((error as Error).stack?.split('\n').find((line) => /^ +at /.test(line))).toContain(
        'backlot.test',
      );
    }
    expect(() => backlot.http.fault({ status: 1, abort: 'x' } as object)).toThrow(
      /\n {2}\/status: .*\n {2}\/abort: /,
    );
  });

  it('faults', async () => {
    const backlot = await start();
    backlot.http.fault({ status: 503 });
    expect((await fetch(backlot.http.url)).status).toBe(503);
    backlot.http.clearFault();
    expect((await fetch(backlot.http.url)).status).toBe(404);
  });

  it('gives what it has captured, all or by a part', async () => {
    const backlot = await start();
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'Welcome, Ann' });
    await sendMail(backlot.smtp.url, { to: 'bob@example.com', subject: 'Welcome, Bob' });
    expect(backlot.smtp.captured()).toHaveLength(2);
    expect(backlot.smtp.captured({ to: ['bob@example.com'] })).toMatchObject([{ subject: 'Welcome, Bob' }]);
    expect(backlot.smtp.captured({ subject: /ann$/i })).toHaveLength(1);
    expect(backlot.smtp.captured({ subject: expect.stringContaining('Bob') })).toHaveLength(1);
    backlot.smtp.clearCaptured();
    expect(backlot.smtp.captured()).toEqual([]);
  });

  it('refuses what it is not able to, for those who have no types', async () => {
    const backlot = await start();
    const untyped = backlot.redis as unknown as typeof backlot.smtp;
    expect(() => untyped.captured()).toThrow('redis keeps no messages');
    expect(await errorOf(untyped.waitForCaptured())).toMatchObject({ message: 'redis keeps no messages' });
  });
});

describe('waiting', () => {
  it('for calls ends with the calls', async () => {
    const backlot = await start();
    const order = backlot.http.mock({
      id: 'order',
      request: { path: '/orders', method: 'POST' },
      response: {},
    });
    const waiting = backlot.http.waitForCalls('order', 2);
    await fetch(`${backlot.http.url}/orders`, { method: 'POST' });
    await fetch(`${backlot.http.url}/orders`, { method: 'POST' });
    expect(await waiting).toHaveLength(2);
    expect(await order.waitForCalls()).toHaveLength(2);
  });

  it('for calls that do not come says what came, and why it did not match', async () => {
    const backlot = await start();
    backlot.http.mock({ id: 'order', request: { path: '/orders', method: 'POST' }, response: {} });
    await fetch(`${backlot.http.url}/orders`, { method: 'PUT' });
    const error = await errorOf(backlot.http.waitForCalls('order', 2, 1));
    expect(error).toMatchObject({ code: 'timeout', fields: { mock_id: 'order', want: 2, got: 0 } });
    expect(error.message).toMatch(
      /^http: "order" was called 0 times in 1 ms, want 2\n\nwhat met no mock:\n {2}http PUT \/orders -> 404\n {4}not "order": .*PUT/,
    );
  });

  it('for calls of a mock that is not there ends at once', async () => {
    const backlot = await start();
    backlot.http.mock({ id: 'order', request: {}, response: {} });
    expect(await errorOf(backlot.http.waitForCalls('oder'))).toMatchObject({
      code: 'not_found',
      message: 'http has no mock "oder"; there are "order"',
    });
    expect(() => backlot.redis.calls('x')).toThrow('redis has no mock "x"; there is none');
  });

  it('for numbers that are none is refused', async () => {
    const backlot = await start();
    const order = backlot.http.mock({ request: {}, response: {} });
    expect((await errorOf(order.waitForCalls(0))).message).toBe('count must be a number from 1 on, got 0');
    expect((await errorOf(backlot.smtp.waitForCaptured({}, NaN))).message).toContain(
      'timeout must be a number',
    );
  });

  it('for a captured message ends with it, whether it is there or comes', async () => {
    const backlot = await start();
    const waiting = backlot.smtp.waitForCaptured({ subject: 'second' });
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'first' });
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'second' });
    expect(await waiting).toMatchObject({ to: ['ann@example.com'], subject: 'second' });
    expect(await backlot.smtp.waitForCaptured({ subject: 'first' })).toMatchObject({ subject: 'first' });
  });

  it('for a captured message that does not come shows the closest', async () => {
    const backlot = await start();
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'Welcom' });
    const { code, message } = await errorOf(backlot.smtp.waitForCaptured({ subject: 'Welcome' }, 1));
    expect(code).toBe('timeout');
    expect(message).toContain('smtp: nothing as wanted was captured in 1 ms');
    expect(message).toContain("subject: 'Welcom'");
  });

  it('is given up by a reset and by a stop', async () => {
    const backlot = await start();
    const order = backlot.http.mock({ request: {}, response: {} });
    const [calls, mail] = [errorOf(order.waitForCalls()), errorOf(backlot.smtp.waitForCaptured())];
    backlot.reset();
    expect((await calls).code).toBe('cancelled');
    expect((await mail).code).toBe('cancelled');
    const last = errorOf(backlot.smtp.waitForCaptured());
    await backlot.stop();
    expect(await last).toMatchObject({
      code: 'cancelled',
      message: 'the Backlot was stopped while this waited',
    });
  });
});

describe('a Backlot', () => {
  it('gives back what was there after the start', async () => {
    const backlot = await start({
      settings: { http: { mocks: [{ id: 'a', request: {}, response: {} }] } },
      state: { stage: 'test' },
      scenarios: [{ id: 'down', faults: { http: { status: 503 } } }],
    });
    backlot.http.mock({ id: 'b', request: {}, response: {} });
    backlot.state.setAll({ stage: 'changed' });
    backlot.scenarios.activate('down');
    expect((await fetch(backlot.http.url)).status).toBe(503);
    backlot.reset();
    expect(backlot.http.mocks.list().map(({ id }) => id)).toEqual(['a']);
    expect(backlot.state.all()).toEqual({ stage: 'test' });
    expect(backlot.scenarios.active()).toEqual([]);
    expect(backlot.journal.list()).toEqual([]);
  });

  it('keeps snapshots', async () => {
    const backlot = await start({});
    const client = new Redis(backlot.redis.url);
    try {
      await client.set('name', 'Ann');
      const snapshot = backlot.snapshot('as Ann');
      await client.set('name', 'Bob');
      snapshot.restore();
      expect(await client.get('name')).toBe('Ann');
      await client.set('name', 'Bob');
      backlot.host.snapshots.restore('as Ann');
      expect(await client.get('name')).toBe('Ann');
      snapshot.remove();
      expect(() => snapshot.restore()).toThrow('no snapshot');
    } finally {
      client.disconnect();
    }
  });

  it('has a clock that is driven by hand, and a seed', async () => {
    const backlot = await start({ seed: 7 });
    expect(backlot.seed).toBe(7);
    backlot.http.mock({ request: { path: '/slow' }, response: { body: 'late' }, delay: '1h' });
    const answer = fetch(`${backlot.http.url}/slow`);
    await backlot.http.waitForCalls(backlot.http.mocks.list()[0]?.id ?? '');
    await backlot.clock.advance(3_600_000);
    expect(await (await answer).text()).toBe('late');
  });

  it('has the webhooks it was given', async () => {
    const backlot = await start({ webhooks: createWebhooks() });
    const target = backlot.http.mock({ id: 'target', request: { path: '/hook' }, response: {} });
    backlot.http.mock({
      request: { path: '/order' },
      response: {},
      webhooks: [{ url: `${backlot.http.url}/hook` }],
    });
    await fetch(`${backlot.http.url}/order`);
    expect(await target.waitForCalls()).toHaveLength(1);
    expect(backlot.webhooks).toBeDefined();
  });

  it('sends into open streams', async () => {
    const backlot = await start();
    const events = backlot.http.mock({
      request: { path: '/events' },
      response: { stream: { keep_open: true } },
    });
    const { body } = await fetch(`${backlot.http.url}/events`);
    await events.waitForCalls();
    expect(backlot.streams.list()).toHaveLength(1);
    expect(backlot.http.push(events.id, 'hello')).toBe(1);
    const reader = body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('hello');
    await reader?.cancel();
  });
});

describe('the environment', () => {
  it('is set until the stop, with further names', async () => {
    process.env['HTTP_URL'] = 'before';
    try {
      const backlot = await start({ env: (backlot) => ({ PAYMENTS_URL: `${backlot.http.url}/pay` }) });
      expect(process.env).toMatchObject(backlot.env);
      expect(backlot.env).toMatchObject({
        HTTP_URL: backlot.http.url,
        PAYMENTS_URL: `${backlot.http.url}/pay`,
      });
      await backlot.stop();
      expect(process.env['HTTP_URL']).toBe('before');
      expect(process.env['PAYMENTS_URL']).toBeUndefined();
    } finally {
      delete process.env['HTTP_URL'];
    }
  });

  it('gives variables further names', async () => {
    const backlot = await start({
      env: { SMTP: 'MAIL_SERVER', REDIS_HOST: 'CACHE_HOST', REDIS_PORT: 'CACHE_PORT' },
    });
    const further = {
      MAIL_SERVER: backlot.smtp.url,
      CACHE_HOST: 'localhost',
      CACHE_PORT: String(backlot.redis.port),
    };
    expect(backlot.env).toMatchObject({ ...further, REDIS_URL: backlot.redis.url });
    expect(process.env).toMatchObject(further);
    await backlot.stop();
    expect(process.env['MAIL_SERVER']).toBeUndefined();
    const { message } = await errorOf(start({ env: { KAFKA: 'BROKERS' } }));
    expect(message).toMatch(/^there is no variable "KAFKA"; .*HTTP_URL, HTTP_HOST, HTTP_PORT, SMTP_URL/);
  });

  it('is left alone unless it is asked for, and put back when it is', async () => {
    const backlot = await start();
    expect(process.env['SMTP_URL']).toBeUndefined();
    const undo = backlot.applyEnv();
    expect(backlot.applyEnv()).toBe(undo);
    expect(process.env['SMTP_URL']).toBe(backlot.smtp.url);
    process.env['REDIS_URL'] = 'set by somebody else';
    undo();
    expect(process.env['SMTP_URL']).toBeUndefined();
    expect(process.env['REDIS_URL']).toBe('set by somebody else');
    delete process.env['REDIS_URL'];
  });
});

describe('a start that fails', () => {
  it('refuses a kind that has the name of a member', async () => {
    const clock: Protocol = { ...http, kind: 'clock' };
    expect(await errorOf(startBacklot({ protocols: [clock] }))).toMatchObject({
      code: 'conflict',
      message:
        'protocol "clock" has the name of a member that every Backlot has; use createHost of @backlot/core for it',
    });
  });

  it('names what is wrong with the settings', async () => {
    const wrong = { http: { prot: 1 } } as object;
    expect((await errorOf(start({ settings: wrong }))).message).toContain('/settings/http');
    const settings = { http: { prot: 1, host: '' } } as object;
    expect((await errorOf(start({ settings }))).message).toMatch(
      /\n {2}\/settings\/http\/(prot|host): [^]*\n {2}\/settings\/http\//,
    );
  });
});
