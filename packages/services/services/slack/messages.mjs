import { APP, BOT, BOT_USER, jsonOf, newTimestamp, rowsOf, SlackError, TEAM } from './api.mjs';
import { tell } from './events.mjs';

const MAX_TEXT = 40_000;
const MAX_BLOCKS = 50;
const BLOCKS = [
  'actions',
  'alert',
  'call',
  'card',
  'carousel',
  'context',
  'context_actions',
  'divider',
  'file',
  'header',
  'image',
  'input',
  'markdown',
  'plan',
  'rich_text',
  'section',
  'table',
  'task_card',
  'video',
];

/** A message as calls and events show it. */
export function shownMessage({ id: _, channel: __, ephemeral_to: ___, ...message }) {
  return message;
}

/** What of a call becomes a message. @throws SlackError for what Slack would not post */
export function readContent(args) {
  const blocks = jsonOf(args, 'blocks', 'invalid_blocks_format');
  const attachments = jsonOf(args, 'attachments', 'invalid_attachments');
  const metadata = jsonOf(args, 'metadata', 'invalid_metadata_format');
  if (blocks !== undefined) checkBlocks(blocks);
  if (attachments !== undefined && !Array.isArray(attachments)) throw new SlackError('invalid_attachments');
  if (attachments?.length > 100) throw new SlackError('too_many_attachments');
  const text = args.text ?? args.markdown_text ?? '';
  if (typeof text !== 'string') throw new SlackError('no_text');
  if (text === '' && !blocks?.length && !attachments?.length) throw new SlackError('no_text');
  if (text.length > MAX_TEXT) throw new SlackError('msg_too_long');
  return {
    text,
    ...(blocks === undefined ? {} : { blocks }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** @throws SlackError for what are no blocks */
export function checkBlocks(blocks, error = 'invalid_blocks') {
  if (!Array.isArray(blocks)) throw new SlackError(`${error}_format`.replace('_format_format', '_format'));
  const say = (message) =>
    new SlackError(error, { errors: [message], response_metadata: { messages: [`[ERROR] ${message}`] } });
  if (blocks.length > MAX_BLOCKS)
    throw say(`no more than ${MAX_BLOCKS} items allowed [json-pointer:/blocks]`);
  for (const [index, block] of blocks.entries()) {
    const at = `[json-pointer:/blocks/${index}`;
    if (!BLOCKS.includes(block?.type)) throw say(`unsupported type: ${String(block?.type)} ${at}/type]`);
    if (block.type === 'section' && block.text === undefined && block.fields === undefined)
      throw say(`missing required field: text ${at}/text]`);
    if (typeof block.text?.text === 'string' && block.text.text.length > 3000)
      throw say(`must be less than 3001 characters ${at}/text/text]`);
  }
}

/** Adds a message to a channel, and tells who listens. @param how - further fields of the message */
export function post(context, channel, me, content, how = {}) {
  if (channel.is_archived) throw new SlackError('is_archived');
  const ts = newTimestamp(context);
  const { thread_ts: thread } = how;
  const bot = me.bot === undefined ? {} : { bot_id: me.bot, app_id: APP, bot_profile: PROFILE };
  const message = { type: 'message', user: me.user, ts, team: TEAM, ...bot, ...content, ...how };
  const row = rowsOf(context, 'messages').create({
    id: `${channel.id}:${ts}`,
    channel: channel.id,
    ...message,
  });
  if (thread !== undefined) countReply(context, channel.id, thread, row);
  if (row.ephemeral_to === undefined) tellOf(context, channel, row);
  return row;
}

const PROFILE = { id: BOT, deleted: false, name: 'backlot', app_id: APP, team_id: TEAM };

function tellOf(context, channel, row) {
  const place = { channel: channel.id, channel_type: channelType(channel) };
  const event = { ...shownMessage(row), ...place };
  tell(context, event);
  if (row.text.includes(`<@${BOT_USER}>`) && row.user !== BOT_USER)
    tell(context, { ...shownMessage(row), type: 'app_mention', channel: channel.id });
}

export function channelType({ is_im: isDirect, is_mpim: isGroup, is_private: isPrivate }) {
  if (isDirect) return 'im';
  if (isGroup) return 'mpim';
  return isPrivate ? 'group' : 'channel';
}

/** What the first message of a thread says of its replies. */
function countReply(context, channel, thread, reply) {
  const rows = rowsOf(context, 'messages');
  const id = `${channel}:${thread}`;
  if (!rows.has(id)) return;
  const { reply_count: count = 0, reply_users: users = [] } = rows.get(id);
  const all = users.includes(reply.user) ? users : [...users, reply.user];
  rows.update(id, {
    thread_ts: thread,
    reply_count: count + 1,
    reply_users: all,
    reply_users_count: all.length,
    latest_reply: reply.ts,
  });
}

/** The message with a time stamp. @throws SlackError with `error` when there is none */
export function messageAt(context, channel, ts, error = 'message_not_found') {
  const rows = rowsOf(context, 'messages');
  const id = `${channel}:${String(ts)}`;
  if (rows.has(id)) return rows.get(id);
  throw new SlackError(error);
}

/** Puts other content in place of that of a message, and tells who listens. */
export function edit(context, channel, message, content, editor) {
  const rows = rowsOf(context, 'messages');
  const edited = { user: editor, ts: newTimestamp(context) };
  const { blocks: _, attachments: __, ...kept } = message;
  const after = rows.replace(message.id, { ...kept, ...content, edited });
  tell(context, {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    message: shownMessage(after),
    previous_message: shownMessage(message),
    channel: channel.id,
    channel_type: channelType(channel),
    ts: edited.ts,
  });
  return after;
}

/** Takes a message away, and tells who listens. */
export function remove(context, channel, message) {
  rowsOf(context, 'messages').remove(message.id);
  tell(context, {
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    deleted_ts: message.ts,
    previous_message: shownMessage(message),
    channel: channel.id,
    channel_type: channelType(channel),
    ts: newTimestamp(context),
  });
}
