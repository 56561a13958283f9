import { claimsOf, operation, rowsOf, callerOf, SupabaseError, timeOf } from './api.mjs';
import { test } from './conditions.mjs';
import { parseCondition } from './parse.mjs';
import { readFrame, writeFrame } from './frames.mjs';
import { bringIn, takeOut, toAll } from './presence.mjs';

const MAX_MEMBERS = 1_000;

export function channelOf(context, topic) {
  const rows = rowsOf(context, 'realtime.channels');
  return rows.has(topic) ? rows.get(topic) : undefined;
}

/** Answers what a client of the realtime server sends. */
export function receive(request, context) {
  const frame = readFrame(request);
  if (frame === undefined) return [{ close: { code: 1003, reason: 'no message of Phoenix' } }];
  const { topic, event } = frame;
  const reply = (status, response) => ({ ...frame, event: 'phx_reply', payload: { status, response } });
  const send = (...frames) => [{ respond: frames.map((one) => writeFrame(request.query.vsn, one)) }];
  if (topic === 'phoenix') return send(reply('ok', {}));
  if (event === 'phx_join') return send(...join(request, context, frame, reply));
  if (event === 'phx_leave') {
    exit(context, topic, request.stream);
    return send(reply('ok', {}), { ...frame, ref: null, event: 'phx_close', payload: {} });
  }
  const member = memberOf(context, topic, request.stream);
  if (member === undefined) return send(reply('error', { reason: 'unmatched topic' }));
  switch (event) {
    case 'access_token':
      return [{}];
    case 'broadcast':
      broadcast(context, topic, frame.payload, member.self ? undefined : request.stream);
      return member.ack ? send(reply('ok', {})) : [{}];
    case 'presence':
      return track(context, topic, member, frame, () => send(reply('ok', {})));
    default:
      return send(reply('error', { reason: `unknown event ${event}` }));
  }
}

function memberOf(context, topic, stream) {
  return channelOf(context, topic)?.members.find((one) => one.stream === stream);
}

/** A client joins: it says what it wants to be told. */
function join({ query, stream }, context, frame, reply) {
  const { topic, payload } = frame;
  const { config = {}, access_token: token = query.apikey } = payload ?? {};
  if (!topic.startsWith('realtime:')) return [reply('error', { reason: 'unmatched topic' })];
  const refuse = (reason) => new SupabaseError(401, { message: reason });
  try {
    claimsOf(String(token ?? ''), context, refuse);
  } catch (thrown) {
    if (!(thrown instanceof SupabaseError)) throw thrown;
    return [reply('error', { reason: `InvalidJWTToken: the token ${thrown.message}` })];
  }
  exit(context, topic, stream);
  const channels = rowsOf(context, 'realtime.channels');
  const channel = channelOf(context, topic) ?? channels.create({ topic, members: [] });
  if (channel.members.length >= MAX_MEMBERS)
    return [reply('error', { reason: 'ConnectionRateLimitReached: Too many connected users' })];
  const changes = (config.postgres_changes ?? []).map((one) => ({
    id: context.random.int(1, 2 ** 30),
    ...one,
  }));
  const problem = changes.map(problemOf).find((one) => one !== undefined);
  if (problem !== undefined) return [reply('error', { reason: problem })];
  const member = {
    stream,
    vsn: query.vsn ?? '1.0.0',
    join_ref: frame.joinRef,
    changes,
    self: config.broadcast?.self === true,
    ack: config.broadcast?.ack === true,
    wants_presence: config.presence?.enabled !== false,
    key: config.presence?.key || context.random.uuid(),
    metas: [],
  };
  channels.update(topic, { members: [...channel.members, member] });
  const own = { ...frame, ref: null };
  return [
    reply('ok', { postgres_changes: changes }),
    ...(member.wants_presence
      ? [{ ...own, event: 'presence_state', payload: stateOf(channelOf(context, topic)) }]
      : []),
    ...(changes.length === 0
      ? []
      : [
          {
            ...own,
            event: 'system',
            payload: {
              channel: topic.slice(9),
              extension: 'postgres_changes',
              message: 'Subscribed to PostgreSQL',
              status: 'ok',
            },
          },
        ]),
  ];
}

