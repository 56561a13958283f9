import {
  find,
  invalidArguments,
  isOn,
  jsonOf,
  newId,
  operation,
  originOf,
  page,
  rowsOf,
  secondsOf,
  SlackError,
} from './api.mjs';
import { channelOf, directWith } from './channels.mjs';
import { edit, messageAt, post, readContent, remove, shownMessage } from './messages.mjs';

const MAX_AHEAD = 120 * 86_400;

/** Where a message goes: a channel, or a person, by way of the channel with them. */
function target(context, args, me) {
  const isPerson = /^[UW]\w+$/.test(String(args.channel));
  const channel = isPerson
    ? directWith(context, me, [args.channel]).channel
    : channelOf(context, args.channel);
  if (channel.is_archived) throw new SlackError('is_archived');
  if (!channel.members.includes(me.user)) throw new SlackError('not_in_channel');
  return channel;
}

/** What stands beside the content: the thread, and another name for the sender. */
function readManner(context, args, channel) {
  const { thread_ts: thread, username, icon_emoji: emoji, icon_url: icon } = args;
  if (thread !== undefined && !/^\d{1,10}\.\d{6}$/.test(String(thread)))
    throw new SlackError('invalid_thread_ts');
  if (thread !== undefined) messageAt(context, channel.id, thread, 'thread_not_found');
  const icons = {
    ...(emoji === undefined ? {} : { emoji }),
    ...(icon === undefined ? {} : { image_url: icon }),
  };
  return {
    ...(thread === undefined ? {} : { thread_ts: String(thread) }),
    ...(isOn(args.reply_broadcast) ? { subtype: 'thread_broadcast' } : {}),
    ...(username === undefined ? {} : { username }),
    ...(Object.keys(icons).length === 0 ? {} : { icons }),
  };
}

export const postMessage = operation(
  ({ args, me, context }) => {
    const channel = target(context, args, me);
    const row = post(context, channel, me, readContent(args), readManner(context, args, channel));
    return { channel: channel.id, ts: row.ts, message: shownMessage(row) };
  },
  { needs: ['channel'] },
);

export const meMessage = operation(
  ({ args, me, context }) => {
    const channel = target(context, args, me);
    const row = post(context, channel, me, readContent(args), { subtype: 'me_message' });
    return { channel: channel.id, ts: row.ts };
  },
  { needs: ['channel', 'text'] },
);

export const postEphemeral = operation(
  ({ args, me, context }) => {
    const channel = target(context, args, me);
    find(context, 'users', args.user, 'user_not_found');
    if (!channel.members.includes(args.user)) throw new SlackError('user_not_in_channel');
    const row = post(context, channel, me, readContent(args), { ephemeral_to: args.user });
    return { message_ts: row.ts };
  },
  { needs: ['channel', 'user'] },
);

export const update = operation(
  ({ args, me, context }) => {
    const channel = channelOf(context, args.channel);
    const message = messageAt(context, channel.id, args.ts);
    if (message.user !== me.user) throw new SlackError('cant_update_message');
    const after = edit(context, channel, message, readContent({ text: message.text, ...args }), me.user);
    return { channel: channel.id, ts: after.ts, text: after.text, message: shownMessage(after) };
  },
  { needs: ['channel', 'ts'] },
);

export const deleteMessage = operation(
  ({ args, me, context }) => {
    const channel = channelOf(context, args.channel);
    const message = messageAt(context, channel.id, args.ts);
    if (message.user !== me.user) throw new SlackError('cant_delete_message');
    remove(context, channel, message);
    return { channel: channel.id, ts: message.ts };
  },
  { needs: ['channel', 'ts'] },
);

export const getPermalink = operation(
  ({ args, context }) => {
    const channel = channelOf(context, args.channel);
    const { ts } = messageAt(context, channel.id, args.message_ts);
    const permalink = `https://backlot.slack.com/archives/${channel.id}/p${ts.replace('.', '')}`;
    return { channel: channel.id, permalink };
  },
  { needs: ['channel', 'message_ts'] },
);

export const unfurl = operation(
  ({ args, context }) => {
    const channel = channelOf(context, args.channel);
    const message = messageAt(context, channel.id, args.ts, 'cannot_unfurl_message');
    const unfurls = jsonOf(args, 'unfurls', 'invalid_unfurls_format');
    if (typeof unfurls !== 'object' || unfurls === null) throw new SlackError('missing_unfurls');
    const attachments = Object.entries(unfurls).map(([url, value]) => ({ from_url: url, ...value }));
    rowsOf(context, 'messages').update(message.id, { attachments });
    return {};
  },
  { needs: ['channel', 'ts', 'unfurls'] },
);

