import { APP, find, rowsOf, SlackError, TEAM } from './api.mjs';
import { channelOf } from './channels.mjs';
import { makeResponseUrl } from './chat.mjs';
import { call, makeTrigger, tell } from './events.mjs';
import { shownMessage } from './messages.mjs';

/** Makes the function of a path by which a test does what a person, or Slack itself, would do. */
function simulation(act) {
  return (request, context) => {
    const { body } = request;
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      return { status: 400, json: { ok: false, error: 'the body must be a JSON object' } };
    try {
      return { json: { ok: true, ...act(body, context, request) } };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return { status: 400, json: { ok: false, error: error.error } };
    }
  };
}

/** An event, sent to those who have subscribed to it. */
export const event = simulation((body, context) => {
  if (typeof body.type !== 'string') throw new SlackError('the body must be an event with a "type"');
  return { sent: tell(context, body) };
});

/** A slash command. */
export const command = simulation(
  ({ command: name, text = '', user = 'U0ANN', channel: where = 'C0GENERAL' }, context, request) => {
    if (typeof name !== 'string' || !name.startsWith('/'))
      throw new SlackError('"command" must be such as "/deploy"');
    const channel = channelOf(context, where);
    const person = find(context, 'users', user, 'user_not_found');
    const trigger = makeTrigger(context);
    const fields = {
      token: 'backlot',
      team_id: TEAM,
      team_domain: 'backlot',
      channel_id: channel.id,
      channel_name: channel.name ?? 'directmessage',
      user_id: user,
      user_name: person.name,
      command: name,
      text: String(text),
      api_app_id: APP,
      is_enterprise_install: 'false',
      response_url: makeResponseUrl(context, request, { channel: channel.id, user }),
      trigger_id: trigger,
    };
    return { sent: call(context, 'slash_commands', fields, fields), trigger_id: trigger };
  },
);

/** Something done with a message or a view: `{type: block_actions, actions, ...}`, `{type: view_submission, view_id, values}` ... */
export const interaction = simulation(
  ({ user = 'U0ANN', view_id: viewId, values, channel, message_ts: ts, ...given }, context, request) => {
    if (typeof given.type !== 'string') throw new SlackError('the body must be an interaction with a "type"');
    const person = find(context, 'users', user, 'user_not_found');
    const trigger = makeTrigger(context);
    const base = {
      token: 'backlot',
      api_app_id: APP,
      team: { id: TEAM, domain: 'backlot' },
      user: { id: user, username: person.name, name: person.name, team_id: TEAM },
      trigger_id: trigger,
      is_enterprise_install: false,
      enterprise: null,
    };
    const view = viewId === undefined ? undefined : find(context, 'views', viewId, 'there is no such view');
    const shown =
      view === undefined ? {} : { view: { ...view, state: { values: values ?? view.state.values } } };
    const place = channel === undefined ? {} : placeOf(context, request, channel, ts, user);
    const payload = { ...base, ...place, ...shown, ...given };
    const isOver = given.type === 'view_submission' || given.type === 'view_closed';
    if (isOver && view !== undefined) rowsOf(context, 'views').remove(view.id);
    return {
      sent: call(context, 'interactive', payload, { payload: JSON.stringify(payload) }),
      trigger_id: trigger,
    };
  },
);

function placeOf(context, request, id, ts, user) {
  const channel = channelOf(context, id);
  const response_url = makeResponseUrl(context, request, {
    channel: channel.id,
    user,
    ...(ts === undefined ? {} : { message_ts: ts }),
  });
  const here = { channel: { id: channel.id, name: channel.name ?? 'directmessage' }, response_url };
  if (ts === undefined) return here;
  const message = find(context, 'messages', `${channel.id}:${ts}`, 'message_not_found');
  return {
    ...here,
    message: shownMessage(message),
    container: { type: 'message', message_ts: ts, channel_id: channel.id, is_ephemeral: false },
  };
}
