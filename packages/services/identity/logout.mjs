import { escapeHtml, hidden, page, redirect } from './answers.mjs';
import { isRegistered } from './clients.mjs';
import { PageError } from './errors.mjs';
import { endSession, sessionOf } from './login.mjs';
import { paramsOf } from './params.mjs';
import { verifiedClaims } from './tokens.mjs';

/** The end of a session that the application wants (OpenID Connect RP-Initiated Logout 1.0). */
export function logout(provider) {
  const params = paramsOf(provider.request);
  const hint = hintOf(provider, params.get('id_token_hint'));
  const id = params.get('client_id') ?? hint?.azp ?? hint?.aud;
  if (hint !== undefined && id !== (hint.azp ?? hint.aud))
    throw new PageError(`The id_token_hint was given to another client than "${id}".`);
  const client = id === undefined ? undefined : provider.settings.directory.client(provider, id);
  const uri = params.get('post_logout_redirect_uri');
  if (uri !== undefined && (client === undefined || !isRegistered(client.logoutRedirects, uri)))
    throw new PageError(
      client === undefined
        ? 'A post_logout_redirect_uri needs an id_token_hint or a client_id.'
        : `The post_logout_redirect_uri "${uri}" is not one of the client "${client.id}", which has ${client.logoutRedirects.join(', ')}.`,
    );
  const session = sessionOf(provider);
  const { method, form = {} } = provider.request;
  const isSure = hint !== undefined || session === undefined || (method === 'POST' && form.logout === 'yes');
  if (!isSure) return question(provider, params);
  const sid = hint?.sid ?? session?.id;
  tellClients(provider, { sid, sub: hint?.sub ?? session?.sub });
  const headers = endSession(provider, sid);
  if (uri === undefined) return page('You are logged out', '<p>You may close this window.</p>', { headers });
  const state = params.get('state');
  const target =
    state === undefined ? uri : `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`;
  return redirect(target, { method, headers });
}

/** Tokens that have expired say who was logged in all the same. */
function hintOf(provider, token) {
  if (token === undefined) return undefined;
  const claims = verifiedClaims(provider, token, Infinity);
  if (claims === undefined) throw new PageError('The id_token_hint is no token of this provider.');
  return claims;
}

function question(provider, params) {
  const fields = Object.fromEntries([...params].filter(([name]) => name !== 'logout'));
  return page(
    'Log out?',
    `<form method="post" action="${escapeHtml(provider.url('end_session_endpoint'))}">${hidden(fields)}` +
      `<button id="logout" name="logout" value="yes">Log out</button></form>`,
  );
}

/** Tells the applications that have tokens of the session (OpenID Connect Back-Channel Logout 1.0). */
function tellClients(provider, { sid, sub }) {
  if (sid === undefined) return;
  const { context, now, issuer } = provider;
  const rows = [...provider.rows('tokens').values()].filter(({ session }) => session === sid);
  for (const id of new Set(rows.map(({ client }) => client))) {
    const url = provider.settings.directory.client(provider, id)?.backchannel;
    if (url === undefined) continue;
    const claims = {
      iss: issuer,
      sub,
      sid,
      aud: id,
      iat: now,
      exp: now + 120,
      jti: context.random.uuid(),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    };
    const token = context.keys.sign(provider.keyFor(), claims, 'logout+jwt');
    context.webhook({
      url,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });
  }
}
