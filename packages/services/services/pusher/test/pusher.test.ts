import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import type PusherServer from 'pusher';
import type * as PusherJs from 'pusher-js';

const load = createRequire(import.meta.url);
const Server = load('pusher') as typeof PusherServer;
const Client = load('pusher-js') as typeof PusherJs.default.default;
type PusherClient = InstanceType<typeof Client>;
type Channel = PusherJs.Channel;

const backlot = useBacklot({ services: ['pusher'] });

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function connectServer(secret = backlot.env.PUSHER_APP_SECRET): PusherServer {
  const { PUSHER_APP_ID: appId, PUSHER_APP_KEY: key, PUSHER_HOST: host, PUSHER_PORT: port } = backlot.env;
  return new Server({ appId, key, secret, host, port, useTLS: false });
}

/** A client whose server lets it into every channel, as `user`. */
function connectClient(
  user = 'ann',
  options: Partial<PusherJs.Options> = {},
  key = backlot.env.PUSHER_APP_KEY,
): PusherClient {
  const server = connectServer();
  const client = new Client(key, {
    cluster: 'mt1',
    wsHost: backlot.env.PUSHER_HOST,
    wsPort: Number(backlot.env.PUSHER_PORT),
    forceTLS: false,
    enabledTransports: ['ws'],
    channelAuthorization: {
      transport: 'ajax',
      endpoint: '',
      customHandler: ({ socketId, channelName }, done) =>
        done(
          null,
          server.authorizeChannel(
            socketId,
            channelName,
            channelName.startsWith('presence-') ? { user_id: user, user_info: { name: user } } : undefined,
          ),
        ),
    },
    userAuthentication: {
      transport: 'ajax',
      endpoint: '',
      customHandler: ({ socketId }, done) => done(null, server.authenticateUser(socketId, { id: user })),
    },
    ...options,
  });
  closing.push(() => client.disconnect());
  return client;
}

interface Bindable {
  bind(event: string, take: (data: unknown) => void): unknown;
  unbind(event: string, take: (data: unknown) => void): unknown;
}

/** The next event of a channel or a connection. */
function next(of: Bindable, event: string): Promise<unknown> {
  return new Promise((resolve) => {
    const take = (data: unknown): void => {
      of.unbind(event, take);
      resolve(data);
    };
    of.bind(event, take);
  });
}

async function subscribed(client: PusherClient, name: string): Promise<Channel> {
  const channel = client.subscribe(name);
  await next(channel, 'pusher:subscription_succeeded');
  return channel;
}

const status = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (error: { status?: number }) => error.status,
  );

describe('events', () => {
  it('that the server triggers reach subscribers', async () => {
    const channel = await subscribed(connectClient(), 'orders');
    const told = next(channel, 'placed');
    await connectServer().trigger('orders', 'placed', { id: 7 });
    expect(await told).toEqual({ id: 7 });
    expect(backlot.collection('pusher:events').list()).toMatchObject([
      { name: 'placed', channel: 'orders', data: '{"id":7}' },
    ]);
  });

  it('reach others than the socket that is left out, and in batches', async () => {
    const [ann, bob] = [connectClient('ann'), connectClient('bob')];
    const [ofAnn, ofBob] = [await subscribed(ann, 'a'), await subscribed(bob, 'a')];
    const heard: string[] = [];
    ofAnn.bind_global((event: string) => heard.push(event));
    const told = next(ofBob, 'first');
    await connectServer().trigger('a', 'first', {}, { socket_id: ann.connection.socket_id });
    await told;
    const last = next(ofAnn, 'third');
    await connectServer().triggerBatch([
      { channel: 'a', name: 'second', data: '2' },
      { channel: 'a', name: 'third', data: '3' },
    ]);
    await last;
    expect(heard).toEqual(['second', 'third']);
  });

  it('of cache channels are told to who comes later', async () => {
    const client = connectClient();
    const empty = client.subscribe('cache-price');
    await next(empty, 'pusher:cache_miss');
    await connectServer().trigger('cache-price', 'price', { now: 5 });
    const late = connectClient('bob').subscribe('cache-price');
    expect(await next(late, 'price')).toEqual({ now: 5 });
  });

  it('reach a user who has signed in', async () => {
    const client = connectClient('ann');
    client.signin();
    await next(client, 'pusher:signin_success');
    const told = next(client.user, 'notice');
    await connectServer().sendToUser('ann', 'notice', { text: 'hello' });
    expect(await told).toEqual({ text: 'hello' });
  });
});

