import { createHash, timingSafeEqual } from 'node:crypto';
import {
  channelOf,
  isChannelName,
  isPresence,
  peopleOf,
  publish,
  remember,
  rowsOf,
  sign,
} from './channels.mjs';

const MAX_AGE = 600;
const MAX_DATA = 10_240;
const MAX_CHANNELS = 100;
const MAX_BATCH = 10;
const MAX_KEPT = 10_000;

class PusherError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const invalid = (message) => new PusherError(400, message);

/** Makes the function of a mock: it checks the signature, and answers what `act` throws as Pusher does. */
function operation(act) {
  return (request, context) => {
    try {
      checkSignature(request, context);
      return { json: act(request, context) };
    } catch (thrown) {
      if (!(thrown instanceof PusherError)) throw thrown;
      return {
        status: thrown.status,
        headers: { 'Content-Type': 'text/plain' },
        body: `${thrown.message}\n`,
      };
    }
  };
}

/** The signature stands over the method, the path, and the parameters in the order of their names. */
function checkSignature({ method, path, query, params, raw_body: raw }, context) {
  const { app, key } = context.vars.pusher;
  if (params.app !== app) throw new PusherError(404, `App ID ${params.app} is not known in this cluster`);
  const { auth_signature: given, ...rest } = query;
  if (rest.auth_key !== key) throw new PusherError(401, `Unknown auth_key: ${rest.auth_key ?? ''}`);
  const age = Math.abs(context.clock.now() / 1000 - Number(rest.auth_timestamp));
  if (!(age <= MAX_AGE))
    throw new PusherError(
      401,
      `Timestamp expired: Given timestamp (${rest.auth_timestamp ?? ''}) not within ${MAX_AGE}s of server time`,
    );
  const body = Buffer.from(raw ?? '');
  if (body.length > 0 && rest.body_md5 !== createHash('md5').update(body).digest('hex'))
    throw new PusherError(401, 'Invalid body_md5');
  const names = Object.keys(rest).sort((a, b) => (a < b ? -1 : 1));
  const text = [
    method,
    path.replace(/^\/pusher/, ''),
    names.map((name) => `${name}=${rest[name]}`).join('&'),
  ].join('\n');
  const [wanted, got] = [Buffer.from(sign(context, text)), Buffer.from(String(given ?? ''))];
  if (wanted.length !== got.length || !timingSafeEqual(wanted, got))
    throw new PusherError(
      401,
      `Invalid signature: you should have sent HmacSHA256Hex(${JSON.stringify(text)}, your_secret_key)`,
    );
}

/** Sends one event to channels. */
function send(context, { name, data, channels, socket_id: except }) {
  if (typeof name !== 'string' || name === '' || name.length > 200)
    throw invalid('Event name must be 1 to 200 characters');
  if (typeof data !== 'string') throw invalid('Data must be a string');
  if (Buffer.byteLength(data) > MAX_DATA)
    throw new PusherError(413, 'The data content of this event exceeds the allowed maximum (10240 bytes)');
  for (const channel of channels)
    if (!isChannelName(channel)) throw invalid(`Channel name is not valid: ${JSON.stringify(channel)}`);
  const kept = rowsOf(context, 'events');
  for (const channel of channels) {
    publish(context, channel, { event: name, data }, { except });
    remember(context, channel, { event: name, data });
    kept.create({ name, channel, data });
  }
  for (const { id } of kept.values()) {
    if (kept.size <= MAX_KEPT) break;
    kept.remove(String(id));
  }
}

function bodyOf({ body }) {
  if (typeof body !== 'object' || body === null) throw invalid('Body must be a JSON object');
  return body;
}

/** What is told of a channel: which of it, `info` says. */
function infoOf(context, name, info) {
  const channel = channelOf(context, name);
  const wanted = new Set(
    String(info ?? '')
      .split(',')
      .filter((each) => each !== ''),
  );
  for (const each of wanted)
    if (each !== 'user_count' && each !== 'subscription_count' && each !== 'cache')
      throw invalid(`Unknown info attribute: ${each}`);
  if (wanted.has('user_count') && !isPresence(name))
    throw invalid(
      'user_count may only be requested for presence channels - please supply filter_by_prefix begining with presence-',
    );
  return {
    ...(wanted.has('user_count') ? { user_count: channel === undefined ? 0 : peopleOf(channel).size } : {}),
    ...(wanted.has('subscription_count') ? { subscription_count: channel?.members.length ?? 0 } : {}),
    ...(wanted.has('cache') && channel?.last ? { cache: { data: channel.last.data } } : {}),
  };
}

export const trigger = operation((request, context) => {
  const { channel, channels = channel === undefined ? [] : [channel], info, ...event } = bodyOf(request);
  if (!Array.isArray(channels) || channels.length === 0 || channels.length > MAX_CHANNELS)
    throw invalid(`There must be 1 to ${MAX_CHANNELS} channels`);
  send(context, { ...event, channels });
  if (info === undefined) return {};
  return { channels: Object.fromEntries(channels.map((name) => [name, infoOf(context, name, info)])) };
});

export const triggerBatch = operation((request, context) => {
  const { batch } = bodyOf(request);
  if (!Array.isArray(batch) || batch.length > MAX_BATCH)
    throw invalid(`Batch too large (> ${MAX_BATCH}), or no list`);
  for (const { channel, ...event } of batch) send(context, { ...event, channels: [channel] });
  if (!batch.some(({ info }) => info !== undefined)) return {};
  return { batch: batch.map(({ channel, info }) => infoOf(context, channel, info)) };
});

export const listChannels = operation(({ query }, context) => {
  const { filter_by_prefix: prefix = '', info } = query;
  if (String(info ?? '').includes('user_count') && !String(prefix).startsWith('presence-'))
    throw invalid(
      'user_count may only be requested for presence channels - please supply filter_by_prefix begining with presence-',
    );
  const found = [];
  for (const { name, members } of rowsOf(context, 'channels').values())
    if (members.length > 0 && name.startsWith(prefix)) found.push([name, infoOf(context, name, info)]);
  return { channels: Object.fromEntries(found) };
});

export const getChannel = operation(({ params, query }, context) => {
  const { name } = params;
  if (!isChannelName(name)) throw invalid(`Channel name is not valid: ${JSON.stringify(name)}`);
  return {
    occupied: (channelOf(context, name)?.members.length ?? 0) > 0,
    ...infoOf(context, name, query.info),
  };
});

export const listUsers = operation(({ params: { name } }, context) => {
  if (!isPresence(name)) throw invalid('Users can only be retrieved for presence channels');
  const channel = channelOf(context, name);
  return { users: channel === undefined ? [] : [...peopleOf(channel).keys()].map((id) => ({ id })) };
});
