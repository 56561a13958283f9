import { find, idsOf, isOn, newId, operation, page, rowsOf, secondsOf, SlackError } from './api.mjs';
import { tell } from './events.mjs';
import { shownMessage } from './messages.mjs';
import { typeOf } from './people.mjs';

/** The channel of an argument: its id, or `#name`. */
export function channelOf(context, id) {
  const name = /^#(.+)$/.exec(String(id))?.[1];
  const named = (row) => name !== undefined && row.name === name;
  const found = name === undefined ? undefined : rowsOf(context, 'channels').list().find(named);
  return found ?? find(context, 'channels', id, 'channel_not_found');
}

/** The channel with somebody, which is made when there is none. */
export function directWith(context, me, users) {
  for (const user of users) find(context, 'users', user, 'user_not_found');
  const members = [...new Set([me.user, ...users])].sort();
  const isSame = (row) => (row.is_im || row.is_mpim) && [...row.members].sort().join() === members.join();
  const there = rowsOf(context, 'channels').list().find(isSame);
  if (there !== undefined) return { channel: there, isNew: false };
  const isGroup = users.length > 1;
  const channel = rowsOf(context, 'channels').create({
    id: newId(context, isGroup ? 'G' : 'D'),
    ...(isGroup ? { name: `mpdm-${members.join('--').toLowerCase()}-1` } : { user: users[0] }),
    created: secondsOf(context),
    creator: me.user,
    is_channel: false,
    is_im: !isGroup,
    is_mpim: isGroup,
    is_private: true,
    members,
  });
  return { channel, isNew: true };
}

function shown({ members, ...channel }, me, { withMembers = false } = {}) {
  return {
    ...channel,
    is_member: members.includes(me.user),
    ...(withMembers ? { num_members: members.length } : {}),
  };
}

/** A channel in which who calls takes part. */
function joined(context, id, me) {
  const channel = channelOf(context, id);
  if (!channel.members.includes(me.user)) throw new SlackError('not_in_channel');
  return channel;
}

function open(channel) {
  if (channel.is_archived) throw new SlackError('is_archived');
  return channel;
}

export const list = operation(({ args, me, context }) => {
  const types = idsOf(args.types ?? 'public_channel');
  const unknown = types.find((type) => !['public_channel', 'private_channel', 'im', 'mpim'].includes(type));
  if (unknown !== undefined) throw new SlackError('invalid_types');
  const channels = rowsOf(context, 'channels')
    .list()
    .filter((row) => types.includes(typeOf(row)) && !(isOn(args.exclude_archived) && row.is_archived))
    .filter((row) => !row.is_private || row.members.includes(me.user));
  return page(
    channels.map((row) => shown(row, me, { withMembers: true })),
    args,
    'channels',
  );
});

export const info = operation(
  ({ args, me, context }) => ({
    channel: shown(channelOf(context, args.channel), me, { withMembers: isOn(args.include_num_members) }),
  }),
  { needs: ['channel'] },
);

function checkName(context, name) {
  if (!/^[a-z0-9_\-\p{Ll}]{1,80}$/u.test(String(name))) {
    const error = String(name).length > 80 ? 'invalid_name_maxlength' : 'invalid_name_specials';
    throw new SlackError(error);
  }
  if (
    rowsOf(context, 'channels')
      .list()
      .some((row) => row.name === name)
  )
    throw new SlackError('name_taken');
}

export const create = operation(
  ({ args, me, context }) => {
    checkName(context, args.name);
    const isPrivate = isOn(args.is_private);
    const channel = rowsOf(context, 'channels').create({
      id: newId(context, 'C'),
      name: args.name,
      name_normalized: args.name,
      created: secondsOf(context),
      creator: me.user,
      is_private: isPrivate,
      is_channel: !isPrivate,
      is_group: isPrivate,
      members: [me.user],
    });
    const { id, name, created, creator } = channel;
    if (!isPrivate) tell(context, { type: 'channel_created', channel: { id, name, created, creator } });
    return { channel: shown(channel, me) };
  },
  { needs: ['name'] },
);

const archiving = (isArchived, type) =>
  operation(
    ({ args, me, context }) => {
      const channel = channelOf(context, args.channel);
      if (channel.is_archived === isArchived)
        throw new SlackError(isArchived ? 'already_archived' : 'not_archived');
      if (isArchived && channel.is_general) throw new SlackError('cant_archive_general');
      rowsOf(context, 'channels').update(channel.id, { is_archived: isArchived });
      tell(context, { type, channel: channel.id, user: me.user });
      return {};
    },
    { needs: ['channel'] },
  );
export const archive = archiving(true, 'channel_archive');
export const unarchive = archiving(false, 'channel_unarchive');

export const rename = operation(
  ({ args, me, context }) => {
    const { id, name: previous, created } = open(joined(context, args.channel, me));
    checkName(context, args.name);
    const previousNames = [previous];
    const fields = { name: args.name, name_normalized: args.name, previous_names: previousNames };
    const channel = rowsOf(context, 'channels').update(id, fields);
    tell(context, { type: 'channel_rename', channel: { id, name: args.name, created } });
    return { channel: shown(channel, me) };
  },
  { needs: ['channel', 'name'] },
);

function enter(context, channel, user, inviter) {
  rowsOf(context, 'channels').update(channel.id, { members: [...channel.members, user] });
  tell(context, {
    type: 'member_joined_channel',
    user,
    channel: channel.id,
    channel_type: 'C',
    team: 'T0BACKLOT',
    ...(inviter === undefined ? {} : { inviter }),
  });
}

function leaveIt(context, channel, user) {
  rowsOf(context, 'channels').update(channel.id, { members: channel.members.filter((one) => one !== user) });
  tell(context, {
    type: 'member_left_channel',
    user,
    channel: channel.id,
    channel_type: 'C',
    team: 'T0BACKLOT',
  });
}

