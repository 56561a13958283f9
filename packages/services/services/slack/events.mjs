import { createHash } from 'node:crypto';
import { APP, BOT_USER, newId, rowsOf, secondsOf, SlackError, TEAM } from './api.mjs';

const SOCKET = 'websocket/slack:socket';
/** What types of messages are called in subscriptions, by the type of the channel. */
const MESSAGE_EVENTS = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
};

/** Sends an event to the apps that have subscribed to it: to their urls, and into one connection of Socket Mode. */
export function tell(context, event, teamEvent = {}) {
  const payload = {
    token: 'backlot',
    team_id: TEAM,
    api_app_id: APP,
    event: { ...event, event_ts: event.event_ts ?? event.ts ?? `${secondsOf(context)}.000000` },
    type: 'event_callback',
    event_id: newId(context, 'Ev'),
    event_time: secondsOf(context),
    authorizations: [
      { enterprise_id: null, team_id: TEAM, user_id: BOT_USER, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
    ...teamEvent,
  };
  const names = ['*', event.type, MESSAGE_EVENTS[event.type === 'message' ? event.channel_type : '']];
  let count = 0;
  for (const subscription of rowsOf(context, 'subscriptions').list()) {
    if (!subscription.events.some((name) => names.includes(name))) continue;
    post(context, subscription, 'application/json', JSON.stringify(payload));
    count += 1;
  }
  return count + intoSocket(context, 'events_api', payload, false);
}

/** Sends what a person has done, such as a command: as a form to all urls, and into one connection of Socket Mode. */
export function call(context, type, fields, form) {
  let count = 0;
  for (const subscription of rowsOf(context, 'subscriptions').list()) {
    post(context, subscription, 'application/x-www-form-urlencoded', new URLSearchParams(form).toString());
    count += 1;
  }
  return count + intoSocket(context, type, fields, true);
}

function post(context, { url, secret }, type, body) {
  context.webhook({
    url,
    headers: { 'Content-Type': type, 'User-Agent': 'Slackbot 1.0 (+https://api.slack.com/robots)' },
    body,
    sign: { scheme: 'slack', secret: secret ?? context.vars.slack.signing_secret },
    retries: 3,
  });
}

/** One connection gets it, each in turn, as with Slack. */
function intoSocket(context, type, payload, canAnswer) {
  const open = context.streams(SOCKET);
  if (open.length === 0) return 0;
  const turn = Number(context.state.get('slack:turn') ?? 0);
  context.state.set('slack:turn', String(turn + 1));
  const id = context.random.uuid();
  rowsOf(context, 'envelopes').create({ id, type, payload, acknowledged: false, answer: null });
  const retry = type === 'events_api' ? { retry_attempt: 0, retry_reason: '' } : {};
  const json = { envelope_id: id, type, payload, accepts_response_payload: canAnswer, ...retry };
  context.push(`websocket/${open[turn % open.length]}`, { json });
  return 1;
}

/** A trigger, with which an app may open one view. */
export function makeTrigger(context) {
  const digest = createHash('md5').update(context.random.string(20)).digest('hex');
  return rowsOf(context, 'triggers').create({
    id: `${secondsOf(context)}.${context.random.int(100_000, 999_999)}.${digest}`,
    made: context.clock.now(),
    used: false,
  }).id;
}

/** Spends a trigger. @throws SlackError for one that is not there, was used, or is older than three seconds */
export function useTrigger(context, id) {
  const rows = rowsOf(context, 'triggers');
  if (typeof id !== 'string' || !rows.has(id)) throw new SlackError('invalid_trigger_id');
  const { made, used } = rows.get(id);
  if (used) throw new SlackError('exchanged_trigger_id');
  if (context.clock.now() - made > 3000) throw new SlackError('expired_trigger_id');
  rows.update(id, { used: true });
}
