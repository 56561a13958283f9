import { escapeHtml, hidden, page, problem } from './answers.mjs';
import { isSame } from './clients.mjs';

/** The login that the browser has already, by its cookie. */
export function sessionOf(provider) {
  const { settings, request } = provider;
  const row = provider.find('sessions', request.cookies?.[cookieName(provider)]);
  const user = row === undefined ? undefined : settings.directory.userById(provider, row.sub);
  return user?.enabled === true ? { ...row, user } : undefined;
}

function cookieName({ settings, realm }) {
  return realm === undefined ? `${settings.name}_session` : `${settings.name}_session_${realm}`;
}

/** Begins a session. @returns the session, and the header that gives the browser its cookie */
export function startSession(provider, user) {
  const { now, options } = provider;
  const row = provider.add('sessions', {
    sub: user.sub,
    auth_time: now,
    expires: now + options.session_seconds,
  });
  return { session: { ...row, user }, headers: cookie(provider, row.id, options.session_seconds) };
}

/** Ends a session: its tokens are revoked. @returns the header that takes the cookie away */
export function endSession(provider, id) {
  if (id !== undefined) {
    provider.remove('sessions', id);
    provider.revoke('session', id);
  }
  return cookie(provider, '', 0);
}

function cookie(provider, value, seconds) {
  const { path } = provider.settings;
  return {
    'Set-Cookie': `${cookieName(provider)}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`,
  };
}

/** The user that a form of the login page proves, or what is wrong. */
export function checkLogin(provider, params) {
  const user = provider.settings.directory.user(provider, params.get('username') ?? '');
  if (user === undefined || !isSame(params.get('password') ?? '', user.password))
    return { problem: provider.settings.wrongPassword ?? 'The name or the password is wrong.' };
  if (!user.enabled) return { problem: 'The account is disabled.' };
  return { user };
}

/** The user who is logged in without a page: whom `auto_login` names, or with `hint` the `login_hint` of the application. */
export function autoLogin(provider, hint) {
  const { options, settings } = provider;
  const { auto_login: wanted } = options;
  const name = wanted === 'hint' ? hint : wanted === 'never' ? undefined : wanted;
  const user = typeof name === 'string' ? settings.directory.user(provider, name) : undefined;
  return user?.enabled === true ? user : undefined;
}

/** The page that asks who somebody is. */
export function loginPage(provider, action, { username = '', wrong, fields = {} } = {}) {
  const { submit = 'login', form = 'login-form', title = 'Log in' } = provider.settings.page ?? {};
  return page(
    title,
    `${problem(wrong)}<form id="${form}" method="post" action="${escapeHtml(action)}">${hidden(fields)}` +
      `<label for="username">User name</label>` +
      `<input id="username" name="username" autocomplete="username" autofocus value="${escapeHtml(username)}">` +
      `<label for="password">Password</label>` +
      `<input id="password" name="password" type="password" autocomplete="current-password">` +
      `<button id="${submit}" type="submit">${escapeHtml(title)}</button></form>`,
    { status: wrong === undefined ? 200 : 401 },
  );
}

/** The page that asks whether an application may have what it asks for. */
export function consentPage(action, { client, user, scopes, fields = {} }, headers) {
  const list = scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('');
  return page(
    `Allow ${client.name}?`,
    `<p>${escapeHtml(user.username)}, ${escapeHtml(client.name)} asks for:</p><ul>${list}</ul>` +
      `<form method="post" action="${escapeHtml(action)}">${hidden(fields)}` +
      `<button id="allow" name="consent" value="allow">Allow</button>` +
      `<button id="deny" name="consent" value="deny">Deny</button></form>`,
    { headers },
  );
}