export const schedule = operation(
  ({ args, me, context }) => {
    const channel = target(context, args, me);
    const at = Number(args.post_at);
    if (!Number.isInteger(at)) throw invalidArguments('must be a number: post_at');
    if (at <= secondsOf(context)) throw new SlackError('time_in_past');
    if (at > secondsOf(context) + MAX_AHEAD) throw new SlackError('time_too_far');
    const content = readContent(args);
    const row = rowsOf(context, 'scheduled').create({
      id: newId(context, 'Q'),
      channel_id: channel.id,
      post_at: at,
      date_created: secondsOf(context),
      user: me.user,
      content,
    });
    const { id } = row;
    return {
      channel: channel.id,
      scheduled_message_id: id,
      post_at: at,
      message: { type: 'message', ...content },
    };
  },
  { needs: ['channel', 'post_at'] },
);

export const listScheduled = operation(({ args, context }) => {
  const waiting = rowsOf(context, 'scheduled')
    .list()
    .filter(({ post_at: at }) => at > secondsOf(context))
    .filter(({ channel_id: id }) => args.channel === undefined || args.channel === id);
  return page(
    waiting.map(({ content, user: _, ...row }) => ({ ...row, text: content.text })),
    args,
    'scheduled_messages',
  );
});

export const deleteScheduled = operation(
  ({ args, context }) => {
    const {
      id,
      channel_id: channel,
      post_at: at,
    } = find(context, 'scheduled', args.scheduled_message_id, 'invalid_scheduled_message_id');
    if (channel !== args.channel || at <= secondsOf(context))
      throw new SlackError('invalid_scheduled_message_id');
    rowsOf(context, 'scheduled').remove(id);
    return {};
  },
  { needs: ['channel', 'scheduled_message_id'] },
);

const refuse = (status, body) => ({ status, headers: { 'Content-Type': 'text/html' }, body });

/** Incoming webhooks answer with a text and a status. */
export function incoming({ params, body, form }, context) {
  const { incoming_channel: id } = context.vars.slack;
  if (params.token.includes('invalid')) return refuse(403, 'invalid_token');
  if (params.token.includes('revoked')) return refuse(404, 'no_service');
  const given = form?.payload === undefined ? body : attempt(() => JSON.parse(form.payload));
  if (typeof given !== 'object' || given === null) return refuse(400, 'invalid_payload');
  try {
    const channel = channelOf(context, id);
    post(
      context,
      channel,
      { user: 'U0BACKLOT', bot: 'B0BACKLOT' },
      readContent(given),
      readManner(context, given, channel),
    );
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    const isGone = error.error === 'is_archived';
    if (error.error === 'channel_not_found') return refuse(404, 'channel_not_found');
    return refuse(isGone ? 410 : 400, isGone ? 'channel_is_archived' : error.error);
  }
  return { headers: { 'Content-Type': 'text/html' }, body: 'ok' };
}

function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** An address to which an app may answer a command or an interaction, five times within half an hour. */
export function makeResponseUrl(context, request, fields) {
  const row = rowsOf(context, 'responses').create({ made: context.clock.now(), used: 0, ...fields });
  return `${originOf(request)}/response/${row.id}`;
}

export function respondTo({ params, body }, context) {
  const rows = rowsOf(context, 'responses');
  const answer = (json, status = 200) => ({ status, json });
  if (!rows.has(params.id)) return answer({ ok: false, error: 'expired_url' }, 404);
  const { made, used, channel: id, message_ts: ts, user } = rows.get(params.id);
  if (used >= 5 || context.clock.now() - made > 1_800_000)
    return answer({ ok: false, error: 'used_url' }, 404);
  if (typeof body !== 'object' || body === null) return answer({ ok: false, error: 'invalid_payload' }, 400);
  rows.update(params.id, { used: used + 1 });
  const me = { user: 'U0BACKLOT', bot: 'B0BACKLOT' };
  try {
    const channel = channelOf(context, id);
    const replaces = body.replace_original === true || body.delete_original === true;
    const original = replaces && ts !== undefined ? messageAt(context, id, ts) : undefined;
    if (body.delete_original === true && original !== undefined) remove(context, channel, original);
    else if (original !== undefined) edit(context, channel, original, readContent(body), me.user);
    else {
      const isForAll = body.response_type === 'in_channel';
      post(context, channel, me, readContent(body), isForAll ? {} : { ephemeral_to: user });
    }
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return answer({ ok: false, error: error.error });
  }
  return answer({ ok: true });
}
