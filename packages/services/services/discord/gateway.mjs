import { BOT, isWrong, originOf, rowsOf } from './api.mjs';
import { sendTo } from './dispatch.mjs';
import { shownChannel } from './channels.mjs';
import { membersOf } from './guilds.mjs';
import { shownUser } from './people.mjs';

const MAX_SESSIONS = 100;
const ALL_INTENTS = 2 ** 26 - 1;
const close = (code, reason) => [{ close: { code, reason } }];
const nothing = [{}];

/** Answers what a client sends on its connection. */
export function receive(request, context) {
  const { body, stream } = request;
  if (typeof body !== 'object' || body === null || !Number.isInteger(body.op))
    return close(4002, 'Error while decoding payload.');
  const session = rowsOf(context, 'sessions')
    .list()
    .find((row) => row.stream === stream);
  const { op, d: data } = body;
  if (op === 1) return [{ json: { op: 11 } }];
  if (op === 2)
    return session === undefined ? identify(request, context, data) : close(4005, 'Already authenticated.');
  if (op === 6)
    return session === undefined ? resume(request, context, data) : close(4005, 'Already authenticated.');
  if (session === undefined) return close(4003, 'Not authenticated.');
  if (op === 8) return giveMembers(context, session, data);
  // Presences and states of voice are told to nobody.
  if (op === 3 || op === 4) return nothing;
  return close(4001, 'Unknown opcode.');
}

function identify(request, context, data) {
  const { token, intents } = data ?? {};
  if (typeof token !== 'string' || token === '' || isWrong(token))
    return close(4004, 'Authentication failed.');
  if (!Number.isInteger(intents) || intents < 0 || intents > ALL_INTENTS)
    return close(4013, 'Invalid intent(s).');
  if (request.query.v !== undefined && request.query.v !== '10') return close(4012, 'Invalid API version.');
  const rows = rowsOf(context, 'sessions');
  if (rows.size >= MAX_SESSIONS) rows.remove(rows.list()[0].id);
  const { id } = rows.create({
    id: context.random.uuid().replaceAll('-', ''),
    stream: request.stream,
    user: BOT,
    intents,
    seq: 0,
    kept: [],
  });
  const guilds = rowsOf(context, 'guilds').list();
  sendTo(context, id, 'READY', {
    v: 10,
    user: {
      ...shownUser(rowsOf(context, 'users').get(BOT)),
      verified: true,
      mfa_enabled: false,
      email: null,
      flags: 0,
    },
    guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
    session_id: id,
    resume_gateway_url: `${originOf(request, 'ws')}/gateway`,
    shard: data.shard ?? [0, 1],
    application: { id: BOT, flags: 0 },
  });
  if ((intents & 1) === 0) return nothing;
  for (const guild of guilds) sendTo(context, id, 'GUILD_CREATE', wholeGuild(context, guild));
  return nothing;
}

function wholeGuild(context, guild) {
  const own = (name) =>
    rowsOf(context, name)
      .list()
      .filter(({ guild_id: id }) => id === guild.id);
  const members = membersOf(context, guild.id);
  return {
    ...guild,
    joined_at: '2024-01-01T00:00:00.000000+00:00',
    large: false,
    unavailable: false,
    member_count: members.length,
    members,
    channels: own('channels').map(shownChannel),
    roles: own('roles').map(({ guild_id: _, ...role }) => role),
    threads: [],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** Goes on with a session on another connection: what it has missed is sent, in its order. */
function resume({ stream }, context, data) {
  const { token, session_id: id, seq } = data ?? {};
  if (typeof token !== 'string' || isWrong(token)) return close(4004, 'Authentication failed.');
  const rows = rowsOf(context, 'sessions');
  if (!rows.has(String(id))) return [{ json: { op: 9, d: false } }];
  const session = rows.get(id);
  if (!Number.isInteger(seq) || seq < 0 || seq > session.seq) return close(4007, 'Invalid seq.');
  const missed = session.kept.filter(({ s }) => s > seq);
  if (missed.length < session.seq - seq) return [{ json: { op: 9, d: false } }];
  rows.update(id, { stream });
  for (const event of missed) context.push(`websocket/${stream}`, { json: event });
  sendTo(context, id, 'RESUMED', {});
  return nothing;
}

function giveMembers(context, { id }, data) {
  const { guild_id: guild, query = '', limit = 0, user_ids: wanted, nonce } = data ?? {};
  const found = membersOf(context, [guild].flat()[0]).filter(
    ({ user }) =>
      (wanted === undefined || [wanted].flat().includes(user.id)) &&
      user.username.toLowerCase().startsWith(String(query).toLowerCase()),
  );
  sendTo(context, id, 'GUILD_MEMBERS_CHUNK', {
    guild_id: [guild].flat()[0],
    members: limit > 0 ? found.slice(0, limit) : found,
    chunk_index: 0,
    chunk_count: 1,
    ...(nonce === undefined ? {} : { nonce }),
  });
  return nothing;
}