describe('private and presence channels', () => {
  it('are for those whom the server has let in', async () => {
    const channel = await subscribed(connectClient(), 'private-room');
    expect(channel.subscribed).toBe(true);
    const wrong = connectServer('another-secret');
    const stranger = connectClient('eve', {
      channelAuthorization: {
        transport: 'ajax',
        endpoint: '',
        customHandler: ({ socketId, channelName }, done) =>
          done(null, wrong.authorizeChannel(socketId, channelName)),
      },
    }).subscribe('private-room');
    expect(await next(stranger, 'pusher:subscription_error')).toMatchObject({
      type: 'AuthError',
      status: 401,
    });
  });

  it('tell who comes and who leaves, also without a word', async () => {
    const ofAnn = (await subscribed(connectClient('ann'), 'presence-room')) as PusherJs.PresenceChannel;
    const joined = next(ofAnn, 'pusher:member_added');
    const bob = connectClient('bob');
    const ofBob = (await subscribed(bob, 'presence-room')) as PusherJs.PresenceChannel;
    expect(await joined).toEqual({ id: 'bob', info: { name: 'bob' } });
    expect(ofBob.members.count).toBe(2);
    expect(ofBob.members.me).toEqual({ id: 'bob', info: { name: 'bob' } });
    // A second connection of the same person is no further member.
    const again = connectClient('bob');
    await subscribed(again, 'presence-room');
    expect(ofAnn.members.count).toBe(2);
    const heard: unknown[] = [];
    ofAnn.bind('pusher:member_removed', (member: unknown) => heard.push(member));
    bob.disconnect();
    const left = next(ofAnn, 'pusher:member_removed');
    again.unsubscribe('presence-room');
    expect(await left).toEqual({ id: 'bob', info: { name: 'bob' } });
    expect(heard).toHaveLength(1);
  });

  it('carry events of clients', async () => {
    const [ofAnn, ofBob] = [
      await subscribed(connectClient('ann'), 'presence-room'),
      await subscribed(connectClient('bob'), 'presence-room'),
    ];
    const told = new Promise((resolve) =>
      ofBob.bind('client-typing', (data: unknown, { user_id: user }: { user_id: string }) =>
        resolve([data, user]),
      ),
    );
    expect(ofAnn.trigger('client-typing', { on: true })).toBe(true);
    expect(await told).toEqual([{ on: true }, 'ann']);
  });

  it('carry encrypted data, which the client decrypts', async () => {
    const { PUSHER_APP_ID: appId, PUSHER_APP_KEY: key, PUSHER_APP_SECRET: secret, ...env } = backlot.env;
    const server = new Server({
      appId,
      key,
      secret,
      host: env.PUSHER_HOST,
      port: env.PUSHER_PORT,
      useTLS: false,
      encryptionMasterKeyBase64: Buffer.alloc(32, 1).toString('base64'),
    });
    const client = connectClient('ann', {
      channelAuthorization: {
        transport: 'ajax',
        endpoint: '',
        customHandler: ({ socketId, channelName }, done) =>
          done(null, server.authorizeChannel(socketId, channelName)),
      },
    });
    const channel = await subscribed(client, 'private-encrypted-x');
    const told = next(channel, 'secret');
    await server.trigger('private-encrypted-x', 'secret', { a: 1 });
    expect(await told).toEqual({ a: 1 });
    expect(backlot.collection('pusher:events').list()).toMatchObject([
      { data: expect.stringContaining('ciphertext') },
    ]);
  });
});

describe('the REST API', () => {
  it('tells of channels and users', async () => {
    await subscribed(connectClient('ann'), 'presence-room');
    await subscribed(connectClient('bob'), 'presence-room');
    await subscribed(connectClient('bob'), 'orders');
    const server = connectServer();
    const get = async (path: string, params?: Record<string, string>): Promise<unknown> =>
      (await server.get(params === undefined ? { path } : { path, params })).json();
    expect(await get('/channels')).toEqual({ channels: { 'presence-room': {}, orders: {} } });
    expect(await get('/channels', { filter_by_prefix: 'presence-', info: 'user_count' })).toEqual({
      channels: { 'presence-room': { user_count: 2 } },
    });
    expect(await get('/channels/orders', { info: 'subscription_count' })).toEqual({
      occupied: true,
      subscription_count: 1,
    });
    expect(await get('/channels/none')).toEqual({ occupied: false });
    expect(await get('/channels/presence-room/users')).toEqual({ users: [{ id: 'ann' }, { id: 'bob' }] });
  });

  it('refuses what Pusher refuses, so that the SDK throws its error', async () => {
    const server = connectServer();
    expect(await status(connectServer('wrong').trigger('a', 'b', {}))).toBe(401);
    expect(await status(server.get({ path: '/channels', params: { info: 'user_count' } }))).toBe(400);
    expect(await status(server.get({ path: '/channels/orders/users' }))).toBe(400);
    expect(
      await status(server.post({ path: '/events', body: { name: 'x', data: 7, channels: ['a'] } as never })),
    ).toBe(400);
    expect(await status(server.trigger('a', 'big', 'x'.repeat(11_000)))).toBe(413);
    expect(await status(server.get({ path: '/nothing' }))).toBe(404);
    await backlot.clock.advance(11 * 60_000);
    expect(await status(server.trigger('a', 'b', {}))).toBe(401);
  });
});

