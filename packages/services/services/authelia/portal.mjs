import { escapeHtml, hidden, page, problem, redirect } from '../../identity/index.mjs';
import { decide, policyFor } from './rules.mjs';
import {
  checkPassword,
  endSession,
  LEVELS,
  optionsOf,
  raiseSession,
  sessionOf,
  startSession,
} from './sessions.mjs';
import { isCode } from './totp.mjs';

function ok(data, headers = {}) {
  return { status: 200, headers, json: { status: 'OK', ...(data === undefined ? {} : { data }) } };
}

function ko(status, message) {
  return { status, json: { status: 'KO', message } };
}

const WRONG = 'Authentication failed. Check your credentials.';

export const health = () => ({ json: { status: 'OK' } });

export const configuration = () =>
  ok({ available_methods: ['totp'], password_change_disabled: true, password_reset_disabled: true });

export function state(request, context) {
  const { user, level } = sessionOf(request, context);
  return ok({ username: user?.username ?? '', authentication_level: level, default_redirection_url: '' });
}

export function userInfo(request, context) {
  const { user } = sessionOf(request, context);
  if (user === undefined) return ko(401, 'Authentication is required.');
  return ok({
    display_name: user.displayname ?? user.username,
    emails: user.emails ?? [],
    groups: user.groups ?? [],
    method: 'totp',
    has_totp: user.totp_secret !== undefined,
    has_webauthn: false,
    has_duo: false,
  });
}

/** Whether the portal may lead there: below the domain of the cookie, or to its own host. */
function isSafe({ host }, context, address) {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { hostname, protocol } = new URL(address);
  const { cookie_domain: domain } = optionsOf(context);
  if (!['http:', 'https:'].includes(protocol)) return false;
  if (domain === '') return hostname === host.replace(/:\d+$/, '');
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/** Where a login leads: what was asked for, when it is safe and the level is enough. */
function nextOf(request, context, { targetURL, requestMethod = 'GET' }, session) {
  if (!isSafe(request, context, targetURL)) return undefined;
  const policy = policyFor(context, { url: new URL(targetURL), method: requestMethod }, session.user);
  return decide(policy, session) === 'allowed' ? { redirect: targetURL } : undefined;
}

function fieldsOf({ body }) {
  return typeof body === 'object' && body !== null ? body : {};
}

export function firstFactor(request, context) {
  const fields = fieldsOf(request);
  const user = checkPassword(context, fields.username, fields.password);
  if (user === undefined) return ko(401, WRONG);
  const headers = startSession(context, user, fields.keepMeLoggedIn === true);
  return ok(nextOf(request, context, fields, { user, level: LEVELS.one_factor }), headers);
}

export function secondFactor(request, context) {
  const { user, id } = sessionOf(request, context);
  if (user === undefined) return ko(401, 'Authentication is required.');
  const fields = fieldsOf(request);
  if (!provesCode(context, user, fields.token)) return ko(403, 'Authentication failed, please retry later.');
  raiseSession(context, id);
  return ok(nextOf(request, context, fields, { user, level: LEVELS.two_factor }));
}

function provesCode({ clock }, { totp_secret: secret }, code) {
  return secret !== undefined && isCode(secret, String(code ?? ''), clock.now());
}

export function logout(request, context) {
  const { targetURL } = fieldsOf(request);
  const headers = endSession(context, sessionOf(request, context).id);
  return ok(
    targetURL === undefined ? undefined : { safeTargetURL: isSafe(request, context, targetURL) },
    headers,
  );
}

export function safeRedirection(request, context) {
  return ok({ ok: isSafe(request, context, fieldsOf(request).uri) });
}

const FIELDS = [
  ['username', 'username-textfield', 'Username', 'text'],
  ['password', 'password-textfield', 'Password', 'password'],
];
const CODE = [['token', 'otp-input', 'One-time password', 'text']];

function form(title, fields, { rd, rm }, wrong) {
  const inputs = fields.map(
    ([name, id, label, type]) =>
      `<label for="${id}">${label}</label><input id="${id}" name="${name}" type="${type}" autocomplete="off">`,
  );
  const target = hidden({ ...(rd === undefined ? {} : { rd }), ...(rm === undefined ? {} : { rm }) });
  return page(
    title,
    `${problem(wrong)}<form method="post" action="/authelia/">${target}${inputs.join('')}` +
      `<button id="sign-in-button" type="submit">${escapeHtml(title)}</button></form>`,
    { status: wrong === undefined ? 200 : 401 },
  );
}

/** The page to log in, as far as what was asked for needs it. */
export function portal(request, context) {
  const { rd, rm } = request.query;
  return next(request, context, { session: sessionOf(request, context), rd, rm, headers: {} });
}

/** A form of that page. */
export function submit(request, context) {
  const { form: { username, password, token, rd, rm } = {} } = request;
  let session = sessionOf(request, context);
  let headers = {};
  if (token !== undefined && session.user !== undefined) {
    if (!provesCode(context, session.user, token))
      return form('Second factor', CODE, { rd, rm }, 'The one-time password is wrong.');
    raiseSession(context, session.id);
    session = { ...session, level: LEVELS.two_factor };
  } else {
    const user = checkPassword(context, username, password);
    if (user === undefined) return form('Sign in', FIELDS, { rd, rm }, 'Incorrect username or password.');
    headers = startSession(context, user, false);
    session = { user, level: LEVELS.one_factor };
  }
  return next(request, context, { session, rd, rm, headers });
}

function next(request, context, { session, rd, rm, headers }) {
  if (session.user === undefined) return form('Sign in', FIELDS, { rd, rm });
  const target = { targetURL: rd, requestMethod: rm };
  if (rd === undefined || !isSafe(request, context, rd))
    return page('Authenticated', `<p>You are ${escapeHtml(session.user.username)}.</p>`, { headers });
  if (nextOf(request, context, target, session) !== undefined)
    return redirect(rd, { method: request.method, headers });
  if (session.level >= LEVELS.two_factor || session.user.totp_secret === undefined)
    return page('Forbidden', problem('You may not go there.'), { status: 403, headers });
  const asking = form('Second factor', CODE, { rd, rm });
  return { ...asking, headers: { ...asking.headers, ...headers } };
}
