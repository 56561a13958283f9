import {
  BOT,
  DiscordError,
  find,
  invalidForm,
  limitOf,
  operation,
  rowsOf,
  snowflake,
  timeOf,
  unknown,
} from './api.mjs';
import { dispatch } from './dispatch.mjs';
import { attach } from './files.mjs';
import { shownUser } from './people.mjs';

const MAX_TEXT = 2000;
const MAX_EMBEDS = 10;
const MAX_AGE = 14 * 86_400_000;

/** A message as calls show it. */
export function shownMessage(context, { guild_id: _, user_id: user, author, ...message }) {
  return { ...message, author: author ?? shownUser(rowsOf(context, 'users').get(user)) };
}

/** A message as events show it. */
function told(context, row) {
  const message = shownMessage(context, row);
  if (row.guild_id === null) return message;
  const key = `${row.guild_id}:${message.author.id}`;
  const members = rowsOf(context, 'members');
  const { user_id: _, id: __, guild_id: ___, ...member } = members.has(key) ? members.get(key) : {};
  return { ...message, guild_id: row.guild_id, ...(members.has(key) ? { member } : {}) };
}

/** @throws DiscordError for what Discord would not post */
function check({ content, embeds, components, sticker_ids: stickers, poll }, hasFiles) {
  const problems = [];
  if (content !== undefined && content !== null && typeof content !== 'string')
    problems.push(['content', 'STRING_TYPE_CONVERT', 'Could not interpret as string.']);
  if (typeof content === 'string' && content.length > MAX_TEXT)
    problems.push(['content', 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_TEXT} or fewer in length.`]);
  if (embeds !== undefined && !Array.isArray(embeds))
    problems.push(['embeds', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType']);
  else if (embeds?.length > MAX_EMBEDS)
    problems.push(['embeds', 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_EMBEDS} or fewer in length.`]);
  for (const [index, { title, description } = {}] of (Array.isArray(embeds) ? embeds : []).entries()) {
    if (typeof title === 'string' && title.length > 256)
      problems.push([`embeds.${index}.title`, 'BASE_TYPE_MAX_LENGTH', 'Must be 256 or fewer in length.']);
    if (typeof description === 'string' && description.length > 4096)
      problems.push([
        `embeds.${index}.description`,
        'BASE_TYPE_MAX_LENGTH',
        'Must be 4096 or fewer in length.',
      ]);
  }
  if (problems.length > 0) throw invalidForm(problems);
  const isEmpty = [content, embeds, components, stickers].every((one) => (one?.length ?? 0) === 0);
  if (isEmpty && poll === undefined && !hasFiles)
    throw new DiscordError(400, 50_006, 'Cannot send an empty message');
}

/** Adds a message to a channel, and tells who listens. @param author - of a webhook; else a user by `user_id` */
export function post(call, channel, by) {
  const { context, body } = call;
  const attachments = attach(call, channel.id);
  check(body, attachments.length > 0);
  const { content, embeds, components, tts = false, nonce, flags = 0, message_reference: reference } = body;
  const text = content ?? '';
  const users = rowsOf(context, 'users');
  const ids = [...new Set([...text.matchAll(/<@!?(\d+)>/g)].map(([, id]) => id))];
  const replied =
    reference === undefined ? undefined : messageOf(context, channel.id, reference.message_id, reference);
  const row = rowsOf(context, 'messages').create({
    id: snowflake(context),
    channel_id: channel.id,
    guild_id: channel.guild_id ?? null,
    type: replied === undefined ? 0 : 19,
    content: text,
    timestamp: timeOf(context),
    edited_timestamp: null,
    tts,
    mention_everyone: /@(everyone|here)\b/.test(text),
    mentions: ids.filter((id) => users.has(id)).map((id) => shownUser(users.get(id))),
    mention_roles: [...text.matchAll(/<@&(\d+)>/g)].map(([, id]) => id),
    attachments,
    embeds: (embeds ?? []).map((embed) => ({ type: 'rich', ...embed })),
    components: components ?? [],
    pinned: false,
    flags,
    reactions: [],
    ...(nonce === undefined ? {} : { nonce }),
    ...(replied === undefined
      ? {}
      : {
          message_reference: { ...reference, channel_id: channel.id },
          referenced_message: shownMessage(context, replied),
        }),
    ...by,
  });
  rowsOf(context, 'channels').update(channel.id, { last_message_id: row.id });
  dispatch(context, 'MESSAGE_CREATE', told(context, row));
  return row;
}

