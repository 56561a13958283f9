import { rowsOf } from './api.mjs';
import {
  authError,
  authOperation,
  bodyOf,
  changeUser,
  checkPassword,
  findUser,
  makeUser,
  shownUser,
} from './auth.mjs';

/** Makes the function of a mock that the service role alone may call. */
function adminOperation(act) {
  return authOperation((call) => {
    if (call.caller.role !== 'service_role') throw authError(403, 'not_admin', 'User not allowed');
    return act(call);
  });
}

function userOf({ request, context }) {
  const users = rowsOf(context, 'auth.users');
  const { id } = request.params;
  if (!users.has(id)) throw authError(404, 'user_not_found', 'User not found');
  return users.get(id);
}

export const list = adminOperation(({ request, context }) => {
  const [page, size] = [
    Number(request.query.page || 1),
    Math.min(Number(request.query.per_page || 50), 1000),
  ];
  if (!Number.isInteger(page) || !Number.isInteger(size) || page < 1 || size < 1)
    throw authError(400, 'validation_failed', 'Bad Pagination Parameters');
  const users = rowsOf(context, 'auth.users').list();
  const found = users.slice((page - 1) * size, page * size).map(shownUser);
  return { headers: { 'X-Total-Count': String(users.length) }, json: { aud: 'authenticated', users: found } };
});

export const create = adminOperation(({ request, context }) => {
  const {
    email,
    phone,
    password,
    user_metadata: data,
    app_metadata: app,
    email_confirm: confirmed = false,
    phone_confirm: byPhone = false,
  } = bodyOf(request);
  if (email === undefined && phone === undefined)
    throw authError(400, 'validation_failed', 'Cannot create a user without either an email or phone');
  if (password !== undefined) checkPassword(password);
  if (findUser(context, { email, phone }) !== undefined)
    throw authError(422, 'email_exists', 'A user with this email address has already been registered');
  const user = makeUser(context, {
    email,
    phone,
    data,
    confirmed: confirmed || byPhone,
    app_metadata: app,
    ...(password === undefined ? {} : { password }),
  });
  return { json: shownUser(user) };
});

export const get = adminOperation((call) => ({ json: shownUser(userOf(call)) }));

export const update = adminOperation((call) => {
  const {
    email,
    phone,
    password,
    user_metadata: data,
    app_metadata: app,
    email_confirm: confirmed,
  } = bodyOf(call.request);
  const user = userOf(call);
  if (password !== undefined) checkPassword(password);
  const changed = changeUser(call.context, user, {
    email,
    phone,
    password,
    data,
    ...(app === undefined ? {} : { app_metadata: { ...user.app_metadata, ...app } }),
    ...(confirmed ? { email_confirmed_at: new Date(call.context.clock.now()).toISOString() } : {}),
  });
  return { json: shownUser(changed) };
});

export const remove = adminOperation((call) => {
  const user = userOf(call);
  rowsOf(call.context, 'auth.users').remove(user.id);
  const sessions = rowsOf(call.context, 'auth.sessions');
  for (const session of sessions.list()) if (session.user_id === user.id) sessions.remove(session.id);
  return { json: {} };
});
