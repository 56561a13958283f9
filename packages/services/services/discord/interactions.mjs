import { BOT, DiscordError, find, invalidForm, operation, rowsOf, unknown } from './api.mjs';
import { edit, messageOf, post } from './messages.mjs';
import { shownUser } from './people.mjs';

const LIFETIME = 15 * 60_000;
const IN_TIME = 3000;

/** The interaction with a token. @throws DiscordError 404 */
function byToken(context, token) {
  for (const row of rowsOf(context, 'interactions').values())
    if (row.token === token && context.clock.now() < row.made + LIFETIME) return row;
  throw unknown('webhook');
}

/** Where what follows an interaction goes. */
export function followUp(context, token) {
  const row = byToken(context, token);
  return {
    channel: find(context, 'channels', row.channel, 'channel'),
    original: row.message,
    by: {
      user_id: BOT,
      webhook_id: BOT,
      application_id: BOT,
      interaction_metadata: {
        id: row.id,
        type: row.type,
        user: shownUser(find(context, 'users', row.user, 'user')),
        authorizing_integration_owners: {},
      },
    },
  };
}

/** The first answer to an interaction, which must come within three seconds of the virtual clock. */
export const answer = operation(
  (call) => {
    const { context, params, body, query } = call;
    const row = find(context, 'interactions', params.interaction, 'interaction');
    if (row.token !== params.token || context.clock.now() > row.made + IN_TIME) throw unknown('interaction');
    if (row.answer !== null)
      throw new DiscordError(400, 40_060, 'Interaction has already been acknowledged.');
    const { type, data = {} } = body;
    if (![1, 4, 5, 6, 7, 8, 9, 12].includes(type))
      throw invalidForm([['type', 'BASE_TYPE_CHOICES', 'Value must be one of {1, 4, 5, 6, 7, 8, 9, 12}.']]);
    const { channel, by } = followUp(context, row.token);
    let message = row.message;
    if (type === 4) message = post({ ...call, body: data }, channel, by).id;
    // A deferred answer is a message that shows that more will come.
    if (type === 5)
      message = post(
        { ...call, body: { content: '\u200b', flags: (data.flags ?? 0) | 128 } },
        channel,
        by,
      ).id;
    if (type === 7) edit(context, messageOf(context, channel.id, row.message), data);
    rowsOf(context, 'interactions').update(row.id, { answer: body, message });
    if (query.with_response !== 'true') return { status: 204 };
    const interaction = {
      id: row.id,
      type: row.type,
      response_message_id: message,
      response_message_loading: type === 5,
    };
    return { json: { interaction } };
  },
  { isOpen: true },
);
