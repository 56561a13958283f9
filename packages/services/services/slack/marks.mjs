import { operation, page, rowsOf, secondsOf, SlackError } from './api.mjs';
import { channelOf } from './channels.mjs';
import { tell } from './events.mjs';
import { messageAt, shownMessage } from './messages.mjs';

/** The message that a call means. */
function marked(context, { channel, timestamp }) {
  if (timestamp === undefined || timestamp === '') throw new SlackError('no_item_specified');
  return messageAt(context, channelOf(context, channel).id, timestamp);
}

function itemOf({ channel, ts }) {
  return { type: 'message', channel, ts };
}

function nameOf({ name }) {
  const bare = String(name).replaceAll(':', '');
  if (!/^[a-z0-9_+'-]+$/.test(bare)) throw new SlackError('invalid_name');
  return bare;
}

export const add = operation(
  ({ args, me, context }) => {
    const message = marked(context, args);
    const name = nameOf(args);
    const before = message.reactions ?? [];
    const users = before.find((one) => one.name === name)?.users ?? [];
    if (users.includes(me.user)) throw new SlackError('already_reacted');
    const reaction = { name, users: [...users, me.user], count: users.length + 1 };
    const reactions =
      users.length === 0 ? [...before, reaction] : before.map((one) => (one.name === name ? reaction : one));
    rowsOf(context, 'messages').update(message.id, { reactions });
    tell(context, {
      type: 'reaction_added',
      user: me.user,
      reaction: name,
      item: itemOf(message),
      item_user: message.user,
      event_ts: `${secondsOf(context)}.000000`,
    });
    return {};
  },
  { needs: ['channel', 'name'] },
);

export const remove = operation(
  ({ args, me, context }) => {
    const message = marked(context, args);
    const name = nameOf(args);
    const before = message.reactions ?? [];
    const users = before.find((one) => one.name === name)?.users ?? [];
    if (!users.includes(me.user)) throw new SlackError('no_reaction');
    const left = users.filter((user) => user !== me.user);
    const reactions = before.flatMap((one) => {
      if (one.name !== name) return [one];
      return left.length === 0 ? [] : [{ name, users: left, count: left.length }];
    });
    rowsOf(context, 'messages').update(message.id, { reactions });
    tell(context, {
      type: 'reaction_removed',
      user: me.user,
      reaction: name,
      item: itemOf(message),
      item_user: message.user,
      event_ts: `${secondsOf(context)}.000000`,
    });
    return {};
  },
  { needs: ['channel', 'name'] },
);

export const get = operation(({ args, context }) => {
  const message = marked(context, args);
  return { type: 'message', channel: message.channel, message: shownMessage(message) };
});

export const list = operation(({ args, me, context }) => {
  const user = args.user ?? me.user;
  const items = rowsOf(context, 'messages')
    .list()
    .filter(({ reactions = [] }) => reactions.some(({ users }) => users.includes(user)))
    .map((row) => ({ type: 'message', channel: row.channel, message: shownMessage(row) }));
  return page(items, args, 'items');
});

export const pin = operation(
  ({ args, me, context }) => {
    const message = marked(context, args);
    if (message.pinned_to?.includes(message.channel)) throw new SlackError('already_pinned');
    const pinned = { channel: message.channel, pinned_by: me.user, pinned_ts: secondsOf(context) };
    rowsOf(context, 'messages').update(message.id, { pinned_to: [message.channel], pinned_info: pinned });
    tell(context, { type: 'pin_added', user: me.user, channel_id: message.channel, item: itemOf(message) });
    return {};
  },
  { needs: ['channel'] },
);

export const unpin = operation(
  ({ args, me, context }) => {
    const message = marked(context, args);
    if (!message.pinned_to?.includes(message.channel)) throw new SlackError('no_pin');
    rowsOf(context, 'messages').update(message.id, { pinned_to: null, pinned_info: null });
    tell(context, { type: 'pin_removed', user: me.user, channel_id: message.channel, item: itemOf(message) });
    return {};
  },
  { needs: ['channel'] },
);

export const listPins = operation(
  ({ args, context }) => {
    const { id } = channelOf(context, args.channel);
    const items = rowsOf(context, 'messages')
      .list()
      .filter(({ channel, pinned_to: places }) => channel === id && places?.includes(id))
      .map((row) => ({
        type: 'message',
        channel: id,
        created: row.pinned_info.pinned_ts,
        created_by: row.pinned_info.pinned_by,
        message: shownMessage(row),
      }));
    return { items };
  },
  { needs: ['channel'] },
);
