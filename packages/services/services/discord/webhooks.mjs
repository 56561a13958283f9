import { BOT, find, invalidForm, operation, originOf, rowsOf, snowflake, unknown } from './api.mjs';
import { dispatch } from './dispatch.mjs';
import { followUp } from './interactions.mjs';
import { edit, messageOf, post, shownMessage, takeAway } from './messages.mjs';
import { shownUser } from './people.mjs';

const shown = (context, row, request) => ({
  ...row,
  user: shownUser(rowsOf(context, 'users').get(BOT)),
  url: `${originOf(request)}/api/webhooks/${row.id}/${row.token}`,
});

function listOf({ context, request }, isWanted) {
  const rows = rowsOf(context, 'webhooks').list();
  return { json: rows.filter(isWanted).map((row) => shown(context, row, request)) };
}

export const listOfGuild = operation((call) => {
  const { id } = find(call.context, 'guilds', call.params.guild, 'guild');
  return listOf(call, ({ guild_id: guild }) => guild === id);
});

export const listOfChannel = operation((call) => {
  const { id } = find(call.context, 'channels', call.params.channel, 'channel');
  return listOf(call, ({ channel_id: channel }) => channel === id);
});

export const create = operation(({ context, params, body, request }) => {
  const channel = find(context, 'channels', params.channel, 'channel');
  const { name, avatar = null } = body;
  if (typeof name !== 'string' || name.length < 1 || name.length > 80)
    throw invalidForm([['name', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 80 in length.']]);
  const row = rowsOf(context, 'webhooks').create({
    id: snowflake(context),
    type: 1,
    guild_id: channel.guild_id,
    channel_id: channel.id,
    name,
    avatar,
    token: context.random.string(68),
    application_id: BOT,
  });
  dispatch(context, 'WEBHOOKS_UPDATE', { guild_id: channel.guild_id, channel_id: channel.id });
  return { json: shown(context, row, request) };
});

export const get = operation(({ context, params, request }) => ({
  json: shown(context, find(context, 'webhooks', params.webhook, 'webhook'), request),
}));

export const remove = operation(({ context, params }) => {
  const { id } = find(context, 'webhooks', params.webhook, 'webhook');
  rowsOf(context, 'webhooks').remove(id);
  return { status: 204 };
});

/** The webhook whose token stands in the path, or the interaction whose token does. */
function openOf({ context, params }) {
  if (params.webhook === BOT) return followUp(context, params.token);
  const row = find(context, 'webhooks', params.webhook, 'webhook');
  if (row.token !== params.token) throw unknown('webhook');
  return { channel: find(context, 'channels', row.channel_id, 'channel'), webhook: row };
}

export const execute = operation(
  (call) => {
    const { channel, webhook, by } = openOf(call);
    const { username, avatar_url: avatar = null } = call.body;
    const author = {
      id: webhook?.id,
      username: username ?? webhook?.name,
      avatar,
      discriminator: '0000',
      bot: true,
    };
    const row = post(call, channel, by ?? { author, webhook_id: webhook.id });
    // An interaction always tells the message that was made.
    if (webhook !== undefined && call.query.wait !== 'true') return { status: 204 };
    return { json: shownMessage(call.context, row) };
  },
  { isOpen: true },
);

function messageIn(call) {
  const { channel, original } = openOf(call);
  const id = call.params.message === '@original' ? original : call.params.message;
  return messageOf(call.context, channel.id, id);
}

export const getMessage = operation((call) => ({ json: shownMessage(call.context, messageIn(call)) }), {
  isOpen: true,
});

export const updateMessage = operation(
  (call) => ({ json: shownMessage(call.context, edit(call.context, messageIn(call), call.body)) }),
  { isOpen: true },
);

export const removeMessage = operation(
  (call) => {
    takeAway(call.context, messageIn(call));
    return { status: 204 };
  },
  { isOpen: true },
);