export const join = operation(
  ({ args, me, context }) => {
    const channel = open(channelOf(context, args.channel));
    if (channel.is_private) throw new SlackError('method_not_supported_for_channel_type');
    if (channel.members.includes(me.user))
      return { channel: shown(channel, me), warning: 'already_in_channel' };
    enter(context, channel, me.user);
    return { channel: shown(rowsOf(context, 'channels').get(channel.id), me) };
  },
  { needs: ['channel'] },
);

export const leave = operation(
  ({ args, me, context }) => {
    const channel = channelOf(context, args.channel);
    if (channel.is_general) throw new SlackError('cant_leave_general');
    if (!channel.members.includes(me.user)) return { not_in_channel: true };
    leaveIt(context, channel, me.user);
    return {};
  },
  { needs: ['channel'] },
);

export const invite = operation(
  ({ args, me, context }) => {
    const channel = open(joined(context, args.channel, me));
    const users = idsOf(args.users);
    for (const user of users) {
      find(context, 'users', user, 'user_not_found');
      if (user === me.user) throw new SlackError('cant_invite_self');
      if (channel.members.includes(user)) throw new SlackError('already_in_channel');
    }
    for (const user of users) enter(context, rowsOf(context, 'channels').get(channel.id), user, me.user);
    return { channel: shown(rowsOf(context, 'channels').get(channel.id), me) };
  },
  { needs: ['channel', 'users'] },
);

export const kick = operation(
  ({ args, me, context }) => {
    const channel = joined(context, args.channel, me);
    if (args.user === me.user) throw new SlackError('cant_kick_self');
    if (channel.is_general) throw new SlackError('cant_kick_from_general');
    find(context, 'users', args.user, 'user_not_found');
    if (!channel.members.includes(args.user)) throw new SlackError('not_in_channel');
    leaveIt(context, channel, args.user);
    return { errors: {} };
  },
  { needs: ['channel', 'user'] },
);

export const members = operation(
  ({ args, context }) => page(channelOf(context, args.channel).members, args, 'members'),
  { needs: ['channel'] },
);

const describing = (field) =>
  operation(
    ({ args, me, context }) => {
      const { id } = open(joined(context, args.channel, me));
      const text = String(args[field] ?? '');
      if (text.length > 250) throw new SlackError('too_long');
      const value = { value: text, creator: me.user, last_set: secondsOf(context) };
      return { channel: shown(rowsOf(context, 'channels').update(id, { [field]: value }), me) };
    },
    { needs: ['channel'] },
  );
export const setTopic = describing('topic');
export const setPurpose = describing('purpose');

export const openDirect = operation(({ args, me, context }) => {
  const users = idsOf(args.users);
  if (args.channel === undefined && users.length === 0) throw new SlackError('users_list_not_supplied');
  if (users.length > 8) throw new SlackError('too_many_users');
  const { channel, isNew } =
    args.channel === undefined
      ? directWith(context, me, users)
      : { channel: channelOf(context, args.channel), isNew: false };
  const already = isNew ? {} : { no_op: true, already_open: true };
  return { ...already, channel: isOn(args.return_im) ? shown(channel, me) : { id: channel.id } };
});

export const close = operation(
  ({ args, context }) => {
    const channel = channelOf(context, args.channel);
    if (!channel.is_im && !channel.is_mpim) throw new SlackError('method_not_supported_for_channel_type');
    return {};
  },
  { needs: ['channel'] },
);

export const mark = operation(
  ({ args, me, context }) => {
    const { id } = joined(context, args.channel, me);
    rowsOf(context, 'channels').update(id, { last_read: String(args.ts) });
    return {};
  },
  { needs: ['channel', 'ts'] },
);

/** The messages of a channel in a span of time. */
function within(context, id, { oldest = '0', latest, inclusive }) {
  const isAt = isOn(inclusive);
  const end = latest === undefined || latest === '' ? '9'.repeat(10) : String(latest);
  for (const time of [oldest, end])
    if (!/^\d{1,10}(\.\d{1,6})?$/.test(String(time)))
      throw new SlackError(time === end ? 'invalid_ts_latest' : 'invalid_ts_oldest');
  const isAfter = (ts) => Number(ts) > Number(oldest) || (isAt && Number(ts) === Number(oldest));
  const isBefore = (ts) => Number(ts) < Number(end) || (isAt && Number(ts) === Number(end));
  return rowsOf(context, 'messages')
    .list()
    .filter(({ channel, ts }) => channel === id && isAfter(ts) && isBefore(ts));
}

export const history = operation(
  ({ args, me, context }) => {
    const { id } = joined(context, args.channel, me);
    const rows = within(context, id, args).filter((row) => isTopLevel(row) && !row.ephemeral_to);
    const found = page(rows.reverse().map(shownMessage), args, 'messages');
    return {
      ...found,
      has_more: found.response_metadata.next_cursor !== '',
      pin_count: rows.filter((row) => row.pinned_to?.includes(id)).length,
    };
  },
  { needs: ['channel'] },
);

function isTopLevel({ thread_ts: thread, ts, subtype }) {
  return thread === undefined || thread === ts || subtype === 'thread_broadcast';
}

export const replies = operation(
  ({ args, me, context }) => {
    const { id } = joined(context, args.channel, me);
    const rows = within(context, id, args).filter(
      (row) => (row.ts === args.ts || row.thread_ts === args.ts) && !row.ephemeral_to,
    );
    if (rows.length === 0) throw new SlackError('thread_not_found');
    const found = page(rows.map(shownMessage), args, 'messages');
    return { ...found, has_more: found.response_metadata.next_cursor !== '' };
  },
  { needs: ['channel', 'ts'] },
);
