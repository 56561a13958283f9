import { createHash } from 'node:crypto';
import { callerOf, operation, rowsOf, secondsOf, signToken, SupabaseError, timeOf } from './api.mjs';

const MIN_PASSWORD = 6;

/** An error as the auth server has it; SDKs read `code` where the answer names this version of the API. */
export function authError(status, code, message, more = {}) {
  return new SupabaseError(status, { code, message, ...more }, { 'X-Supabase-Api-Version': '2024-01-01' });
}

export function authOperation(act) {
  return operation((request, context) => {
    const caller = callerOf(request, context, (reason) =>
      authError(403, 'bad_jwt', `invalid JWT: unable to parse or verify signature, the token ${reason}`),
    );
    return act({ request, context, caller });
  });
}

export function bodyOf({ body, raw_body: raw }) {
  if (raw === undefined || raw.length === 0) return {};
  if (typeof body !== 'object' || body === null)
    throw authError(400, 'bad_json', 'Could not parse request body as JSON');
  return body;
}

/** What is kept of a password. */
export function hashOf(id, password) {
  return createHash('sha256').update(`${id}:${password}`).digest('hex');
}

/** A user as the API shows it. */
export function shownUser({ password: _password, ...user }) {
  return user;
}

export function checkPassword(password) {
  if (typeof password !== 'string' || password === '')
    throw authError(400, 'validation_failed', 'Signup requires a valid password');
  if (password.length < MIN_PASSWORD)
    throw authError(422, 'weak_password', `Password should be at least ${MIN_PASSWORD} characters.`, {
      weak_password: { reasons: ['length'] },
    });
}

export function findUser(context, { email, phone }) {
  return rowsOf(context, 'auth.users')
    .list()
    .find((user) =>
      email === undefined
        ? phone !== undefined && user.phone === phone
        : user.email.toLowerCase() === String(email).toLowerCase(),
    );
}

/** Makes a user, who has confirmed already unless `confirm` of the service says otherwise. */
export function makeUser(context, { email = '', phone = '', password, data = {}, confirmed, ...more }) {
  if (email !== '' && !/^[^@\s]+@[^@\s]+$/.test(email))
    throw authError(400, 'validation_failed', 'Unable to validate email address: invalid format');
  const now = timeOf(context);
  const id = context.random.uuid();
  const isAnonymous = email === '' && phone === '';
  const provider = isAnonymous
    ? {}
    : { provider: email === '' ? 'phone' : 'email', providers: [email === '' ? 'phone' : 'email'] };
  return rowsOf(context, 'auth.users').create({
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone,
    ...(confirmed && email !== '' ? { email_confirmed_at: now } : {}),
    ...(confirmed && phone !== '' ? { phone_confirmed_at: now } : {}),
    ...(confirmed ? { confirmed_at: now } : {}),
    app_metadata: { ...provider, ...more.app_metadata },
    user_metadata: data,
    identities: isAnonymous
      ? []
      : [
          {
            id,
            identity_id: id,
            user_id: id,
            provider: provider.provider,
            identity_data: { email, sub: id, ...data },
            created_at: now,
            updated_at: now,
          },
        ],
    is_anonymous: isAnonymous,
    created_at: now,
    updated_at: now,
    ...(password === undefined ? {} : { password: hashOf(id, password) }),
  });
}

/** Begins a session. */
export function startSession(context, user, amr) {
  const users = rowsOf(context, 'auth.users');
  const now = timeOf(context);
  const signedIn = users.update(user.id, { last_sign_in_at: now, updated_at: now });
  const session = rowsOf(context, 'auth.sessions').create({
    id: context.random.uuid(),
    user_id: user.id,
    amr: [{ method: amr, timestamp: secondsOf(context) }],
    refresh_token: newRefreshToken(context),
    used: [],
    created_at: now,
  });
  return tokensOf(context, session, signedIn);
}

function newRefreshToken(context) {
  return context.random.uuid().replaceAll('-', '').slice(0, 22);
}

/** What a client gets for a session. */
function tokensOf(context, session, user) {
  const lasts = Number(context.vars.supabase.token_lifetime);
  const now = secondsOf(context);
  const claims = {
    iss: 'supabase',
    sub: user.id,
    aud: 'authenticated',
    exp: now + lasts,
    iat: now,
    email: user.email,
    phone: user.phone,
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    role: user.role,
    aal: 'aal1',
    amr: session.amr,
    session_id: session.id,
    is_anonymous: user.is_anonymous,
  };
  return {
    access_token: signToken(context, claims),
    token_type: 'bearer',
    expires_in: lasts,
    expires_at: now + lasts,
    refresh_token: session.refresh_token,
    user: shownUser(user),
  };
}

export const signUp = authOperation(({ request, context }) => {
  const { email, phone, password, data } = bodyOf(request);
  const isAnonymous = email === undefined && phone === undefined;
  if (!isAnonymous) checkPassword(password);
  if (!isAnonymous && findUser(context, { email, phone }) !== undefined)
    throw authError(422, 'user_already_exists', 'User already registered');
  const confirmed = !context.vars.supabase.confirm || isAnonymous;
  const user = makeUser(context, { email, phone, data, confirmed, ...(isAnonymous ? {} : { password }) });
  if (!confirmed) {
    sendCode(context, user, 'signup');
    return { json: shownUser(user) };
  }
  return { json: startSession(context, user, isAnonymous ? 'anonymous' : 'password') };
});