/** The message of a channel. @throws DiscordError 404, or 400 for one that is replied to */
export function messageOf(context, channel, id, reference) {
  const rows = rowsOf(context, 'messages');
  if (rows.has(String(id)) && rows.get(String(id)).channel_id === channel) return rows.get(String(id));
  if (reference !== undefined)
    throw invalidForm([['message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message']]);
  throw unknown('message');
}

/** Puts other content in place of that of a message, and tells who listens. */
export function edit(context, row, body) {
  const { content = row.content, embeds = row.embeds, components = row.components, flags = row.flags } = body;
  check({ content, embeds, components }, row.attachments.length > 0);
  const fields = { content: content ?? '', embeds, components, flags, edited_timestamp: timeOf(context) };
  const after = rowsOf(context, 'messages').update(row.id, fields);
  dispatch(context, 'MESSAGE_UPDATE', told(context, after));
  return after;
}

const placeOf = ({ channel_id: channel, guild_id: guild }) => ({
  channel_id: channel,
  ...(guild === null ? {} : { guild_id: guild }),
});

/** Takes a message away, and tells who listens. */
export function takeAway(context, row) {
  rowsOf(context, 'messages').remove(row.id);
  dispatch(context, 'MESSAGE_DELETE', { id: row.id, ...placeOf(row) });
}

const channelOf = ({ context, params }) => find(context, 'channels', params.channel, 'channel');
const ofPath = (call) => messageOf(call.context, channelOf(call).id, call.params.message);

export const create = operation((call) => ({
  json: shownMessage(call.context, post(call, channelOf(call), { user_id: BOT })),
}));

export const get = operation((call) => ({ json: shownMessage(call.context, ofPath(call)) }));

export const update = operation((call) => {
  const row = ofPath(call);
  if (row.user_id !== BOT)
    throw new DiscordError(403, 50_005, 'Cannot edit a message authored by another user');
  return { json: shownMessage(call.context, edit(call.context, row, call.body)) };
});

export const remove = operation((call) => {
  takeAway(call.context, ofPath(call));
  return { status: 204 };
});

/** The newest messages, or those before, after or around one; the newest stands first. */
export const list = operation((call) => {
  const { context, query } = call;
  const { id } = channelOf(call);
  const limit = limitOf(query, 50, 100);
  const all = rowsOf(context, 'messages')
    .list()
    .filter(({ channel_id: channel }) => channel === id);
  const { before, after, around } = query;
  const compare = (row, other) =>
    Number(BigInt(row.id) > BigInt(other)) - Number(BigInt(row.id) < BigInt(other));
  let found = all.slice(-limit);
  if (before !== undefined) found = all.filter((row) => compare(row, before) < 0).slice(-limit);
  else if (after !== undefined) found = all.filter((row) => compare(row, after) > 0).slice(0, limit);
  else if (around !== undefined) {
    const place = all.findIndex((row) => compare(row, around) >= 0);
    found = all.slice(
      Math.max(0, place - Math.floor(limit / 2)),
      Math.max(0, place - Math.floor(limit / 2)) + limit,
    );
  }
  return { json: found.reverse().map((row) => shownMessage(context, row)) };
});

export const bulkRemove = operation((call) => {
  const { context, body } = call;
  const channel = channelOf(call);
  const { messages: ids } = body;
  if (!Array.isArray(ids) || ids.length < 2 || ids.length > 100)
    throw invalidForm([['messages', 'BASE_TYPE_BAD_LENGTH', 'Must be between 2 and 100 in length.']]);
  const rows = rowsOf(context, 'messages');
  const found = ids.filter((id) => rows.has(id) && rows.get(id).channel_id === channel.id);
  for (const id of found)
    if (Date.parse(rows.get(id).timestamp) < context.clock.now() - MAX_AGE)
      throw new DiscordError(400, 50_034, 'You can only bulk delete messages that are under 14 days old.');
  for (const id of found) rows.remove(id);
  dispatch(context, 'MESSAGE_DELETE_BULK', {
    ids: found,
    ...placeOf({ channel_id: channel.id, guild_id: channel.guild_id ?? null }),
  });
  return { status: 204 };
});
