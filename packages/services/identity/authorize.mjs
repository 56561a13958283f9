import { escapeHtml, hidden, page, redirect } from './answers.mjs';
import { isRegistered } from './clients.mjs';
import { OAuthError, PageError, RedirectError } from './errors.mjs';
import { autoLogin, checkLogin, consentPage, loginPage, sessionOf, startSession } from './login.mjs';
import { paramsOf, scopesOf, wordsOf } from './params.mjs';

/** What the forms of the pages have beside the parameters of the application. */
const OWN_FIELDS = ['username', 'password', 'consent'];
const MODES = ['query', 'fragment', 'form_post'];

/** The authorization endpoint (RFC 6749, section 3.1; OpenID Connect Core 1.0, section 3.1.2). */
export function authorize(provider) {
  const { asked, client, target } = readTarget(provider);
  try {
    return decide(provider, { asked, client, target });
  } catch (error) {
    if (!(error instanceof RedirectError || error instanceof OAuthError)) throw error;
    return lead(provider, target, { error: error.code, error_description: error.message });
  }
}

/** As {@link authorize}, by somebody who always says no. */
export function deny(provider) {
  const { target } = readTarget(provider);
  return lead(provider, target, {
    error: 'access_denied',
    error_description: 'The user has denied the request.',
  });
}

function readTarget(provider) {
  let asked;
  try {
    asked = paramsOf(provider.request);
  } catch (error) {
    throw new PageError(error.message);
  }
  const id = asked.get('client_id');
  if (id === undefined) throw new PageError('The parameter "client_id" is missing.');
  const client = provider.settings.directory.client(provider, id);
  if (client === undefined) throw new PageError(`There is no client "${id}".`);
  const uri = asked.get('redirect_uri') ?? onlyOf(client.redirects);
  if (uri === undefined) throw new PageError('The parameter "redirect_uri" is missing.');
  if (!isRegistered(client.redirects, uri) || !URL.canParse(uri) || uri.includes('#'))
    throw new PageError(
      `The redirect_uri "${uri}" is not one of the client "${id}", which has ${client.redirects.join(', ')}.`,
    );
  const mode = asked.get('response_mode') ?? 'query';
  if (!MODES.includes(mode))
    throw new PageError(`The response_mode "${mode}" is not known; there are ${MODES.join(', ')}.`);
  return { asked, client, target: { uri, mode, state: asked.get('state') } };
}

function onlyOf(addresses) {
  return addresses.length === 1 && !addresses[0].includes('*') ? addresses[0] : undefined;
}

function decide(provider, { asked, client, target }) {
  const scopes = checkRequest(provider, asked, client);
  const prompts = wordsOf(asked.get('prompt'));
  if (prompts.includes('none') && prompts.length > 1)
    throw new RedirectError('invalid_request', 'The prompt "none" stands alone.');
  const isSilent = prompts.includes('none');
  const form = formOf(provider);
  const action = actionOf(provider, asked);
  const login = whoIs(provider, { asked, prompts, form });
  if (login.session === undefined) {
    if (isSilent) throw new RedirectError('login_required', 'Nobody is logged in.');
    return loginPage(provider, action, {
      username: form.get('username') ?? asked.get('login_hint'),
      wrong: login.problem,
    });
  }
  const { session, headers } = login;
  if (form.get('consent') === 'deny')
    throw new RedirectError('access_denied', 'The user has denied the request.');
  if (form.get('consent') === 'allow') rememberConsent(provider, client, session, scopes);
  else if (asksConsent(provider, { client, session, scopes, prompts })) {
    if (isSilent) throw new RedirectError('consent_required', 'The user has not allowed this yet.');
    return consentPage(action, { client, user: session.user, scopes }, headers);
  }
  const { id } = provider.add('codes', {
    client: client.id,
    sub: session.sub,
    session: session.id,
    auth_time: session.auth_time,
    scope: scopes.join(' '),
    expires: provider.now + provider.options.code_seconds,
    ...given('redirect_uri', asked.get('redirect_uri')),
    ...given('challenge', asked.get('code_challenge')),
    ...given(
      'method',
      asked.has('code_challenge') ? (asked.get('code_challenge_method') ?? 'plain') : undefined,
    ),
    ...given('nonce', asked.get('nonce')),
  });
  return lead(provider, target, { code: id, ...provider.settings.answerFields?.(session) }, headers);
}

