import { BOT, DiscordError, find, operation, rowsOf } from './api.mjs';
import { dispatch } from './dispatch.mjs';
import { messageOf } from './messages.mjs';
import { shownUser } from './people.mjs';

/** The emoji of a path: `name:id`, or a character. @throws DiscordError for a text */
function emojiOf(text) {
  const [, name, id] = /^(?:a:)?(\w{2,32}):(\d+)$/.exec(text) ?? [];
  if (name !== undefined) return { id, name };
  if (/^[\u0020-\u007e]+$/.test(text) && !/^[0-9#*]/.test(text))
    throw new DiscordError(400, 10_014, 'Unknown Emoji');
  return { id: null, name: text };
}

function open({ context, params }) {
  const channel = find(context, 'channels', params.channel, 'channel');
  const message = messageOf(context, channel.id, params.message);
  const emoji = emojiOf(decodeURIComponent(params.emoji));
  const isSame = (one) => one.emoji.name === emoji.name && one.emoji.id === emoji.id;
  return { channel, message, emoji, isSame, found: message.reactions.find(isSame) };
}

function tell(context, type, { channel, message, emoji }) {
  dispatch(context, type, {
    user_id: BOT,
    channel_id: channel.id,
    message_id: message.id,
    emoji,
    type: 0,
    burst: false,
    ...(channel.guild_id === undefined ? {} : { guild_id: channel.guild_id }),
  });
}

export const add = operation((call) => {
  const place = open(call);
  const { message, emoji, isSame, found } = place;
  if (found?.me) return { status: 204 };
  const made = { emoji, count: (found?.count ?? 0) + 1, me: true };
  const reactions =
    found === undefined
      ? [...message.reactions, made]
      : message.reactions.map((one) => (isSame(one) ? made : one));
  rowsOf(call.context, 'messages').update(message.id, { reactions });
  tell(call.context, 'MESSAGE_REACTION_ADD', place);
  return { status: 204 };
});

export const remove = operation((call) => {
  const place = open(call);
  const { message, isSame, found } = place;
  if (!found?.me) return { status: 204 };
  const reactions = message.reactions
    .map((one) => (isSame(one) ? { ...one, count: one.count - 1, me: false } : one))
    .filter(({ count }) => count > 0);
  rowsOf(call.context, 'messages').update(message.id, { reactions });
  tell(call.context, 'MESSAGE_REACTION_REMOVE', place);
  return { status: 204 };
});

/** Only the bot reacts by calls; what others have done is a count. */
export const list = operation((call) => ({
  json: open(call).found?.me ? [shownUser(rowsOf(call.context, 'users').get(BOT))] : [],
}));
