import {
  enter,
  exit,
  isChannelName,
  isPresence,
  isPrivate,
  channelOf,
  publish,
  rowsOf,
  sign,
  tell,
} from './channels.mjs';

const send = (...messages) => messages.map((json) => ({ json }));
const error = (code, message) => ({ event: 'pusher:error', data: { code, message } });
const MAX_DATA = 10_240;

/** What is sent back: of several messages one rule sends all. */
function answer(messages) {
  const texts = messages.map((message) => JSON.stringify(message));
  return texts.length === 0 ? [{}] : [{ respond: texts }];
}

/** Answers what a client sends on its connection. */
export function receive(request, context) {
  const { body, remote, stream } = request;
  const sockets = rowsOf(context, 'sockets');
  if (!sockets.has(remote)) return answer([error(4200, 'Please reconnect immediately')]);
  if (typeof body !== 'object' || body === null || typeof body.event !== 'string')
    return answer([error(4000, 'Invalid message: it must be JSON with an event')]);
  const before = sockets.get(remote);
  const socket = before.stream === stream ? before : sockets.update(remote, { stream });
  const { event, data } = body;
  switch (event) {
    case 'pusher:ping':
      return answer([{ event: 'pusher:pong', data: {} }]);
    case 'pusher:pong':
      return answer([]);
    case 'pusher:subscribe':
      return answer(subscribe(context, socket, data ?? {}));
    case 'pusher:unsubscribe':
      return answer(unsubscribe(context, socket, data ?? {}));
    case 'pusher:signin':
      return answer(signIn(context, socket, data ?? {}));
    default:
      return answer(
        event.startsWith('client-') ? sendOn(context, socket, body) : [error(4000, `Unknown event ${event}`)],
      );
  }
}

/** Refuses subscriptions that need a signature; what else a client says is answered. */
export function refuse(request, context) {
  const { event, data } = typeof request.body === 'object' && request.body !== null ? request.body : {};
  if (event === 'pusher:subscribe' && isPrivate(String(data?.channel)))
    return send(refusal(data.channel, 'The connection is unauthorized.'));
  return receive(request, context);
}

function refusal(channel, message) {
  return {
    event: 'pusher:subscription_error',
    channel,
    data: { type: 'AuthError', error: message, status: 401 },
  };
}

/** Whether a client shows that its server lets it in. */
function isSigned(context, auth, text) {
  const { key } = context.vars.pusher;
  return auth === `${key}:${sign(context, text)}`;
}

function subscribe(context, socket, { channel, auth, channel_data: channelData }) {
  if (!isChannelName(channel) || channel.startsWith('#'))
    return [error(4009, `Invalid channel name: ${JSON.stringify(channel)}`)];
  if (channelOf(context, channel)?.members.some(({ socket_id: id }) => id === socket.socket_id))
    return [error(4000, `Existing subscription to channel ${channel}`)];
  if (!isPrivate(channel)) return enter(context, socket, channel);
  const signed = [socket.socket_id, channel, ...(channelData === undefined ? [] : [channelData])].join(':');
  if (!isSigned(context, auth, signed))
    return [refusal(channel, `Auth signature invalid: expected HMAC SHA256 hex digest of ${signed}`)];
  if (!isPresence(channel)) return enter(context, socket, channel);
  const person = parse(channelData);
  const { user_id: user, user_info: info } = person ?? {};
  if ((typeof user !== 'string' && typeof user !== 'number') || user === '')
    return [refusal(channel, 'Invalid channel_data: user_id is required')];
  return enter(context, socket, channel, { user_id: String(user), user_info: info ?? null });
}

function unsubscribe(context, socket, { channel }) {
  const { channels } = socket;
  if (!channels.includes(channel)) return [];
  rowsOf(context, 'sockets').update(socket.id, { channels: channels.filter((name) => name !== channel) });
  exit(context, socket.socket_id, channel);
  return [];
}

/** A client says who its user is, so that the server can send to that user. */
function signIn(context, socket, { auth, user_data: userData }) {
  const user = parse(userData);
  if (!isSigned(context, auth, `${socket.socket_id}::user::${userData}`) || typeof user?.id !== 'string')
    return [error(4009, 'Connection not authorized within timeout')];
  rowsOf(context, 'sockets').update(socket.id, { user: user.id });
  enter(context, rowsOf(context, 'sockets').get(socket.id), `#server-to-user-${user.id}`);
  return [{ event: 'pusher:signin_success', data: JSON.stringify({ user_data: userData }) }];
}

/** A client sends an event to the others of a channel. */
function sendOn(context, socket, { event, channel, data }) {
  if (!isPrivate(String(channel)) || String(channel).startsWith('private-encrypted-'))
    return [error(4301, 'Client event rejected: only supported on private and presence channels')];
  const member = channelOf(context, channel)?.members.find(({ socket_id: id }) => id === socket.socket_id);
  if (member === undefined)
    return [error(4301, `Client event rejected: not subscribed to channel ${channel}`)];
  if (Buffer.byteLength(JSON.stringify(data) ?? '') > MAX_DATA)
    return [error(4301, 'Client event rejected: data is larger than 10kB')];
  const { user_id: user } = member;
  publish(context, channel, { event, data }, { except: socket.socket_id, user });
  tell(context, {
    name: 'client_event',
    channel,
    event,
    data: typeof data === 'string' ? data : JSON.stringify(data),
    socket_id: socket.socket_id,
    ...(user === undefined ? {} : { user_id: user }),
  });
  return [];
}

function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A client has left: those that share a channel with it are told. */
export function leave({ remote }, context) {
  const sockets = rowsOf(context, 'sockets');
  if (!sockets.has(remote)) return;
  const { socket_id: id, channels } = sockets.get(remote);
  sockets.remove(remote);
  for (const name of channels) exit(context, id, name);
}
