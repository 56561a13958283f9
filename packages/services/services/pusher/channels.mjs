import { createHmac } from 'node:crypto';

const MAX_SUBSCRIPTIONS = 1_000;

export const rowsOf = (context, name) => context.collection(`pusher:${name}`);

/** The signature of a text by the secret of the app. */
export function sign(context, text) {
  return createHmac('sha256', context.vars.pusher.secret).update(text).digest('hex');
}

export const isPresence = (name) => name.startsWith('presence-');
export const isPrivate = (name) => /^(private|presence)-/.test(name);
const isCache = (name) => /^(private-|presence-|private-encrypted-)?cache-/.test(name);

/** Whether a channel may be called so. */
export function isChannelName(name) {
  return typeof name === 'string' && /^#?[\w\-=@,.;]{1,200}$/.test(name);
}

export function channelOf(context, name) {
  const rows = rowsOf(context, 'channels');
  return rows.has(name) ? rows.get(name) : undefined;
}

/** The people of a presence channel, each once. */
export function peopleOf({ members }) {
  return new Map(members.map(({ user_id: id, user_info: info }) => [id, info]));
}

/** Sends an event to those that have subscribed a channel, but for one. @returns to how many */
export function publish(context, name, event, { except, user } = {}) {
  const members = channelOf(context, name)?.members ?? [];
  const json = { ...event, channel: name, ...(user === undefined ? {} : { user_id: user }) };
  for (const { stream, socket_id: socket } of members)
    if (socket !== except) context.push(`websocket/${stream}`, { json });
  return members.length;
}

/** Keeps the last event of a cache channel for those that come later. */
export function remember(context, name, event) {
  if (!isCache(name)) return;
  const rows = rowsOf(context, 'channels');
  if (rows.has(name)) rows.update(name, { last: event });
  else rows.create({ name, last: event });
}

/** A socket subscribes a channel. @returns what it is sent, after its subscription */
export function enter(context, socket, name, person = {}) {
  const channels = rowsOf(context, 'channels');
  const before = channelOf(context, name) ?? channels.create({ name });
  if (before.members.some(({ socket_id: id }) => id === socket.socket_id)) return [];
  if (socket.channels.length >= MAX_SUBSCRIPTIONS)
    return [{ event: 'pusher:error', data: { code: 4100, message: 'Over capacity' } }];
  const known = peopleOf(before);
  const member = { socket_id: socket.socket_id, stream: socket.stream, ...person };
  const now = channels.update(name, { members: [...before.members, member] });
  rowsOf(context, 'sockets').update(socket.id, { channels: [...socket.channels, name] });
  if (before.members.length === 0) tell(context, { name: 'channel_occupied', channel: name });
  const { user_id: user, user_info: info } = person;
  if (user !== undefined && !known.has(user)) {
    const data = JSON.stringify({ user_id: user, user_info: info });
    publish(context, name, { event: 'pusher_internal:member_added', data }, { except: socket.socket_id });
    tell(context, { name: 'member_added', channel: name, user_id: user });
  }
  const succeeded = {
    event: 'pusher_internal:subscription_succeeded',
    channel: name,
    data: JSON.stringify(isPresence(name) ? { presence: presenceOf(now) } : {}),
  };
  if (!isCache(name)) return [succeeded];
  if (before.last !== null) return [succeeded, { ...before.last, channel: name }];
  tell(context, { name: 'cache_miss', channel: name });
  return [succeeded, { event: 'pusher:cache_miss', channel: name }];
}

function presenceOf(channel) {
  const people = peopleOf(channel);
  return {
    ids: [...people.keys()],
    hash: Object.fromEntries([...people].map(([id, info]) => [id, info ?? null])),
    count: people.size,
  };
}

/** A socket leaves a channel. */
export function exit(context, socketId, name) {
  const channels = rowsOf(context, 'channels');
  const channel = channelOf(context, name);
  const gone = channel?.members.find(({ socket_id: id }) => id === socketId);
  if (gone === undefined) return;
  const members = channel.members.filter((member) => member !== gone);
  if (members.length > 0 || channel.last !== null) channels.update(name, { members });
  else channels.remove(name);
  const { user_id: user } = gone;
  if (user !== undefined && !members.some((member) => member.user_id === user)) {
    const data = JSON.stringify({ user_id: user });
    publish(context, name, { event: 'pusher_internal:member_removed', data });
    tell(context, { name: 'member_removed', channel: name, user_id: user });
  }
  if (members.length === 0) tell(context, { name: 'channel_vacated', channel: name });
}

/** Sends a webhook with one event, signed, to all who want them. */
export function tell(context, event) {
  const body = JSON.stringify({ time_ms: context.clock.now(), events: [event] });
  const headers = {
    'Content-Type': 'application/json',
    'X-Pusher-Key': context.vars.pusher.key,
    'X-Pusher-Signature': sign(context, body),
  };
  for (const { url } of rowsOf(context, 'webhooks').list()) context.webhook({ url, headers, body });
}