function given(name, value) {
  return value === undefined ? {} : { [name]: value };
}

function checkRequest(provider, asked, client) {
  for (const name of ['request', 'request_uri'])
    if (asked.has(name))
      throw new RedirectError(`${name}_not_supported`, `The parameter "${name}" is not supported.`);
  const type = asked.get('response_type');
  if (type === undefined)
    throw new RedirectError('invalid_request', 'The parameter "response_type" is missing.');
  if (type !== 'code')
    throw new RedirectError(
      'unsupported_response_type',
      `The response_type "${type}" is not supported; "code" is.`,
    );
  if (!client.grants.includes('authorization_code'))
    throw new RedirectError(
      'unauthorized_client',
      `The client "${client.id}" may not use authorization_code.`,
    );
  const methods = provider.options.pkce_methods;
  const challenge = asked.get('code_challenge');
  const method = asked.get('code_challenge_method') ?? 'plain';
  if (challenge === undefined) {
    if (client.secret === undefined && provider.options.any_client !== true)
      throw new RedirectError(
        'invalid_request',
        `The public client "${client.id}" has to send a code_challenge.`,
      );
  } else if (!methods.includes(method)) {
    throw new RedirectError(
      'invalid_request',
      `The code_challenge_method "${method}" is not allowed; ${methods.join(', ')} is.`,
    );
  } else if (!/^[A-Za-z0-9._~-]{43,128}$/.test(challenge)) {
    throw new RedirectError(
      'invalid_request',
      'The code_challenge has to have 43 to 128 letters, digits and . _ ~ -',
    );
  }
  return scopesOf(client, asked);
}

function formOf({ request }) {
  return request.method === 'POST' ? paramsOf({ form: request.form }) : new Map();
}

/** Where the forms of the pages go: here, with what the application has asked for. */
function actionOf(provider, asked) {
  const fields = [...asked].filter(([name]) => !OWN_FIELDS.includes(name));
  return `${provider.url('authorization_endpoint')}?${new URLSearchParams(fields)}`;
}

function whoIs(provider, { asked, prompts, form }) {
  if (form.has('username') || form.has('password')) {
    const { user, problem } = checkLogin(provider, form);
    return user === undefined ? { problem } : startSession(provider, user);
  }
  const session = sessionOf(provider);
  if (form.has('consent')) return { session };
  const oldest = Number(asked.get('max_age') ?? Infinity);
  const isFresh = session !== undefined && provider.now - session.auth_time <= oldest;
  if (isFresh && !prompts.includes('login') && !prompts.includes('select_account')) return { session };
  const user = prompts.includes('none') ? undefined : autoLogin(provider, asked.get('login_hint'));
  return user === undefined ? {} : startSession(provider, user);
}

function consentId({ id }, { sub }) {
  return JSON.stringify([id, sub]);
}

function asksConsent(provider, { client, session, scopes, prompts }) {
  if (prompts.includes('consent')) return true;
  if (!client.consent) return false;
  const had = wordsOf(provider.find('consents', consentId(client, session))?.scope);
  return scopes.some((scope) => !had.includes(scope));
}

function rememberConsent(provider, client, session, scopes) {
  const id = consentId(client, session);
  const had = wordsOf(provider.find('consents', id)?.scope);
  provider.remove('consents', id);
  provider.add('consents', {
    id,
    client: client.id,
    sub: session.sub,
    scope: [...new Set([...had, ...scopes])].join(' '),
  });
}

/** Leads the browser back to the application, with the issuer, so that it knows who has answered (RFC 9207). */
function lead(provider, { uri, mode, state }, fields, headers = {}) {
  const all = { ...fields, ...given('state', state), iss: provider.flaw.issuer ?? provider.issuer };
  const { method } = provider.request;
  if (mode === 'form_post')
    return page(
      'One moment',
      `<form method="post" action="${escapeHtml(uri)}">${hidden(all)}<button>Continue</button></form><script>document.forms[0].submit()</script>`,
      {
        headers: {
          ...headers,
          'Content-Security-Policy':
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'",
        },
      },
    );
  const parameters = new URLSearchParams(all).toString();
  if (mode === 'fragment') return redirect(`${uri}#${parameters}`, { method, headers });
  return redirect(`${uri}${uri.includes('?') ? '&' : '?'}${parameters}`, { method, headers });
}
