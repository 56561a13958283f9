import { BOT, DiscordError, find, invalidForm, operation, rowsOf, snowflake } from './api.mjs';
import { dispatch, toAll } from './dispatch.mjs';
import { post, shownMessage } from './messages.mjs';
import { shownUser } from './people.mjs';
import { sendSigned } from './sign.mjs';

const OPEN = { isOpen: true };

/** A person posts a message. */
export const message = operation((call) => {
  const channel = find(call.context, 'channels', call.body.channel, 'channel');
  const user = find(call.context, 'users', call.body.user, 'user');
  return { json: shownMessage(call.context, post(call, channel, { user_id: user.id })) };
}, OPEN);

/** A person uses a command, a button or a form. */
export const interaction = operation((call) => {
  const { context, body } = call;
  const channel = find(context, 'channels', body.channel, 'channel');
  const user = find(context, 'users', body.user, 'user');
  const type = body.type ?? 2;
  if (![1, 2, 3, 4, 5].includes(type))
    throw invalidForm([['type', 'BASE_TYPE_CHOICES', 'Value must be one of {1, 2, 3, 4, 5}.']]);
  const { made, ...payload } = describe(context, { channel, user, type, body });
  rowsOf(context, 'interactions').create({
    id: payload.id,
    token: payload.token,
    type,
    channel: channel.id,
    user: user.id,
    message: body.message ?? null,
    made,
    answer: null,
  });
  const { interactions_endpoint_url: url } = find(context, 'applications', BOT, 'application');
  if (url !== null) sendSigned(context, url, payload);
  else dispatch(context, 'INTERACTION_CREATE', payload);
  return { json: payload };
}, OPEN);

function describe(context, { channel, user, type, body }) {
  const place = channel.guild_id === undefined ? {} : { guild_id: channel.guild_id };
  const key = `${channel.guild_id}:${user.id}`;
  const members = rowsOf(context, 'members');
  const { user_id: _, id: __, guild_id: ___, ...member } = members.has(key) ? members.get(key) : {};
  const who =
    channel.guild_id === undefined
      ? { user: shownUser(user) }
      : { member: { ...member, user: shownUser(user), permissions: '1071698660929' } };
  const rows = rowsOf(context, 'messages');
  return {
    id: snowflake(context),
    application_id: BOT,
    type,
    token: context.random.string(80),
    version: 1,
    made: context.clock.now(),
    data: dataOf(context, type, body),
    channel_id: channel.id,
    channel,
    ...place,
    ...(rows.has(String(body.message)) ? { message: shownMessage(context, rows.get(body.message)) } : {}),
    ...who,
    app_permissions: '1071698660929',
    locale: 'en-US',
    guild_locale: 'en-US',
    entitlements: [],
    authorizing_integration_owners: { 0: channel.guild_id ?? '0' },
    context: channel.guild_id === undefined ? 1 : 0,
    attachment_size_limit: 10_485_760,
  };
}

function dataOf(context, type, { command, options = [], custom_id: customId, data = {} }) {
  if (type !== 2 && type !== 4)
    return customId === undefined ? data : { component_type: 2, ...data, custom_id: customId };
  const found = rowsOf(context, 'commands')
    .list()
    .find((row) => row.name === command);
  if (found === undefined) throw new DiscordError(404, 10_063, 'Unknown application command');
  return { id: found.id, name: found.name, type: found.type, options, ...data };
}

/** Tells all connections to come again, and to go on where they were. */
export const reconnect = operation(
  ({ context }) => ({ json: { connections: toAll(context, { op: 7, d: null }) } }),
  OPEN,
);

/** Takes all sessions away: clients have to begin again. */
export const invalidate = operation(({ context }) => {
  const count = toAll(context, { op: 9, d: false });
  rowsOf(context, 'sessions').setAll([]);
  return { json: { connections: count } };
}, OPEN);
