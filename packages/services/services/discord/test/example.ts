import { useBacklot } from '@backlot/testing';
import { Client, GatewayIntentBits } from 'discord.js';

const backlot = useBacklot({ services: ['discord'] });

async function login(): Promise<Client> {
  const intents = [
    GatewayIntentBits.Guilds,
    GatewayIntentBits.GuildMessages,
    GatewayIntentBits.MessageContent,
  ];
  const client = new Client({ intents, rest: { api: backlot.env.DISCORD_API } });
  await client.login(backlot.env.DISCORD_TOKEN);
  return client;
}

export { login };
