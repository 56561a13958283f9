import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import type * as Discord from 'discord.js';

const load = createRequire(import.meta.url);
const { Client, DiscordAPIError, Events, GatewayIntentBits } = load('discord.js') as typeof Discord;

const backlot = useBacklot({ services: ['discord'] });

const GENERAL = '100000000000000200';
const ANN = '100000000000000001';
const ALL = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMembers,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.MessageContent,
];

const clients: Discord.Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.destroy();
});

/** A bot that has logged in. */
async function login(intents = ALL, token = backlot.env.DISCORD_TOKEN): Promise<Discord.Client<true>> {
  const client = new Client({ intents, rest: { api: backlot.env.DISCORD_API } });
  clients.push(client);
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(token);
  await ready;
  return client as Discord.Client<true>;
}

const next = <Event extends keyof Discord.ClientEvents>(
  client: Discord.Client,
  event: Event,
): Promise<Discord.ClientEvents[Event]> =>
  new Promise((resolve) => client.once(event, (...given) => resolve(given)));

/** What a person does. */
async function simulate(what: string, body: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const response = await fetch(backlot.env.DISCORD_API.replace(/api$/, `simulate/${what}`), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
  return (await response.json()) as Record<string, unknown>;
}

const say = (content: string): Promise<unknown> =>
  simulate('message', { channel: GENERAL, user: ANN, content });

async function textChannel(client: Discord.Client): Promise<Discord.TextChannel> {
  return (await client.channels.fetch(GENERAL)) as Discord.TextChannel;
}

describe('the gateway', () => {
  it('lets discord.js in, with the guild and its members', async () => {
    const client = await login();
    expect(client.user.username).toBe('backlot');
    const guild = client.guilds.cache.first();
    expect(guild).toMatchObject({ name: 'Tea', memberCount: 3 });
    expect(guild?.channels.cache.map(({ name }) => name)).toEqual(['general', 'random']);
    expect((await guild?.members.fetch())?.size).toBe(3);
  });

  it('sends what people and the bot say, and the bot answers', async () => {
    const client = await login();
    const said = next(client, Events.MessageCreate);
    await say('is there tea?');
    const [message] = await said;
    expect(message).toMatchObject({
      content: 'is there tea?',
      author: { username: 'ann' },
      guildId: '100000000000000100',
    });
    const own = next(client, Events.MessageCreate);
    const reply = await message.reply('yes');
    expect((await own)[0].id).toBe(reply.id);
    const changed = next(client, Events.MessageUpdate);
    await reply.edit('no');
    expect((await changed)[1].content).toBe('no');
    const reacted = next(client, Events.MessageReactionAdd);
    await reply.react('🍵');
    expect((await reacted)[0].emoji.name).toBe('🍵');
    const gone = next(client, Events.MessageDelete);
    await reply.delete();
    expect((await gone)[0].id).toBe(reply.id);
  });

  it('leaves out what no intent asks for', async () => {
    const blind = await login([GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages]);
    const said = next(blind, Events.MessageCreate);
    await say('a secret');
    expect((await said)[0].content).toBe('');
    const deaf = await login([GatewayIntentBits.Guilds]);
    const heard: string[] = [];
    deaf.on(Events.MessageCreate, ({ content }) => heard.push(content));
    const made = next(deaf, Events.ChannelCreate);
    await say('nobody hears');
    await deaf.guilds.cache.first()?.channels.create({ name: 'leaves' });
    expect((await made)[0].name).toBe('leaves');
    expect(heard).toEqual([]);
  });

  it('sends commands, which discord.js answers', async () => {
    const client = await login();
    await client.application.commands.set([{ name: 'brew', description: 'Brews tea' }]);
    const used = next(client, Events.InteractionCreate);
    await simulate('interaction', {
      command: 'brew',
      channel: GENERAL,
      user: ANN,
      options: [{ name: 'kind', type: 3, value: 'green' }],
    });
    const [interaction] = await used;
    if (!interaction.isChatInputCommand()) throw new Error('this is no command');
    expect([
      interaction.commandName,
      interaction.options.getString('kind'),
      interaction.user.username,
    ]).toEqual(['brew', 'green', 'ann']);
    await interaction.reply('Ready');
    await interaction.editReply('Ready now');
    const messages = await (await textChannel(client)).messages.fetch({ limit: 1 });
    expect(messages.first()?.content).toBe('Ready now');
  });

  it('goes on with a session, and sends what was missed', async () => {
    const client = await login();
    const resumed = next(client, Events.ShardResume);
    const said = next(client, Events.MessageCreate);
    expect(await simulate('reconnect')).toEqual({ connections: 1 });
    await say('while you were away');
    const [, count] = await resumed;
    expect((await said)[0].content).toBe('while you were away');
    expect(count).toBeGreaterThan(0);
    expect(backlot.collection('discord:sessions').size).toBe(1);
  });

  it('refuses a wrong token', async () => {
    await expect(login(ALL, 'invalid')).rejects.toThrow(/invalid token|401/i);
    const client = await login();
    const call = (await textChannel(client)).send('');
    await expect(call).rejects.toBeInstanceOf(DiscordAPIError);
  });
});

const gatewayUrl = (): string =>
  `${backlot.env.DISCORD_API.replace(/^http/, 'ws').replace(/api$/, 'gateway')}?v=10`;
const connect = (): WebSocket => new (load('ws') as typeof WebSocket)(gatewayUrl());

/** Says something to the gateway, and gives what comes until it closes. */
async function talk(...texts: string[]): Promise<{ ops: number[]; code: number }> {
  const socket = connect();
  const ops: number[] = [];
  socket.onmessage = ({ data }) => ops.push((JSON.parse(String(data)) as { op: number }).op);
  socket.onopen = () => {
    for (const text of texts) socket.send(text);
  };
  const code = await new Promise<number>((resolve) => {
    socket.onclose = (event) => resolve(event.code);
  });
  return { ops, code };
}

const identify = (more: object): string =>
  JSON.stringify({ op: 2, d: { token: 't', intents: 1, properties: {}, ...more } });

describe('a connection is closed', () => {
  it.each([
    ['no json', [10], 4002],
    ['{"op": 14}', [10], 4003],
    [identify({ token: 'invalid' }), [10], 4004],
    [identify({ intents: -1 }), [10], 4013],
  ])('for %s', async (text, ops, code) => {
    expect(await talk(text)).toEqual({ ops, code });
  });

  it('for what is said twice or out of order', async () => {
    expect(await talk('{"op": 1, "d": null}', identify({}), identify({}))).toEqual({
      ops: [10, 11, 0, 0],
      code: 4005,
    });
    expect(await talk(identify({}), '{"op": 99}')).toEqual({ ops: [10, 0, 0], code: 4001 });
    const lost = { op: 6, d: { token: 't', session_id: 'none', seq: 1 } };
    expect(await talk(JSON.stringify(lost), '{"op": 99}')).toEqual({ ops: [10, 9], code: 4003 });
  });
});

it('sessions are taken away, and clients told so', async () => {
  const socket = connect();
  const ops: number[] = [];
  await new Promise<void>((resolve) => {
    socket.onmessage = ({ data }) => {
      const { op, t } = JSON.parse(String(data)) as { op: number; t?: string };
      ops.push(op);
      if (op === 10) socket.send(identify({ intents: 0 }));
      if (t === 'READY') void simulate('invalid-session');
      if (op === 9) socket.close();
    };
    socket.onclose = () => resolve();
  });
  expect(ops).toEqual([10, 0, 9]);
  expect(backlot.collection('discord:sessions').size).toBe(0);
});
