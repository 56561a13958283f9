import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';
import { createHmac } from 'node:crypto';
import { Visitor } from '../../../test/visitor.js';
import { startNginx, type Proxy } from './nginx.js';

const backlot = useBacklot({ services: ['authelia'] });
const ANN = { username: 'ann', password: 'password' };

/** One browser as scripts see it: with its cookie. */
class Client {
  cookie = '';

  async ask(path: string, body?: object, headers: Record<string, string> = {}) {
    const answer = await fetch(`${backlot.env.AUTHELIA_URL}${path}`, {
      redirect: 'manual',
      headers: { cookie: this.cookie, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.slice(0, set.indexOf(';'));
    const text = await answer.text();
    const json: unknown =
      answer.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : text;
    return { status: answer.status, json, headers: answer.headers };
  }

  /** What forward auth says about a request to an address. */
  async forward(address: string, headers: Record<string, string> = {}, method = 'GET') {
    const { protocol, host, pathname } = new URL(address);
    return this.ask('/api/authz/forward-auth', undefined, {
      'X-Forwarded-Method': method,
      'X-Forwarded-Proto': protocol.slice(0, -1),
      'X-Forwarded-Host': host,
      'X-Forwarded-Uri': pathname,
      ...headers,
    });
  }
}

/** The code that an authenticator app would show: of the secret `JBSWY3DPEHPK3PXP`, which is "Hello!" and four bytes. */
function code(time: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)));
  const digest = createHmac('sha1', Buffer.from('48656c6c6f21deadbeef', 'hex')).update(counter).digest();
  const number = digest.readUInt32BE((digest[19] ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

async function loggedIn(who: object = ANN): Promise<Client> {
  const client = new Client();
  expect((await client.ask('/api/firstfactor', who)).status).toBe(200);
  return client;
}

describe('the portal', () => {
  it('knows who has logged in, by one factor and by two', async () => {
    const client = new Client();
    expect((await client.ask('/api/state')).json).toMatchObject({
      status: 'OK',
      data: { username: '', authentication_level: 0 },
    });
    expect(await client.ask('/api/firstfactor', { ...ANN, password: 'x' })).toMatchObject({
      status: 401,
      json: { status: 'KO', message: 'Authentication failed. Check your credentials.' },
    });
    await client.ask('/api/firstfactor', ANN);
    expect((await client.ask('/api/state')).json).toMatchObject({
      data: { username: 'ann', authentication_level: 1 },
    });
    expect((await client.ask('/api/user/info')).json).toMatchObject({
      data: { display_name: 'Ann Archer', emails: ['ann@example.com'], has_totp: true },
    });
    expect((await client.ask('/api/secondfactor/totp', { token: '000000' })).status).toBe(403);
    await client.ask('/api/secondfactor/totp', { token: code(backlot.clock.now()) });
    expect((await client.ask('/api/state')).json).toMatchObject({ data: { authentication_level: 2 } });
    await client.ask('/api/logout', {});
    expect((await client.ask('/api/state')).json).toMatchObject({ data: { authentication_level: 0 } });
    expect((await client.ask('/api/user/info')).status).toBe(401);
  });

  it('sessions end by the clock, later when somebody is to be remembered', async () => {
    const short = await loggedIn();
    const long = await loggedIn({ ...ANN, keepMeLoggedIn: true });
    await backlot.clock.advance(3_600_000);
    expect((await short.ask('/api/state')).json).toMatchObject({ data: { username: '' } });
    expect((await long.ask('/api/state')).json).toMatchObject({ data: { username: 'ann' } });
  });

  it('leads where it is safe', async () => {
    const client = new Client();
    const login = async (targetURL: string): Promise<unknown> =>
      (await client.ask('/api/firstfactor', { ...ANN, targetURL })).json;
    const { hostname } = new URL(backlot.env.AUTHELIA_URL);
    expect(await login(`http://${hostname}:1/x`)).toEqual({
      status: 'OK',
      data: { redirect: `http://${hostname}:1/x` },
    });
    expect(await login('https://evil.example/')).toEqual({ status: 'OK' });
    const check = async (uri: unknown): Promise<unknown> =>
      (await client.ask('/api/checks/safe-redirection', { uri })).json;
    expect(await check(`http://${hostname}/`)).toEqual({ status: 'OK', data: { ok: true } });
    expect(await check('javascript:alert(1)')).toEqual({ status: 'OK', data: { ok: false } });
  });

  it.each([[{}], [{ username: 5, password: null }], [{ username: 'eve', password: 'password' }]])(
    'refuses %j',
    async (body) => {
      expect((await new Client().ask('/api/firstfactor', body)).status).toBe(401);
    },
  );
});

describe('forward auth', () => {
  it('leads browsers to the portal, answers 401 to scripts, and names who is logged in', async () => {
    const nobody = new Client();
    const led = await nobody.forward('https://app.example.com/a', { Accept: 'text/html' });
    expect([led.status, led.headers.get('location')]).toEqual([
      302,
      `${backlot.env.AUTHELIA_URL}/?rd=https%3A%2F%2Fapp.example.com%2Fa&rm=GET`,
    ]);
    expect((await nobody.forward('https://app.example.com/a', {}, 'POST')).status).toBe(303);
    expect((await nobody.forward('https://app.example.com/a', { Accept: 'application/json' })).status).toBe(
      401,
    );
    const { status, headers } = await (await loggedIn()).forward('https://app.example.com/a');
    expect([status, headers.get('remote-user'), headers.get('remote-groups')]).toEqual([
      200,
      'ann',
      'admins,dev',
    ]);
    expect([headers.get('remote-name'), headers.get('remote-email')]).toEqual([
      'Ann Archer',
      'ann@example.com',
    ]);
  });

  it('has rules by domain, group, path and method', async () => {
    const ann = await loggedIn();
    const bob = await loggedIn({ username: 'bob', password: 'password' });
    const nobody = new Client();
    const json = { Accept: 'application/json' };
    const ask = async (address: string): Promise<number[]> =>
      Promise.all([nobody, bob, ann].map(async (who) => (await who.forward(address, json)).status));
    expect(await ask('https://public.example.com/')).toEqual([200, 200, 200]);
    expect(await ask('https://admin.example.com/')).toEqual([401, 403, 200]);
    expect(await ask('https://secure.example.com/')).toEqual([401, 401, 401]);
    await ann.ask('/api/secondfactor/totp', { token: code(backlot.clock.now()) });
    expect(await ask('https://secure.example.com/')).toEqual([401, 401, 200]);
    backlot.collection('authelia:rules').setAll([
      { id: 'read', domain: '*.example.com', methods: ['GET'], resources: ['^/open(/|$)'], policy: 'bypass' },
      { id: 'bob', domain: '*', subject: ['user:bob'], policy: 'one_factor' },
      { id: 'none', domain: '*', policy: 'deny' },
    ]);
    expect(await ask('https://app.example.com/open/x')).toEqual([200, 200, 200]);
    expect(await ask('https://app.example.com/opened')).toEqual([401, 200, 403]);
    expect((await nobody.forward('https://app.example.com/open', json, 'POST')).status).toBe(401);
  });

  it('takes a name and a password in the header', async () => {
    const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const client = new Client();
    const right = await client.forward('https://app.example.com/', basic('bob:password'));
    expect([right.status, right.headers.get('remote-user')]).toEqual([200, 'bob']);
    const wrong = await client.forward('https://app.example.com/', basic('bob:guess'));
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Authorization Required"',
    ]);
  });

  it('refuses what names no request, and the older endpoint answers as it did', async () => {
    const client = new Client();
    expect((await client.ask('/api/authz/forward-auth')).status).toBe(400);
    expect((await client.ask('/api/verify')).status).toBe(401);
    const headers = { 'X-Original-URL': 'https://app.example.com/' };
    expect((await client.ask('/api/verify', undefined, headers)).status).toBe(401);
    const led = await client.ask('/api/verify?rd=https://login.example.com/', undefined, headers);
    expect([led.status, led.headers.get('location')]).toEqual([
      302,
      'https://login.example.com/?rd=https%3A%2F%2Fapp.example.com%2F&rm=GET',
    ]);
    expect((await client.ask('/api/nothing')).json).toMatchObject({
      status: 'KO',
      message: expect.stringContaining('/api/verify'),
    });
  });
});

describe('scenarios', () => {
  it('session-expired has everybody log in again, and scripts come with their password', async () => {
    const client = await loggedIn();
    expect((await client.forward('https://app.example.com/')).status).toBe(200);
    backlot.scenarios.activate('authelia:session-expired');
    expect((await client.forward('https://app.example.com/')).status).toBe(302);
    expect((await client.forward('https://public.example.com/')).status).toBe(200);
    const basic = { Authorization: `Basic ${btoa('ann:password')}` };
    expect((await client.forward('https://app.example.com/', basic)).status).toBe(200);
    backlot.scenarios.deactivate('authelia:session-expired');
    expect((await client.forward('https://app.example.com/')).status).toBe(200);
  });

  it('banned, denied and outage', async () => {
    const client = await loggedIn();
    backlot.scenarios.activate('authelia:banned');
    expect((await client.ask('/api/firstfactor', ANN)).status).toBe(401);
    backlot.scenarios.activate('authelia:denied');
    expect((await client.forward('https://public.example.com/')).status).toBe(403);
    backlot.scenarios.activate('authelia:outage');
    expect((await client.ask('/api/health')).status).toBe(503);
  });
});

describe('nginx with auth_request', () => {
  let proxy: Proxy | undefined;
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
  });

