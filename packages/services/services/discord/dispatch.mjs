import { rowsOf } from './api.mjs';

const GATEWAY = 'websocket/discord:gateway';
const KEPT = 100;

/** The bits of intents, and which events need one. */
const INTENTS = {
  GUILD: 1 << 0,
  CHANNEL: 1 << 0,
  GUILD_ROLE: 1 << 0,
  GUILD_MEMBER: 1 << 1,
  GUILD_BAN: 1 << 2,
  WEBHOOKS: 1 << 5,
};
const IN_GUILDS = { MESSAGE: 1 << 9, MESSAGE_REACTION: 1 << 10, TYPING: 1 << 11 };
const DIRECT = { MESSAGE: 1 << 12, MESSAGE_REACTION: 1 << 13, TYPING: 1 << 14 };
const CONTENT = 1 << 15;

/** The intent that an event needs; 0 when it needs none. */
function intentOf(type, { guild_id: guild }) {
  const name = type.replace(/_(CREATE|UPDATE|DELETE|DELETE_BULK|ADD|REMOVE|REMOVE_ALL|START)$/, '');
  const table = guild === undefined ? DIRECT : IN_GUILDS;
  return table[name] ?? INTENTS[name] ?? 0;
}

/** Sends an event to all sessions that want it; those whose connection is lost get it when they resume. */
export function dispatch(context, type, data) {
  const intent = intentOf(type, data);
  for (const session of rowsOf(context, 'sessions').list())
    if (intent === 0 || (session.intents & intent) !== 0)
      sendTo(context, session.id, type, seenBy(session, type, data));
}

/** What a session without the intent for contents sees of messages of others. */
function seenBy({ intents, user }, type, data) {
  if ((intents & CONTENT) !== 0 || !/^MESSAGE_(CREATE|UPDATE)$/.test(type)) return data;
  const isOwn =
    data.author?.id === user || data.guild_id === undefined || data.mentions?.some(({ id }) => id === user);
  return isOwn ? data : { ...data, content: '', embeds: [], attachments: [], components: [] };
}

/** Sends an event to one session. */
export function sendTo(context, id, type, data) {
  const rows = rowsOf(context, 'sessions');
  const { seq, stream, kept } = rows.get(id);
  const event = { op: 0, t: type, s: seq + 1, d: data };
  rows.update(id, { seq: seq + 1, kept: [...kept, event].slice(-KEPT) });
  if (context.streams(GATEWAY).includes(stream)) context.push(`websocket/${stream}`, { json: event });
}

/** Sends an operation to every connection. @returns to how many */
export function toAll(context, json) {
  const open = context.streams(GATEWAY);
  for (const id of open) context.push(`websocket/${id}`, { json });
  return open.length;
}