export const token = authOperation(({ request, context }) => {
  const { grant_type: grant } = request.query;
  const body = bodyOf(request);
  if (grant === 'password') return { json: withPassword(context, body) };
  if (grant === 'refresh_token') return { json: refresh(context, body) };
  throw authError(
    400,
    'validation_failed',
    `unsupported_grant_type: ${grant ?? 'none'}; known are password and refresh_token`,
  );
});

function withPassword(context, { email, phone, password }) {
  const user = findUser(context, { email, phone });
  if (user === undefined || user.password !== hashOf(user.id, String(password)))
    throw authError(400, 'invalid_credentials', 'Invalid login credentials');
  if (user.banned_until !== undefined && Date.parse(user.banned_until) > context.clock.now())
    throw authError(400, 'user_banned', 'User is banned');
  if (user.email !== '' && user.email_confirmed_at === undefined)
    throw authError(400, 'email_not_confirmed', 'Email not confirmed');
  return startSession(context, user, 'password');
}

/** A refresh token counts once. */
function refresh(context, { refresh_token: given }) {
  const sessions = rowsOf(context, 'auth.sessions');
  const session = sessions.list().find((one) => one.refresh_token === given || one.used.includes(given));
  if (session === undefined)
    throw authError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
  if (session.refresh_token !== given) {
    sessions.remove(session.id);
    throw authError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
  }
  const next = sessions.update(session.id, {
    refresh_token: newRefreshToken(context),
    used: [...session.used, given].slice(-100),
  });
  return tokensOf(context, next, rowsOf(context, 'auth.users').get(session.user_id));
}

/** The user of the token, whose session must not have ended. */
export function requireUser({ context, caller }) {
  const { sub, session_id: session } = caller;
  if (sub === undefined) throw authError(403, 'bad_jwt', 'invalid claim: missing sub claim');
  const users = rowsOf(context, 'auth.users');
  if (!users.has(sub)) throw authError(403, 'user_not_found', 'User from sub claim in JWT does not exist');
  if (session !== undefined && !rowsOf(context, 'auth.sessions').has(session))
    throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
  return users.get(sub);
}

export const getUser = authOperation((call) => ({ json: shownUser(requireUser(call)) }));

export const updateUser = authOperation((call) => {
  const { context, request } = call;
  const user = requireUser(call);
  const { email, phone, password, data } = bodyOf(request);
  if (password !== undefined) {
    checkPassword(password);
    if (user.password === hashOf(user.id, password))
      throw authError(422, 'same_password', 'New password should be different from the old password.');
  }
  if (
    email !== undefined &&
    findUser(context, { email })?.id !== user.id &&
    findUser(context, { email }) !== undefined
  )
    throw authError(422, 'email_exists', 'A user with this email address has already been registered');
  return { json: shownUser(changeUser(context, user, { email, phone, password, data })) };
});

export function changeUser(context, user, { email, phone, password, data, ...more }) {
  return rowsOf(context, 'auth.users').replace(user.id, {
    ...user,
    ...more,
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone }),
    ...(password === undefined ? {} : { password: hashOf(user.id, password) }),
    ...(data === undefined ? {} : { user_metadata: { ...user.user_metadata, ...data } }),
    updated_at: timeOf(context),
  });
}

/** Ends sessions: all of the user, this one, or the others. */
export const logout = authOperation((call) => {
  const { request, context, caller } = call;
  const { scope = 'global' } = request.query;
  if (!['global', 'local', 'others'].includes(scope))
    throw authError(400, 'validation_failed', `Unsupported logout scope "${scope}"`);
  requireUser(call);
  const sessions = rowsOf(context, 'auth.sessions');
  for (const { id, user_id: user } of sessions.list()) {
    const isThis = id === caller.session_id;
    if (user === caller.sub && (scope === 'global' || isThis === (scope === 'local'))) sessions.remove(id);
  }
  return { status: 204 };
});

/** Keeps the code that the user would get by mail. */
function sendCode(context, user, type) {
  const code = String(context.random.int(100_000, 999_999));
  rowsOf(context, 'auth.codes').create({
    user_id: user.id,
    email: user.email,
    phone: user.phone,
    type,
    code,
  });
}

export const otp = authOperation(({ request, context }) => {
  const { email, phone, create_user: creates = true, data } = bodyOf(request);
  if (email === undefined && phone === undefined)
    throw authError(400, 'validation_failed', 'One of email or phone must be set');
  const found = findUser(context, { email, phone });
  if (found === undefined && !creates) throw authError(422, 'otp_disabled', 'Signups not allowed for otp');
  sendCode(context, found ?? makeUser(context, { email, phone, data, confirmed: false }), 'magiclink');
  return { json: {} };
});

/** A user who is not known is not told apart. */
export const recover = authOperation(({ request, context }) => {
  const user = findUser(context, bodyOf(request));
  if (user !== undefined) sendCode(context, user, 'recovery');
  return { json: {} };
});

export const verify = authOperation(({ request, context }) => {
  const { email, phone, token: code } = bodyOf(request);
  const codes = rowsOf(context, 'auth.codes');
  const found = codes
    .list()
    .find(
      (one) => one.code === String(code) && (email === undefined ? one.phone === phone : one.email === email),
    );
  if (found === undefined) throw authError(403, 'otp_expired', 'Token has expired or is invalid');
  codes.remove(found.id);
  const now = timeOf(context);
  const user = changeUser(context, rowsOf(context, 'auth.users').get(found.user_id), {
    confirmed_at: now,
    ...(found.email === '' ? { phone_confirmed_at: now } : { email_confirmed_at: now }),
  });
  return { json: startSession(context, user, 'otp') };
});