it('sends webhooks that the SDK accepts', async () => {
  const received: { headers: object; rawBody: string }[] = [];
  let wake = (): void => undefined;
  const hook = createServer((request, response) => {
    let rawBody = '';
    request.on('data', (chunk: Buffer) => (rawBody += chunk.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers, rawBody });
      response.end();
      wake();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  closing.push(() => hook.close());
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  backlot.collection('pusher:webhooks').create({ url });
  const ann = connectClient('ann');
  await subscribed(ann, 'presence-room');
  ann.disconnect();
  while (received.length < 4) await new Promise<void>((resolve) => (wake = resolve));
  const server = connectServer();
  const events = received.map((request) => {
    const webhook = server.webhook(request);
    expect(webhook.isValid()).toBe(true);
    return webhook.getEvents()[0];
  });
  expect(events).toEqual(
    expect.arrayContaining([
      { name: 'channel_occupied', channel: 'presence-room' },
      { name: 'member_added', channel: 'presence-room', user_id: 'ann' },
      { name: 'member_removed', channel: 'presence-room', user_id: 'ann' },
      { name: 'channel_vacated', channel: 'presence-room' },
    ]),
  );
});

describe('connections', () => {
  it('with an unknown key are refused', async () => {
    const client = connectClient('ann', {}, 'another');
    expect(await next(client.connection, 'error')).toMatchObject({
      error: { data: { code: 4001 } },
    });
  });

  it('that say something wrong are told', async () => {
    const client = connectClient();
    await subscribed(client, 'orders');
    const told = next(client.connection, 'error');
    client.send_event('client-x', {}, 'orders');
    expect(await told).toMatchObject({ data: { code: 4301 } });
    const again = next(client.connection, 'error');
    client.send_event('pusher:subscribe', { channel: 'a b' });
    expect(await again).toMatchObject({ data: { code: 4009 } });
  });
});

describe('scenarios', () => {
  it.each([
    ['outage', 503],
    ['rate-limited', 429],
    ['wrong-credentials', 401],
    ['app-disabled', 403],
  ])('%s answers %i', async (scenario, wanted) => {
    backlot.scenarios.activate(`pusher:${scenario}`);
    expect(await status(connectServer().trigger('a', 'b', {}))).toBe(wanted);
  });

  it('slow triggers after ten minutes, and nothing else waits', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('pusher:slow');
    let isOver = false;
    const triggered = status(connectServer().trigger('a', 'b', {})).finally(() => (isOver = true));
    expect((await connectServer().get({ path: '/channels' })).status).toBe(200);
    let minutes = 0;
    for (; !isOver; minutes += 1) {
      await backlot.clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(minutes).toBeGreaterThanOrEqual(10);
    expect(await triggered).toBe('none');
  });

  it('over-quota refuses connections, connect-again only the next', async () => {
    backlot.scenarios.activate('pusher:over-quota');
    const refused = connectClient();
    expect(await next(refused.connection, 'error')).toMatchObject({
      error: { data: { code: 4004 } },
    });
    backlot.scenarios.deactivate('pusher:over-quota');
    backlot.scenarios.activate('pusher:connect-again');
    await subscribed(connectClient(), 'orders');
  });

  it('auth-refused refuses subscriptions of private channels alone', async () => {
    backlot.scenarios.activate('pusher:auth-refused');
    const client = connectClient();
    await subscribed(client, 'orders');
    expect(await next(client.subscribe('private-room'), 'pusher:subscription_error')).toMatchObject({
      status: 401,
    });
  });
});
