import { APP, BOT, find, idsOf, jsonOf, operation, page, rowsOf, SlackError, TEAM } from './api.mjs';
import { tell } from './events.mjs';

const TEAM_NAME = 'Backlot';

function shownUser({ presence: _, ...user }) {
  return { team_id: TEAM, ...user };
}

export const apiTest = operation(
  ({ args }) => {
    const { token: _, ...shown } = args;
    if (args.error !== undefined) throw new SlackError(String(args.error), { args: shown });
    return { args: shown };
  },
  { token: 'none' },
);

export const authTest = operation(({ me, context }) => {
  const { name } = find(context, 'users', me.user, 'invalid_auth');
  const bot = me.bot === undefined ? {} : { bot_id: me.bot };
  return {
    url: 'https://backlot.slack.com/',
    team: TEAM_NAME,
    user: name,
    team_id: TEAM,
    user_id: me.user,
    ...bot,
    is_enterprise_install: false,
  };
});

export const teamInfo = operation(() => ({
  team: { id: TEAM, name: TEAM_NAME, domain: 'backlot', email_domain: '', icon: {} },
}));

export const botInfo = operation(({ args }) => {
  if (args.bot !== undefined && args.bot !== BOT) throw new SlackError('bot_not_found');
  return { bot: { id: BOT, deleted: false, name: 'backlot', app_id: APP, user_id: 'U0BACKLOT', icons: {} } };
});

/** The exchange of a code for tokens, at the end of an installation. */
export const oauthAccess = operation(
  ({ args, context }) => {
    if (args.client_id === undefined) throw new SlackError('invalid_client_id');
    if (args.code === undefined || String(args.code).includes('invalid'))
      throw new SlackError('invalid_code');
    return {
      access_token: 'xoxb-backlot',
      token_type: 'bot',
      scope: context.vars.slack.scopes,
      bot_user_id: 'U0BACKLOT',
      app_id: APP,
      team: { id: TEAM, name: TEAM_NAME },
      enterprise: null,
      is_enterprise_install: false,
      authed_user: { id: 'U0ANN' },
    };
  },
  { token: 'none' },
);

export const listUsers = operation(({ args, context }) => ({
  ...page(rowsOf(context, 'users').list().map(shownUser), args, 'members'),
  cache_ts: Math.floor(context.clock.now() / 1000),
}));

export const userInfo = operation(
  ({ args, context }) => ({ user: shownUser(find(context, 'users', args.user, 'user_not_found')) }),
  { needs: ['user'] },
);

export const lookupByEmail = operation(
  ({ args, context }) => {
    const wanted = String(args.email).toLowerCase();
    const user = rowsOf(context, 'users')
      .list()
      .find(({ profile }) => String(profile?.email ?? '').toLowerCase() === wanted);
    if (user === undefined) throw new SlackError('users_not_found');
    return { user: shownUser(user) };
  },
  { needs: ['email'] },
);

export const userConversations = operation(({ args, me, context }) => {
  const user = args.user ?? me.user;
  find(context, 'users', user, 'user_not_found');
  const types = idsOf(args.types ?? 'public_channel');
  const own = rowsOf(context, 'channels')
    .list()
    .filter((channel) => channel.members.includes(user) && types.includes(typeOf(channel)));
  return page(
    own.map(({ members: _, ...channel }) => channel),
    args,
    'channels',
  );
});

/** Of which type a channel is, as `types` of a call names it. */
export function typeOf({ is_im: isDirect, is_mpim: isGroup, is_private: isPrivate }) {
  if (isDirect) return 'im';
  if (isGroup) return 'mpim';
  return isPrivate ? 'private_channel' : 'public_channel';
}

export const getProfile = operation(({ args, me, context }) => ({
  profile: find(context, 'users', args.user ?? me.user, 'user_not_found').profile,
}));

export const setProfile = operation(({ args, me, context }) => {
  const { profile } = find(context, 'users', args.user ?? me.user, 'user_not_found');
  const given = args.name === undefined ? jsonOf(args, 'profile') : { [args.name]: args.value };
  if (typeof given !== 'object' || given === null) throw new SlackError('invalid_profile');
  const user = rowsOf(context, 'users').update(args.user ?? me.user, { profile: { ...profile, ...given } });
  tell(context, { type: 'user_change', user: shownUser(user) });
  return { username: user.name, profile: user.profile };
});

export const getPresence = operation(({ args, me, context }) => {
  const { presence = 'active' } = find(context, 'users', args.user ?? me.user, 'user_not_found');
  return { presence, online: presence === 'active' };
});

export const setPresence = operation(
  ({ args, me, context }) => {
    if (!['auto', 'away'].includes(args.presence)) throw new SlackError('invalid_presence');
    find(context, 'users', me.user, 'user_not_found');
    rowsOf(context, 'users').update(me.user, { presence: args.presence === 'away' ? 'away' : 'active' });
    return {};
  },
  { needs: ['presence'] },
);
