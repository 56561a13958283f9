import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import type * as Api from '@slack/web-api';
import type * as Hook from '@slack/webhook';

const load = createRequire(import.meta.url);
const { ErrorCode, LogLevel, WebClient, WebClientEvent } = load('@slack/web-api') as typeof Api;
const { IncomingWebhook } = load('@slack/webhook') as typeof Hook;

const backlot = useBacklot({ services: ['slack'] });

/** So that what the SDK finds wrong is not printed. */
const SILENT: Api.Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

function connect(token = backlot.env.SLACK_BOT_TOKEN, options: Api.WebClientOptions = {}): Api.WebClient {
  const { SLACK_API_URL: slackApiUrl } = backlot.env;
  return new WebClient(token, {
    slackApiUrl,
    logger: SILENT,
    retryConfig: { retries: 0 },
    ...options,
  });
}

/** What a call throws, as the SDK tells it. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown as { code?: string; data?: { error?: string } },
  );
  return error?.data?.error ?? error?.code;
}

const GENERAL = 'C0GENERAL';

describe('who calls', () => {
  it('is told by the token', async () => {
    expect(await connect().auth.test()).toMatchObject({
      ok: true,
      user_id: 'U0BACKLOT',
      bot_id: 'B0BACKLOT',
    });
    expect(await connect('xoxp-U0ANN').auth.test()).toMatchObject({ user: 'ann', user_id: 'U0ANN' });
  });

  it.each([
    ['xoxb-invalid', 'invalid_auth'],
    ['xoxb-revoked', 'token_revoked'],
    ['xoxb-expired', 'token_expired'],
    ['nothing', 'invalid_auth'],
    ['xapp-1', 'not_allowed_token_type'],
    [undefined, 'not_authed'],
  ])('is refused with the token %s', async (token, error) => {
    const client =
      token === undefined
        ? new WebClient(undefined, { slackApiUrl: backlot.env.SLACK_API_URL, logger: SILENT })
        : connect(token);
    expect(await errorOf(client.auth.test())).toBe(error);
  });

  it('is installed with a code', async () => {
    const made = await connect().oauth.v2.access({ client_id: 'c', client_secret: 's', code: 'abc' });
    expect(made).toMatchObject({ access_token: 'xoxb-backlot', team: { id: 'T0BACKLOT' } });
    const wrong = connect().oauth.v2.access({ client_id: 'c', client_secret: 's', code: 'invalid' });
    expect(await errorOf(wrong)).toBe('invalid_code');
  });
});

describe('messages', () => {
  it('are posted, changed, found and deleted', async () => {
    const { chat, conversations } = connect();
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*Tea*' } }];
    const posted = await chat.postMessage({ channel: '#general', text: 'Tea is ready', blocks });
    expect(posted).toMatchObject({
      channel: GENERAL,
      message: { text: 'Tea is ready', bot_id: 'B0BACKLOT', blocks },
    });
    const ts = String(posted.ts);
    expect(ts).toMatch(/^\d{10}\.\d{6}$/);
    await chat.update({ channel: GENERAL, ts, text: 'Tea is cold' });
    const { messages } = await conversations.history({ channel: GENERAL });
    expect(messages).toMatchObject([{ ts, text: 'Tea is cold', edited: { user: 'U0BACKLOT' } }]);
    const { permalink } = await chat.getPermalink({ channel: GENERAL, message_ts: ts });
    expect(permalink).toBe(`https://backlot.slack.com/archives/${GENERAL}/p${ts.replace('.', '')}`);
    await chat.delete({ channel: GENERAL, ts });
    expect((await conversations.history({ channel: GENERAL })).messages).toEqual([]);
    expect(await errorOf(chat.delete({ channel: GENERAL, ts }))).toBe('message_not_found');
  });

  it('have threads', async () => {
    const { chat, conversations } = connect();
    const { ts: first = '' } = await chat.postMessage({ channel: GENERAL, text: 'one' });
    await chat.postMessage({ channel: GENERAL, text: 'two', thread_ts: first });
    await chat.postMessage({ channel: GENERAL, text: 'three', thread_ts: first, reply_broadcast: true });
    const { messages } = await conversations.replies({ channel: GENERAL, ts: first });
    expect(messages?.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(messages?.[0]).toMatchObject({ reply_count: 2, reply_users: ['U0BACKLOT'] });
    const history = await conversations.history({ channel: GENERAL });
    expect(history.messages?.map(({ text }) => text)).toEqual(['three', 'one']);
    expect(await errorOf(conversations.replies({ channel: GENERAL, ts: '1.000000' }))).toBe(
      'thread_not_found',
    );
    const lost = chat.postMessage({ channel: GENERAL, text: 'x', thread_ts: '1.000000' });
    expect(await errorOf(lost)).toBe('thread_not_found');
  });

  it('go to a person by a channel with them, and to one person alone', async () => {
    const { chat, conversations } = connect();
    const { channel = '' } = await chat.postMessage({ channel: 'U0ANN', text: 'psst' });
    expect(channel).toMatch(/^D0/);
    expect((await conversations.open({ users: 'U0ANN' })).channel?.id).toBe(channel);
    const { message_ts: ts } = await chat.postEphemeral({
      channel: GENERAL,
      user: 'U0ANN',
      text: 'only you',
    });
    expect((await conversations.history({ channel: GENERAL })).messages).toEqual([]);
    expect(backlot.collection('slack:messages').get(`${GENERAL}:${ts}`)).toMatchObject({
      ephemeral_to: 'U0ANN',
    });
  });

  it('are scheduled by the clock, listed and taken back', async () => {
    backlot.clock.freeze(true);
    const { chat } = connect();
    const now = Math.floor(backlot.clock.now() / 1000);
    const { scheduled_message_id: id = '' } = await chat.scheduleMessage({
      channel: GENERAL,
      text: 'later',
      post_at: now + 60,
    });
    expect((await chat.scheduledMessages.list({})).scheduled_messages).toMatchObject([{ id, text: 'later' }]);
    await chat.deleteScheduledMessage({ channel: GENERAL, scheduled_message_id: id });
    expect((await chat.scheduledMessages.list({})).scheduled_messages).toEqual([]);
    const past = chat.scheduleMessage({ channel: GENERAL, text: 'late', post_at: now - 1 });
    expect(await errorOf(past)).toBe('time_in_past');
  });

  it.each([
    [{ channel: 'C0NONE' }, 'channel_not_found'],
    [{ channel: 'C0RANDOM' }, 'not_in_channel'],
    [{ channel: '' }, 'invalid_arguments'],
    [{ text: '' }, 'no_text'],
    [{ text: 'x'.repeat(40_001) }, 'msg_too_long'],
    [{ blocks: [{ type: 'nonsense' }] }, 'invalid_blocks'],
    [{ blocks: '{' }, 'invalid_blocks_format'],
    [{ thread_ts: 'yesterday' }, 'invalid_thread_ts'],
  ])('are refused for %j', async (change, error) => {
    const call = connect().apiCall('chat.postMessage', { channel: GENERAL, text: 'x', ...change });
    expect(await errorOf(call)).toBe(error);
  });

  it('of others are not changed', async () => {
    const { ts = '' } = await connect('xoxp-U0ANN').chat.postMessage({ channel: GENERAL, text: 'mine' });
    expect(await errorOf(connect().chat.update({ channel: GENERAL, ts, text: 'yours' }))).toBe(
      'cant_update_message',
    );
    expect(await errorOf(connect().chat.delete({ channel: GENERAL, ts }))).toBe('cant_delete_message');
  });
});

describe('channels and people', () => {
  it('channels are made, described, renamed, entered and archived', async () => {
    const { conversations } = connect();
    const { channel } = await conversations.create({ name: 'tea' });
    const id = channel?.id ?? '';
    await conversations.setTopic({ channel: id, topic: 'leaves' });
    await conversations.invite({ channel: id, users: 'U0ANN,U0BOB' });
    await conversations.rename({ channel: id, name: 'coffee' });
    expect((await conversations.members({ channel: id })).members).toEqual(['U0BACKLOT', 'U0ANN', 'U0BOB']);
    await conversations.kick({ channel: id, user: 'U0BOB' });
    const info = await conversations.info({ channel: id, include_num_members: true });
    expect(info.channel).toMatchObject({
      name: 'coffee',
      topic: { value: 'leaves' },
      num_members: 2,
      is_member: true,
    });
    await conversations.archive({ channel: id });
    expect(await errorOf(conversations.archive({ channel: id }))).toBe('already_archived');
    expect(await errorOf(connect().chat.postMessage({ channel: id, text: 'x' }))).toBe('is_archived');
    const open = await conversations.list({ exclude_archived: true });
    expect(open.channels?.map(({ name }) => name)).toEqual(['general', 'random']);
    expect(await errorOf(conversations.create({ name: 'general' }))).toBe('name_taken');
    expect(await errorOf(conversations.create({ name: 'No Spaces' }))).toBe('invalid_name_specials');
    await conversations.join({ channel: 'C0RANDOM' });
    await connect().chat.postMessage({ channel: 'C0RANDOM', text: 'in' });
    await conversations.leave({ channel: 'C0RANDOM' });
    expect(await errorOf(conversations.history({ channel: 'C0RANDOM' }))).toBe('not_in_channel');
  });

  it('lists are read in pages, by cursor', async () => {
    const client = connect();
    for (let n = 0; n < 5; n += 1) await client.chat.postMessage({ channel: GENERAL, text: `${n}` });
    const sizes: number[] = [];
    const texts: string[] = [];
    for await (const page of client.paginate('conversations.history', { channel: GENERAL, limit: 2 })) {
      const { messages = [] } = page as Api.ConversationsHistoryResponse;
      sizes.push(messages.length);
      texts.push(...messages.map(({ text = '' }) => text));
    }
    expect([sizes, texts]).toEqual([
      [2, 2, 1],
      ['4', '3', '2', '1', '0'],
    ]);
    const users = await client.users.list({ limit: 2 });
    expect(users.members?.map(({ name }) => name)).toEqual(['backlot', 'ann']);
    expect(await errorOf(client.users.list({ cursor: 'bad' }))).toBe('invalid_cursor');
  });

  it('people are found, by mail as well, and change their profile', async () => {
    const { users } = connect();
    expect((await users.lookupByEmail({ email: 'ANN@example.com' })).user?.id).toBe('U0ANN');
    expect(await errorOf(users.lookupByEmail({ email: 'zoe@example.com' }))).toBe('users_not_found');
    expect(await errorOf(users.info({ user: 'U0ZOE' }))).toBe('user_not_found');
    const own = connect('xoxp-U0ANN').users;
    await own.profile.set({ profile: { status_text: 'at tea' } });
    expect((await users.profile.get({ user: 'U0ANN' })).profile).toMatchObject({
      status_text: 'at tea',
      email: 'ann@example.com',
    });
    await own.setPresence({ presence: 'away' });
    expect((await users.getPresence({ user: 'U0ANN' })).presence).toBe('away');
  });
});

describe('reactions, pins, files and views', () => {
  it('reactions and pins stand at messages', async () => {
    const { chat, pins, reactions } = connect();
    const { ts: timestamp = '' } = await chat.postMessage({ channel: GENERAL, text: 'look' });
    const item = { channel: GENERAL, timestamp };
    await reactions.add({ ...item, name: 'tea' });
    expect(await errorOf(reactions.add({ ...item, name: 'tea' }))).toBe('already_reacted');
    const got = await reactions.get(item);
    expect(got.message?.reactions).toEqual([{ name: 'tea', users: ['U0BACKLOT'], count: 1 }]);
    expect((await reactions.list({})).items).toHaveLength(1);
    await reactions.remove({ ...item, name: 'tea' });
    expect(await errorOf(reactions.remove({ ...item, name: 'tea' }))).toBe('no_reaction');
    await pins.add(item);
    expect((await pins.list({ channel: GENERAL })).items).toMatchObject([{ message: { text: 'look' } }]);
    await pins.remove(item);
    expect(await errorOf(pins.remove(item))).toBe('no_pin');
  });

  it('files are uploaded with their bytes, shared, read and deleted', async () => {
    const client = connect();
    const bytes = Buffer.from([0, 255, 1, 254]);
    const uploaded = await client.files.uploadV2({
      channel_id: GENERAL,
      file: bytes,
      filename: 'a.png',
      initial_comment: 'a picture',
    });
    const list = await client.files.list({});
    const id = list.files?.[0]?.id ?? '';
    expect(uploaded.ok).toBe(true);
    const { file } = await client.files.info({ file: id });
    expect(file).toMatchObject({ name: 'a.png', mimetype: 'image/png', size: 4, channels: [GENERAL] });
    const got = await fetch(file?.url_private ?? '', { headers: { Authorization: 'Bearer xoxb-backlot' } });
    expect(Buffer.from(await got.arrayBuffer())).toEqual(bytes);
    const { messages } = await client.conversations.history({ channel: GENERAL });
    expect(messages).toMatchObject([{ text: 'a picture', files: [{ id }] }]);
    await client.files.delete({ file: id });
    expect(await errorOf(client.files.info({ file: id }))).toBe('file_not_found');
  });

  it('a view is opened with a trigger, once and within three seconds, and changed', async () => {
    backlot.clock.freeze(true);
    const { views } = connect();
    const view: Api.ModalView = { type: 'modal', title: { type: 'plain_text', text: 'Order' }, blocks: [] };
    const trigger = async (): Promise<string> => {
      const made = await simulate('command', { command: '/order' });
      return String(made['trigger_id']);
    };
    const first = await trigger();
    const opened = await views.open({ trigger_id: first, view });
    expect(await errorOf(views.open({ trigger_id: first, view }))).toBe('exchanged_trigger_id');
    const late = await trigger();
    await backlot.clock.advance(3001);
    expect(await errorOf(views.open({ trigger_id: late, view }))).toBe('expired_trigger_id');
    const view_id = opened.view?.id ?? '';
    const changed = await views.update({
      view_id,
      hash: opened.view?.hash ?? '',
      view: { ...view, callback_id: 'c' },
    });
    expect(changed.view).toMatchObject({ id: view_id, callback_id: 'c', root_view_id: view_id });
    expect(await errorOf(views.update({ view_id, hash: 'old', view }))).toBe('hash_conflict');
    const pushed = await views.push({ trigger_id: await trigger(), view });
    expect(pushed.view).toMatchObject({ root_view_id: view_id, previous_view_id: view_id });
    await views.publish({ user_id: 'U0ANN', view: { type: 'home', blocks: [{ type: 'divider' }] } });
    const none = views.open({ trigger_id: await trigger(), view: { type: 'modal' } as Api.ModalView });
    expect(await errorOf(none)).toBe('invalid_arguments');
  });
});

async function simulate(what: string, body: object): Promise<Record<string, unknown>> {
  const url = backlot.env.SLACK_API_URL.replace(/api\/$/, `simulate/${what}`);
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as Record<string, unknown>;
}

describe('incoming webhooks', () => {
  const hook = (url = backlot.env.SLACK_WEBHOOK_URL): Hook.IncomingWebhook => new IncomingWebhook(url);

  it('post into their channel', async () => {
    expect(await hook().send({ text: 'from outside' })).toEqual({ text: 'ok' });
    const { messages } = await connect().conversations.history({ channel: GENERAL });
    expect(messages).toMatchObject([{ text: 'from outside', bot_id: 'B0BACKLOT' }]);
  });

  it('refuse what is wrong', async () => {
    await expect(hook().send({})).rejects.toMatchObject({ code: 'slack_webhook_http_error' });
    const other = backlot.env.SLACK_WEBHOOK_URL.replace(/backlot$/, 'invalid');
    await expect(hook(other).send('x')).rejects.toThrow('403');
    const answer = await fetch(backlot.env.SLACK_WEBHOOK_URL, { method: 'POST', body: 'no json' });
    expect([answer.status, await answer.text()]).toEqual([400, 'invalid_payload']);
  });
});

describe('errors and scenarios', () => {
  it('an unknown method is told, with those that are known', async () => {
    const error = await connect()
      .apiCall('stars.add')
      .then(String, (thrown: unknown) => thrown as { data: unknown });
    expect(error).toMatchObject({
      data: {
        error: 'unknown_method',
        response_metadata: { messages: [expect.stringContaining('/api/chat.postMessage')] },
      },
    });
  });

  it.each([
    ['internal-error', 'internal_error'],
    ['wrong-token', 'invalid_auth'],
    ['revoked-token', 'token_revoked'],
    ['expired-token', 'token_expired'],
    ['missing-scope', 'missing_scope'],
    ['account-inactive', 'account_inactive'],
  ])('%s answers so', async (scenario, error) => {
    backlot.scenarios.activate(`slack:${scenario}`);
    expect(await errorOf(connect().chat.postMessage({ channel: GENERAL, text: 'x' }))).toBe(error);
  });

  it('rate-limited tells when to come again, and outage is an error of HTTP', async () => {
    backlot.scenarios.activate('slack:rate-limited');
    const strict = connect(undefined, { rejectRateLimitedCalls: true });
    await expect(strict.auth.test()).rejects.toMatchObject({
      code: ErrorCode.RateLimitedError,
      retryAfter: 30,
    });
    backlot.scenarios.deactivate('slack:rate-limited');
    backlot.scenarios.activate('slack:outage');
    await expect(connect().auth.test()).rejects.toMatchObject({ statusCode: 503 });
  });

  it('rate-limited-once is over with the next attempt of the SDK', async () => {
    backlot.scenarios.activate('slack:rate-limited-once');
    const client = connect(undefined, { retryConfig: { retries: 2, minTimeout: 1, maxTimeout: 1 } });
    const waits: number[] = [];
    client.on(WebClientEvent.RATE_LIMITED, (seconds: number) => void waits.push(seconds));
    expect((await client.auth.test()).ok).toBe(true);
    expect(waits).toEqual([1]);
  });

  it('bad input is answered as Slack does', async () => {
    const post = async (type: string, body: string): Promise<unknown> => {
      const headers = { 'Content-Type': type, Authorization: 'Bearer xoxb-backlot' };
      const answer = await fetch(`${backlot.env.SLACK_API_URL}chat.postMessage`, {
        method: 'POST',
        headers,
        body,
      });
      return ((await answer.json()) as { error?: string }).error;
    };
    expect(await post('application/json', '{')).toBe('json_not_object');
    expect(await post('application/json', '[1]')).toBe('json_not_object');
    expect(await post('application/json', '{"channel": {"a": 1}, "text": ["x"]}')).toBe('channel_not_found');
    expect(await post('application/x-www-form-urlencoded', 'channel=C0GENERAL&text=a&text=b')).toBe(
      'no_text',
    );
    expect(await post('application/x-www-form-urlencoded', '__proto__=1')).toBe('invalid_arguments');
  });
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('what is sent to apps', () => {
  it('is signed, and only what they have subscribed to', async () => {
    const got: { headers: Record<string, unknown>; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        got.push({ headers: request.headers, body });
        server.emit('got');
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    backlot.collection('slack:subscriptions').create({ url, events: ['reaction_added', 'message.im'] });
    const { chat, reactions } = connect();
    const { ts: timestamp = '' } = await chat.postMessage({ channel: GENERAL, text: 'not this' });
    await reactions.add({ channel: GENERAL, timestamp, name: 'eyes' });
    await connect('xoxp-U0ANN').chat.postMessage({ channel: 'U0BACKLOT', text: 'this' });
    while (got.length < 2) await once(server, 'got');
    const events = got.map(({ body }) => (JSON.parse(body) as { event: Record<string, unknown> }).event);
    expect(events.map(({ type }) => type).sort()).toEqual(['message', 'reaction_added']);
    expect(got[0]?.headers['x-slack-signature']).toMatch(/^v0=[0-9a-f]{64}$/);
  });
});