  itWithTool('nginx', 'lets through who has logged in at the portal', async () => {
    proxy = await startNginx(backlot.env.AUTHELIA_URL);
    const visitor = new Visitor();
    const away = await visitor.follow(new URL(`${proxy.url}/page?x=1`));
    expect(away.searchParams.get('rd')).toBe(`${proxy.url}/page?x=1`);
    const form = await visitor.open(away);
    expect(form.text).toContain('id="username-textfield"');
    const wrong = await visitor.submit(form, { username: 'ann', password: 'guess' });
    expect(wrong.text).toContain('Incorrect username or password.');
    const back = await visitor.submitAndLeave(wrong, ANN);
    expect(back.href).toBe(`${proxy.url}/page?x=1`);
    const page = await visitor.open(back);
    expect([page.status, page.text]).toEqual([200, 'the application']);
    const basic = await fetch(proxy.url, { headers: { Authorization: `Basic ${btoa('bob:password')}` } });
    expect([basic.status, basic.headers.get('x-user')]).toEqual([200, 'bob (dev)']);
  });

  itWithTool(
    'nginx',
    'asks for a second factor where a rule does, and refuses where one denies',
    async () => {
      proxy = await startNginx(backlot.env.AUTHELIA_URL);
      backlot.collection('authelia:rules').setAll([
        { id: 'safe', domain: 'localhost', resources: ['^/safe'], policy: 'two_factor' },
        { id: 'shut', domain: 'localhost', resources: ['^/shut'], policy: 'deny' },
      ]);
      const visitor = new Visitor();
      const login = await visitor.open(await visitor.follow(new URL(`${proxy.url}/safe`)));
      const second = await visitor.submit(login, ANN);
      expect(second.text).toContain('id="otp-input"');
      const back = await visitor.submitAndLeave(second, { token: code(backlot.clock.now()) });
      expect((await visitor.open(back)).text).toBe('the application');
      expect((await visitor.open(new URL(`${proxy.url}/shut`))).status).toBe(403);
    },
  );
});
