import { BOT, find, invalidForm, operation, originOf, rowsOf, snowflake } from './api.mjs';
import { shownChannel } from './channels.mjs';
import { publicKeyOf, sendSigned } from './sign.mjs';

/** Whose application it is. */
const OWNER = '100000000000000001';

export const shownUser = (row) => row;

export const gatewayUrl = operation(
  ({ request }) => ({ json: { url: `${originOf(request, 'ws')}/gateway` } }),
  {
    isOpen: true,
  },
);

export const gatewayBot = operation(({ request }) => ({
  json: {
    url: `${originOf(request, 'ws')}/gateway`,
    shards: 1,
    session_start_limit: { total: 1000, remaining: 999, reset_after: 86_400_000, max_concurrency: 1 },
  },
}));

export const me = operation(({ context }) => ({ json: shownUser(find(context, 'users', BOT, 'user')) }));

export const updateMe = operation(({ context, body }) => {
  const { username } = body;
  if (typeof username !== 'string' || username.length < 2 || username.length > 32)
    throw invalidForm([['username', 'BASE_TYPE_BAD_LENGTH', 'Must be between 2 and 32 in length.']]);
  return { json: shownUser(rowsOf(context, 'users').update(BOT, { username })) };
});

export const getUser = operation(({ context, params }) => ({
  json: shownUser(find(context, 'users', params.user, 'user')),
}));

export const myGuilds = operation(({ context }) => ({
  json: rowsOf(context, 'guilds')
    .list()
    .map(({ id, name, icon, features, owner_id: owner }) => ({
      id,
      name,
      icon,
      features,
      owner: owner === BOT,
      permissions: '1071698660929',
    })),
}));

/** The channel with one person, which is made when it is first asked for. */
export const openDirect = operation(({ context, body }) => {
  const user = find(context, 'users', body.recipient_id, 'user');
  const rows = rowsOf(context, 'channels');
  for (const row of rows.values())
    if (row.type === 1 && row.recipient === user.id) return { json: shownDirect(context, row) };
  return { json: shownDirect(context, rows.create({ id: snowflake(context), type: 1, recipient: user.id })) };
});

function shownDirect(context, row) {
  const { recipient, ...channel } = shownChannel(row);
  return { ...channel, recipients: [shownUser(rowsOf(context, 'users').get(recipient))] };
}

const shownApplication = (context) => ({
  icon: null,
  bot_public: true,
  bot_require_code_grant: false,
  verify_key: publicKeyOf(context.vars.discord.seed),
  owner: shownUser(find(context, 'users', OWNER, 'user')),
  team: null,
  flags: 0,
  bot: shownUser(find(context, 'users', BOT, 'user')),
  ...find(context, 'applications', BOT, 'application'),
});

export const application = operation(({ context }) => ({ json: shownApplication(context) }));

export const updateApplication = operation(({ context, body }) => {
  const { interactions_endpoint_url: url, description } = body;
  if (url !== undefined && url !== null && !/^https?:\/\/./.test(String(url)))
    throw invalidForm([['interactions_endpoint_url', 'URL_TYPE_INVALID_URL', 'Not a well formed URL.']]);
  const given = Object.entries({ interactions_endpoint_url: url, description }).filter(
    ([, value]) => value !== undefined,
  );
  rowsOf(context, 'applications').replace(BOT, {
    ...find(context, 'applications', BOT, 'application'),
    ...Object.fromEntries(given),
  });
  if (typeof url === 'string')
    sendSigned(context, url, {
      id: snowflake(context),
      application_id: BOT,
      type: 1,
      token: context.random.string(80),
      version: 1,
    });
  return { json: shownApplication(context) };
});
