import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import type * as Discord from 'discord.js';

const load = createRequire(import.meta.url);
const { DiscordAPIError, HTTPError, REST, RateLimitError, Routes, WebhookClient } = load(
  'discord.js',
) as typeof Discord;

const backlot = useBacklot({ services: ['discord'] });

const GENERAL = '100000000000000200';
const GUILD = '100000000000000100';
const [BOT, ANN, BOB] = ['100000000000000000', '100000000000000001', '100000000000000002'];

type Fields = Record<string, unknown>;

function connect(
  options: Partial<Discord.RESTOptions> = {},
  token = backlot.env.DISCORD_TOKEN,
): Discord.REST {
  return new REST({ api: backlot.env.DISCORD_API, retries: 0, ...options }).setToken(token);
}

/** What a call throws: its class, status and code. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof DiscordAPIError)
    return { status: error.status, code: error.code, message: error.message };
  if (error instanceof HTTPError) return { http: error.status };
  if (error instanceof RateLimitError) return { limited: error.global };
  return error;
}

const post = (rest: Discord.REST, body: Fields): Promise<Fields> =>
  rest.post(Routes.channelMessages(GENERAL), { body }) as Promise<Fields>;

describe('messages', () => {
  it('are posted, read, changed and deleted', async () => {
    const rest = connect();
    const made = await post(rest, { content: `Tea, <@${ANN}>?`, embeds: [{ title: 'Tea' }] });
    expect(made).toMatchObject({
      channel_id: GENERAL,
      author: { id: BOT, bot: true },
      mentions: [{ username: 'ann' }],
      embeds: [{ type: 'rich', title: 'Tea' }],
    });
    const id = String(made['id']);
    const changed = await rest.patch(Routes.channelMessage(GENERAL, id), { body: { content: 'Coffee' } });
    expect(changed).toMatchObject({ content: 'Coffee', edited_timestamp: expect.any(String) });
    expect(await rest.get(Routes.channelMessage(GENERAL, id))).toMatchObject({ content: 'Coffee' });
    await rest.delete(Routes.channelMessage(GENERAL, id));
    expect(await errorOf(rest.get(Routes.channelMessage(GENERAL, id)))).toEqual({
      status: 404,
      code: 10_008,
      message: 'Unknown Message',
    });
  });

  it('come in pages, the newest first', async () => {
    const rest = connect();
    const ids: string[] = [];
    for (const content of ['one', 'two', 'three']) ids.push(String((await post(rest, { content }))['id']));
    const read = async (query: Record<string, string>): Promise<unknown[]> => {
      const found = await rest.get(Routes.channelMessages(GENERAL), { query: new URLSearchParams(query) });
      return (found as Fields[]).map(({ content }) => content);
    };
    expect(await read({ limit: '2' })).toEqual(['three', 'two']);
    expect(await read({ before: ids[1] ?? '' })).toEqual(['one']);
    expect(await read({ after: ids[0] ?? '', limit: '1' })).toEqual(['two']);
    expect(await read({ around: ids[1] ?? '', limit: '3' })).toEqual(['three', 'two', 'one']);
    expect(await errorOf(read({ limit: '101' }))).toMatchObject({ status: 400, code: 50_035 });
    await rest.post(Routes.channelBulkDelete(GENERAL), { body: { messages: ids.slice(0, 2) } });
    expect(await read({})).toEqual(['three']);
  });

  it('have files with their bytes', async () => {
    const data = Buffer.from([0, 255, 10]);
    const made = (await connect().post(Routes.channelMessages(GENERAL), {
      body: { content: 'a file', attachments: [{ id: 0, description: 'leaves' }] },
      files: [{ name: 'a.bin', data, contentType: 'application/x-tea' }],
    })) as { attachments: { url: string }[] };
    expect(made.attachments).toMatchObject([{ filename: 'a.bin', size: 3, description: 'leaves' }]);
    const loaded = await fetch(String(made.attachments[0]?.url));
    expect([loaded.headers.get('content-type'), Buffer.from(await loaded.arrayBuffer())]).toEqual([
      'application/x-tea',
      data,
    ]);
  });

  it('are replied to, and have reactions', async () => {
    const rest = connect();
    const id = String((await post(rest, { content: 'one' }))['id']);
    const reply = await post(rest, { content: 'two', message_reference: { message_id: id } });
    expect(reply).toMatchObject({ type: 19, referenced_message: { content: 'one' } });
    const emoji = encodeURIComponent('🍵');
    await rest.put(Routes.channelMessageOwnReaction(GENERAL, id, emoji));
    expect(await rest.get(Routes.channelMessage(GENERAL, id))).toMatchObject({
      reactions: [{ emoji: { id: null, name: '🍵' }, count: 1, me: true }],
    });
    expect(await rest.get(Routes.channelMessageReaction(GENERAL, id, emoji))).toMatchObject([{ id: BOT }]);
    await rest.delete(Routes.channelMessageOwnReaction(GENERAL, id, emoji));
    expect(await rest.get(Routes.channelMessage(GENERAL, id))).toMatchObject({ reactions: [] });
    expect(await errorOf(rest.put(Routes.channelMessageOwnReaction(GENERAL, id, 'tea')))).toMatchObject({
      code: 10_014,
    });
  });

  it.each([
    [{}, 50_006],
    [{ content: '' }, 50_006],
    [{ content: 'x'.repeat(2001) }, 50_035],
    [{ content: 5 }, 50_035],
    [{ embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) }, 50_035],
    [{ embeds: [{ title: 'x'.repeat(257) }] }, 50_035],
    [{ content: 'x', message_reference: { message_id: '1' } }, 50_035],
  ])('are refused for %j', async (body, code) => {
    expect(await errorOf(post(connect(), body))).toMatchObject({ status: 400, code });
    expect(backlot.collection('discord:messages').size).toBe(0);
  });

  it('of others cannot be changed', async () => {
    const said = await simulate('message', { channel: GENERAL, user: ANN, content: 'mine' });
    const call = connect().patch(Routes.channelMessage(GENERAL, String(said['id'])), {
      body: { content: 'x' },
    });
    expect(await errorOf(call)).toMatchObject({ status: 403, code: 50_005 });
  });
});

/** What a person does. */
async function simulate(what: string, body: Fields = {}): Promise<Fields> {
  const response = await fetch(backlot.env.DISCORD_API.replace(/api$/, `simulate/${what}`), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
  return (await response.json()) as Fields;
}

describe('guilds', () => {
  it('have channels', async () => {
    const rest = connect();
    const made = (await rest.post(Routes.guildChannels(GUILD), {
      body: { name: 'leaves', topic: 'green' },
    })) as Fields;
    const id = String(made['id']);
    await rest.patch(Routes.channel(id), { body: { topic: 'black' } });
    expect(await rest.get(Routes.channel(id))).toMatchObject({
      name: 'leaves',
      topic: 'black',
      guild_id: GUILD,
    });
    expect(await rest.get(Routes.guildChannels(GUILD))).toHaveLength(3);
    await rest.delete(Routes.channel(id));
    expect(await errorOf(rest.get(Routes.channel(id)))).toMatchObject({ code: 10_003 });
    expect(await errorOf(rest.post(Routes.guildChannels(GUILD), { body: { type: 99 } }))).toMatchObject({
      code: 50_035,
      message: expect.stringContaining('name[BASE_TYPE_REQUIRED]'),
    });
  });

  it('have members with roles, who are banned', async () => {
    const rest = connect();
    const query = new URLSearchParams({ limit: '1', after: BOT });
    expect(await rest.get(Routes.guildMembers(GUILD), { query })).toMatchObject([
      { user: { username: 'ann' } },
    ]);
    const role = (await rest.post(Routes.guildRoles(GUILD), { body: { name: 'tasters' } })) as { id: string };
    await rest.put(Routes.guildMemberRole(GUILD, BOB, role.id));
    await rest.patch(Routes.guildMember(GUILD, BOB), { body: { nick: 'Bobby' } });
    expect(await rest.get(Routes.guildMember(GUILD, BOB))).toMatchObject({ nick: 'Bobby', roles: [role.id] });
    await rest.delete(Routes.guildMemberRole(GUILD, BOB, role.id));
    await rest.put(Routes.guildBan(GUILD, BOB), { body: {}, reason: 'no tea' });
    expect(await rest.get(Routes.guildBans(GUILD))).toMatchObject([{ user: { id: BOB }, reason: 'no tea' }]);
    expect(await errorOf(rest.get(Routes.guildMember(GUILD, BOB)))).toMatchObject({ code: 10_007 });
    await rest.delete(Routes.guildBan(GUILD, BOB));
    expect(await errorOf(rest.delete(Routes.guildBan(GUILD, BOB)))).toMatchObject({ code: 10_026 });
  });
});

describe('webhooks', () => {
  it('post without a token of a bot', async () => {
    const made = (await connect().post(Routes.channelWebhooks(GENERAL), { body: { name: 'Kettle' } })) as {
      id: string;
      token: string;
    };
    const client = new WebhookClient(
      { id: made.id, token: made.token },
      { rest: { api: backlot.env.DISCORD_API } },
    );
    try {
      const said = await client.send({ content: 'boiling', username: 'Pot' });
      expect(said).toMatchObject({ content: 'boiling', author: { username: 'Pot' } });
      await client.editMessage(said.id, 'boiled');
      expect(await client.fetchMessage(said.id)).toMatchObject({ content: 'boiled' });
      await client.deleteMessage(said.id);
      expect(await errorOf(client.fetchMessage(said.id))).toMatchObject({ code: 10_008 });
    } finally {
      client.destroy();
    }
    const quick = await fetch(backlot.env.DISCORD_WEBHOOK_URL, {
      method: 'POST',
      body: '{"content": "from outside"}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(quick.status).toBe(204);
  });
});

const COMMAND = { name: 'brew', description: 'Brews tea' };

describe('interactions', () => {
  it('have commands', async () => {
    const rest = connect();
    const path = Routes.applicationCommands(BOT);
    expect(await rest.put(path, { body: [COMMAND, { ...COMMAND, name: 'pour' }] })).toHaveLength(2);
    const [first] = (await rest.put(path, { body: [COMMAND] })) as { id: string }[];
    expect(await rest.get(path)).toMatchObject([{ name: 'brew', type: 1, application_id: BOT }]);
    await rest.post(Routes.applicationGuildCommands(BOT, GUILD), { body: COMMAND });
    expect(await rest.get(Routes.applicationGuildCommands(BOT, GUILD))).toMatchObject([{ guild_id: GUILD }]);
    await rest.delete(Routes.applicationCommand(BOT, String(first?.id)));
    expect(await rest.get(path)).toEqual([]);
    const wrong = rest.post(path, { body: { name: 'Brew Tea', description: '' } });
    expect(await errorOf(wrong)).toMatchObject({
      code: 50_035,
      message: expect.stringContaining('Command name is invalid'),
    });
  });

  it('are answered once, and followed', async () => {
    const rest = connect();
    await rest.put(Routes.applicationCommands(BOT), { body: [COMMAND] });
    const { id, token } = (await simulate('interaction', {
      command: 'brew',
      channel: GENERAL,
      user: ANN,
    })) as { id: string; token: string };
    const answer = (): Promise<unknown> =>
      rest.post(Routes.interactionCallback(id, token), { body: { type: 5 }, auth: false });
    await answer();
    expect(await errorOf(answer())).toMatchObject({ status: 400, code: 40_060 });
    const original = Routes.webhookMessage(BOT, token);
    expect(await rest.patch(original, { body: { content: 'Done' }, auth: false })).toMatchObject({
      content: 'Done',
    });
    const more = await rest.post(Routes.webhook(BOT, token), { body: { content: 'And more' }, auth: false });
    expect(more).toMatchObject({ content: 'And more', author: { id: BOT } });
    expect(
      await errorOf(rest.post(Routes.interactionCallback('1', token), { body: { type: 4 } })),
    ).toMatchObject({
      code: 10_062,
    });
  });

  it('must be answered in three seconds', async () => {
    backlot.clock.freeze(true);
    await connect().put(Routes.applicationCommands(BOT), { body: [COMMAND] });
    const { id, token } = (await simulate('interaction', {
      command: 'brew',
      channel: GENERAL,
      user: ANN,
    })) as { id: string; token: string };
    await backlot.clock.advance(3001);
    const late = connect().post(Routes.interactionCallback(id, token), {
      body: { type: 4, data: { content: 'x' } },
    });
    expect(await errorOf(late)).toMatchObject({ status: 404, code: 10_062 });
  });
});

describe('limits', () => {
  it('are told by headers, for each bucket', async () => {
    const ask = (channel: string): Promise<Response> =>
      fetch(`${backlot.env.DISCORD_API}/v10/channels/${channel}`, {
        headers: { Authorization: `Bot ${backlot.env.DISCORD_TOKEN}` },
      });
    backlot.clock.freeze(true);
    for (let used = 0; used < 50; used += 1) await (await ask(GENERAL)).arrayBuffer();
    const over = await ask(GENERAL);
    expect([over.status, over.headers.get('x-ratelimit-remaining'), over.headers.get('retry-after')]).toEqual(
      [429, '0', '1'],
    );
    expect(await over.json()).toEqual({
      message: 'You are being rate limited.',
      retry_after: 1,
      global: false,
    });
    const other = await ask('100000000000000201');
    expect([other.status, other.headers.get('x-ratelimit-remaining')]).toEqual([200, '49']);
    await backlot.clock.advance(1000);
    expect((await ask(GENERAL)).status).toBe(200);
  });

  it('rate-limited-once lets the SDK repeat', async () => {
    backlot.scenarios.activate('discord:rate-limited-once');
    expect(await connect({ retries: 1 }).get(Routes.user())).toMatchObject({ id: BOT });
    expect(backlot.host.kind('http').calls.of('discord:rate-limited-once').count).toBe(1);
  });

  it.each([
    ['rate-limited', false],
    ['global-limit', true],
  ])('%s is an error where the SDK is to reject', async (name, isGlobal) => {
    backlot.scenarios.activate(`discord:${name}`);
    const rest = connect({ rejectOnRateLimit: () => true });
    expect(await errorOf(rest.get(Routes.user()))).toEqual({ limited: isGlobal });
  });
});

describe('scenarios', () => {
  it.each([
    ['outage', { http: 503 }],
    ['wrong-token', { status: 401, code: 0, message: '401: Unauthorized' }],
    ['missing-permissions', { status: 403, code: 50_013, message: 'Missing Permissions' }],
  ])('%s', async (name, error) => {
    backlot.scenarios.activate(`discord:${name}`);
    expect(await errorOf(connect().get(Routes.channel(GENERAL)))).toEqual(error);
  });

  it('tokens that are wrong are refused, and unknown paths say which are known', async () => {
    expect(await errorOf(connect({}, 'invalid').get(Routes.user()))).toMatchObject({ status: 401 });
    expect(await errorOf(connect().get('/voice/regions'))).toMatchObject({
      status: 404,
      message: expect.stringContaining('/users/@me'),
    });
  });

  it('slow goes on when the clock does', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('discord:slow');
    const posted = post(connect(), { content: 'later' });
    await backlot.host.kind('http').calls.wait('discord:messages.create', 1, 10_000);
    await backlot.clock.advance(600_000);
    expect(await posted).toMatchObject({ content: 'later' });
  });
});

/** The public key of the application, as verifiers of Discord take it. */
function isSigned({ headers, body }: { headers: IncomingHttpHeaders; body: string }): boolean {
  const raw = Buffer.from(backlot.env.DISCORD_PUBLIC_KEY, 'hex');
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  });
  const text = String(headers['x-signature-timestamp']) + body;
  return verify(null, Buffer.from(text), key, Buffer.from(String(headers['x-signature-ed25519']), 'hex'));
}

it('interactions are sent to the url of the application, signed', async () => {
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  let arrived: () => void = () => undefined;
  const two = new Promise<void>((resolve) => {
    arrived = () => (got.length === 2 ? resolve() : undefined);
  });
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      response.end('{"type": 1}');
      arrived();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const rest = connect();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/interactions`;
    const changed = rest.patch(Routes.currentApplication(), { body: { interactions_endpoint_url: url } });
    expect(await changed).toMatchObject({
      interactions_endpoint_url: url,
      verify_key: backlot.env.DISCORD_PUBLIC_KEY,
    });
    await rest.put(Routes.applicationCommands(BOT), { body: [COMMAND] });
    await simulate('interaction', { command: 'brew', channel: GENERAL, user: ANN });
    await two;
    const types = got.map(({ body }) => (JSON.parse(body) as { type: number }).type);
    expect(types.sort()).toEqual([1, 2]);
    expect(got.map(isSigned)).toEqual([true, true]);
    expect(isSigned({ headers: got[0]?.headers ?? {}, body: 'other' })).toBe(false);
  } finally {
    server.close();
  }
});
