import { BOT, find, invalidForm, operation, rowsOf, snowflake } from './api.mjs';
import { dispatch } from './dispatch.mjs';

const TYPES = [0, 2, 4, 5, 13, 15];
const FIELDS = [
  'name',
  'topic',
  'nsfw',
  'position',
  'parent_id',
  'rate_limit_per_user',
  'permission_overwrites',
  'type',
];

export const shownChannel = (row) => row;

function check({ name, topic, type }, isNew) {
  const problems = [];
  if (isNew && name === undefined) problems.push(['name', 'BASE_TYPE_REQUIRED', 'This field is required']);
  if (name !== undefined && (typeof name !== 'string' || name.length < 1 || name.length > 100))
    problems.push(['name', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.']);
  if (typeof topic === 'string' && topic.length > 1024)
    problems.push(['topic', 'BASE_TYPE_MAX_LENGTH', 'Must be 1024 or fewer in length.']);
  if (type !== undefined && !TYPES.includes(type))
    problems.push(['type', 'BASE_TYPE_CHOICES', `Value must be one of {${TYPES.join(', ')}}.`]);
  if (problems.length > 0) throw invalidForm(problems);
}

const known = (body) =>
  Object.fromEntries(FIELDS.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]));

export const get = operation(({ context, params }) => ({
  json: shownChannel(find(context, 'channels', params.channel, 'channel')),
}));

export const listOfGuild = operation(({ context, params }) => {
  find(context, 'guilds', params.guild, 'guild');
  const rows = rowsOf(context, 'channels').list();
  return { json: rows.filter(({ guild_id: id }) => id === params.guild).map(shownChannel) };
});

export const create = operation(({ context, params, body }) => {
  const guild = find(context, 'guilds', params.guild, 'guild');
  check(body, true);
  const row = rowsOf(context, 'channels').create({
    id: snowflake(context),
    guild_id: guild.id,
    ...known(body),
  });
  dispatch(context, 'CHANNEL_CREATE', shownChannel(row));
  return { status: 201, json: shownChannel(row) };
});

export const update = operation(({ context, params, body }) => {
  const { id } = find(context, 'channels', params.channel, 'channel');
  check(body, false);
  const row = rowsOf(context, 'channels').update(id, known(body));
  dispatch(context, 'CHANNEL_UPDATE', shownChannel(row));
  return { json: shownChannel(row) };
});

export const remove = operation(({ context, params }) => {
  const row = find(context, 'channels', params.channel, 'channel');
  rowsOf(context, 'channels').remove(row.id);
  const messages = rowsOf(context, 'messages');
  for (const { id, channel_id: channel } of messages.list()) if (channel === row.id) messages.remove(id);
  dispatch(context, 'CHANNEL_DELETE', shownChannel(row));
  return { json: shownChannel(row) };
});

export const type = operation(({ context, params }) => {
  const { id, guild_id: guild } = find(context, 'channels', params.channel, 'channel');
  const place = guild === undefined ? {} : { guild_id: guild };
  dispatch(context, 'TYPING_START', {
    channel_id: id,
    user_id: BOT,
    timestamp: Math.floor(context.clock.now() / 1000),
    ...place,
  });
  return { status: 204 };
});