/** What is wrong with what a client wants to be told of tables. */
function problemOf({ event, filter }) {
  if (!['*', 'INSERT', 'UPDATE', 'DELETE'].includes(event))
    return `Unable to subscribe to changes with given parameters: event ${event}`;
  if (filter === undefined || filter === null || filter === '') return undefined;
  try {
    filterOf(filter);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof SupabaseError)) throw thrown;
    return `Error parsing \`filter\` params: ${filter}`;
  }
}

/** `id=eq.5`, as the query of a table has it. */
function filterOf(filter) {
  const at = filter.indexOf('=');
  return parseCondition(filter.slice(0, at), filter.slice(at + 1));
}

function stateOf({ members }) {
  const state = {};
  for (const { key, metas } of members)
    if (metas.length > 0) state[key] = { metas: [...(state[key]?.metas ?? []), ...metas] };
  return state;
}

/** Sends a message to those who have joined a channel, but for one. */
function broadcast(context, topic, payload, except) {
  toAll(context, channelOf(context, topic), 'broadcast', payload, except);
}

/** A client says of itself that it is there, or that it is no more. */
function track(context, topic, member, { payload }, done) {
  const { event, payload: given = {} } = payload ?? {};
  const channels = rowsOf(context, 'realtime.channels');
  const metas = event === 'track' ? [{ phx_ref: context.random.uuid().slice(0, 8), ...given }] : [];
  const before = channelOf(context, topic);
  const members = before.members.map((one) => (one.stream === member.stream ? { ...one, metas } : one));
  const channel = channels.update(topic, { members });
  if (member.metas.length > 0) takeOut(context, channel, member);
  if (metas.length > 0) bringIn(context, channel, { ...member, metas });
  return done();
}

/** A client leaves a channel. */
function exit(context, topic, stream) {
  const gone = memberOf(context, topic, stream);
  if (gone === undefined) return;
  const channels = rowsOf(context, 'realtime.channels');
  const members = channelOf(context, topic).members.filter((one) => one !== gone);
  if (members.length === 0) channels.remove(topic);
  else {
    const channel = channels.update(topic, { members });
    if (gone.metas.length > 0) takeOut(context, channel, gone);
  }
}

/** The connection of a client has ended: it leaves all its channels. */
export function leave({ stream }, context) {
  for (const { topic, members } of rowsOf(context, 'realtime.channels').list())
    if (members.some((one) => one.stream === stream)) exit(context, topic, stream);
}

/** Tells those who listen to a table what has happened to one of its rows. */
export function tellChange(context, table, type, row, before) {
  const shared = {
    schema: 'public',
    table,
    commit_timestamp: timeOf(context),
    type,
    columns: [],
    errors: null,
  };
  const data = {
    ...shared,
    ...(row === undefined ? {} : { record: row }),
    ...(before === undefined
      ? {}
      : { old_record: type === 'DELETE' ? keyOf(context, table, before) : before }),
  };
  const wants = ({ event, schema = 'public', table: wanted, filter }) =>
    (event === '*' || event === type) &&
    (schema === 'public' || schema === '*') &&
    (wanted === undefined || wanted === null || wanted === '*' || wanted === table) &&
    (filter === undefined ||
      filter === null ||
      filter === '' ||
      test(filterOf(filter), row ?? before) === true);
  for (const channel of rowsOf(context, 'realtime.channels').values())
    for (const member of channel.members) {
      const ids = member.changes.filter(wants).map(({ id }) => id);
      if (ids.length > 0)
        toAll(context, { ...channel, members: [member] }, 'postgres_changes', { ids, data });
    }
}

/** Of a row that is removed its key alone is told. */
function keyOf(context, table, row) {
  const { key } = rowsOf(context, table);
  return { [key]: row[key] };
}

/** Messages that come by HTTP. */
export const send = operation((request, context) => {
  callerOf(request, context, (reason) => new SupabaseError(401, { message: `the token ${reason}` }));
  const { messages } = request.body ?? {};
  if (!Array.isArray(messages)) throw new SupabaseError(422, { errors: { messages: ["can't be blank"] } });
  for (const { topic, event, payload } of messages)
    broadcast(context, `realtime:${String(topic)}`, { type: 'broadcast', event, payload });
  return { status: 202 };
});
