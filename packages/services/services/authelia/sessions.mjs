import { isSame } from '../../identity/index.mjs';

/** Sessions that are kept; the oldest go. */
const MAX_SESSIONS = 10_000;
const COOKIE = 'authelia_session';
/** What is asked of whom, by the level that a session has. */
export const LEVELS = { anonymous: 0, one_factor: 1, two_factor: 2 };

const DEFAULTS = {
  cookie_domain: '',
  default_policy: 'one_factor',
  session_seconds: 3600,
  remember_me_seconds: 2_592_000,
};

/** The settings of the service, as its `vars` have them. */
export function optionsOf({ vars }) {
  return { ...DEFAULTS, ...vars.authelia };
}

function now({ clock }) {
  return Math.floor(clock.now() / 1000);
}

/** The user of a request by the cookie, with the level that the session has; without one of the level 0. */
export function sessionOf({ cookies }, context) {
  const rows = context.collection('authelia:sessions');
  const id = cookies?.[COOKIE];
  const row = id !== undefined && rows.has(id) ? rows.get(id) : undefined;
  const user = row === undefined || row.expires <= now(context) ? undefined : userOf(context, row.username);
  return user === undefined ? { level: LEVELS.anonymous } : { id, user, level: row.level };
}

/** A user who may log in. */
export function userOf({ collection }, username) {
  const rows = collection('authelia:users');
  const row = typeof username === 'string' && rows.has(username) ? rows.get(username) : undefined;
  return row === undefined || row.disabled === true ? undefined : row;
}

/** The user whom a name and a password prove. */
export function checkPassword(context, username, password) {
  const user = userOf(context, username);
  return user !== undefined && isSame(password, user.password) ? user : undefined;
}

/** Begins a session of the first level. @returns the header with its cookie */
export function startSession(context, user, isRemembered) {
  const { session_seconds: short, remember_me_seconds: long } = optionsOf(context);
  const seconds = isRemembered ? long : short;
  const rows = context.collection('authelia:sessions');
  if (rows.size >= MAX_SESSIONS) {
    for (const { id } of rows.values()) {
      rows.remove(id);
      break;
    }
  }
  let id;
  do id = context.random.string(32);
  while (rows.has(id));
  rows.create({ id, username: user.username, level: LEVELS.one_factor, expires: now(context) + seconds });
  return cookie(context, id, seconds);
}

/** Raises a session to the second level. */
export function raiseSession({ collection }, id) {
  collection('authelia:sessions').update(id, { level: LEVELS.two_factor });
}

/** Ends a session. @returns the header that takes the cookie away */
export function endSession(context, id) {
  if (id !== undefined) context.collection('authelia:sessions').remove(id);
  return cookie(context, '', 0);
}

function cookie(context, value, seconds) {
  const { cookie_domain: domain } = optionsOf(context);
  const of = domain === '' ? '' : `; Domain=${domain}`;
  return { 'Set-Cookie': `${COOKIE}=${value}${of}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax` };
}
