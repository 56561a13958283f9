import { data, escapeHtml, page, problem } from './answers.mjs';
import { authenticate } from './clients.mjs';
import { OAuthError } from './errors.mjs';
import { checkLogin, consentPage, loginPage, sessionOf, startSession } from './login.mjs';
import { paramsOf, scopesOf, wordsOf } from './params.mjs';

/** The letters of a code that people type: none looks like another, and none makes a word. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** The device authorization endpoint (RFC 8628, section 3.1). */
export function startDevice(provider) {
  const params = paramsOf({ form: provider.request.form });
  const client = authenticate(provider, params);
  if (!client.grants.some((grant) => grant.endsWith(':device_code')))
    throw new OAuthError('unauthorized_client', `The client "${client.id}" may not use the device flow.`);
  const { device_code_seconds: seconds, device_interval_seconds: interval } = provider.options;
  const userCode = typedCode(provider);
  const { id } = provider.add('devices', {
    user_code: userCode,
    client: client.id,
    scope: scopesOf(client, params).join(' '),
    status: 'pending',
    interval,
    expires: provider.now + seconds,
  });
  const uri = provider.url('device_page');
  return data({
    device_code: id,
    user_code: userCode,
    verification_uri: uri,
    verification_uri_complete: `${uri}?user_code=${userCode}`,
    expires_in: seconds,
    interval,
  });
}

function typedCode({ context: { random } }) {
  const four = () => Array.from({ length: 4 }, () => random.pick([...LETTERS])).join('');
  return `${four()}-${four()}`;
}

/**
 * The row of a device whose user has said yes; the code is good for one exchange.
 *
 * @throws OAuthError what RFC 8628, section 3.5, says otherwise
 */
export function pollDevice(provider, client, code) {
  const rows = provider.rows('devices');
  const row = rows.has(code) ? rows.get(code) : undefined;
  if (row === undefined || row.client !== client.id || row.realm !== provider.realm)
    throw new OAuthError('invalid_grant', 'The device_code was never given to this client, or is used up.');
  if (row.expires <= provider.now) throw new OAuthError('expired_token', 'The device_code has expired.');
  if (row.status === 'pending') {
    const isEarly = row.polled !== undefined && provider.now < row.polled + row.interval;
    rows.update(code, { polled: provider.now, interval: isEarly ? row.interval + 5 : row.interval });
    if (isEarly) throw new OAuthError('slow_down', `Wait ${row.interval + 5} seconds from now on.`);
    throw new OAuthError('authorization_pending', 'The user has not answered yet.');
  }
  rows.remove(code);
  if (row.status === 'denied') throw new OAuthError('access_denied', 'The user has denied the request.');
  return row;
}

/** The page where people type the code of a device, log in and allow it. */
export function devicePage(provider) {
  const params = paramsOf(provider.request);
  const action = provider.url('device_page');
  const typed = params.get('user_code')?.toUpperCase().trim();
  if (typed === undefined) return codePage(action);
  const row = [...provider.rows('devices').values()].find(
    ({ user_code: code, status, expires, realm }) =>
      code.replace('-', '') === typed.replace('-', '') &&
      status === 'pending' &&
      expires > provider.now &&
      realm === provider.realm,
  );
  if (row === undefined) return codePage(action, 'This code has expired, or was never given.');
  const fields = { user_code: row.user_code };
  let session = sessionOf(provider);
  let headers = {};
  if (params.has('username')) {
    const { user, problem: wrong } = checkLogin(provider, params);
    if (user === undefined)
      return loginPage(provider, action, { username: params.get('username'), wrong, fields });
    ({ session, headers } = startSession(provider, user));
  }
  if (session === undefined) return loginPage(provider, action, { fields });
  const client = provider.settings.directory.client(provider, row.client);
  const answer = provider.request.method === 'POST' ? params.get('consent') : undefined;
  if (answer === undefined)
    return consentPage(action, { client, user: session.user, scopes: wordsOf(row.scope), fields }, headers);
  const isAllowed = answer === 'allow';
  provider.rows('devices').update(row.id, {
    status: isAllowed ? 'allowed' : 'denied',
    sub: session.sub,
    session: session.id,
    auth_time: session.auth_time,
  });
  return page(isAllowed ? 'Your device is logged in' : 'Denied', '<p>You may close this window.</p>');
}

function codePage(action, wrong) {
  return page(
    'Connect a device',
    `${problem(wrong)}<form method="post" action="${escapeHtml(action)}">` +
      `<label for="user_code">Code that your device shows</label>` +
      `<input id="user_code" name="user_code" autofocus autocomplete="off">` +
      `<button id="continue" type="submit">Continue</button></form>`,
    { status: wrong === undefined ? 200 : 400 },
  );
}
