const KEY = 'supabase:jwt';

export const rowsOf = (context, name) => context.collection(`supabase:${name}`);

/** A call that is refused, in the form of the part of Supabase that refuses it. */
export class SupabaseError extends Error {
  constructor(status, body, headers = {}) {
    super(body.message ?? body.msg ?? '');
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Makes the function of a mock: it answers what `act` throws as that part of Supabase does. */
export function operation(act, wrong) {
  return async (request, context) => {
    try {
      return await act(request, context);
    } catch (thrown) {
      if (thrown instanceof SupabaseError)
        return { status: thrown.status, headers: thrown.headers, json: thrown.body };
      const error = wrong?.(thrown);
      if (error === undefined) throw thrown;
      return { status: error.status, headers: error.headers, json: error.body };
    }
  };
}

/**
 * Who calls: what the token says, or what the API key is. Keys of the new form, `sb_publishable_...` and `sb_secret_...`, say it
 * by their names.
 *
 * @param refuse - makes the error for a token that does not count, from the reason
 */
export function callerOf({ headers, query }, context, refuse) {
  const key = String(headers.apikey ?? query.apikey ?? '');
  if (key === '' && headers.authorization === undefined)
    throw new SupabaseError(401, {
      message: 'No API key found in request',
      hint: 'No `apikey` request header or url param was found.',
    });
  const token = String(headers.authorization ?? '').replace(/^Bearer /i, '') || key;
  return claimsOf(token, context, refuse);
}

export function claimsOf(token, context, refuse) {
  if (token.startsWith('sb_secret_')) return { role: 'service_role' };
  if (token.startsWith('sb_publishable_')) return { role: 'anon' };
  const verified = context.keys.verify(KEY, token);
  if (verified.claims === undefined) throw refuse(verified.problem);
  return verified.claims;
}

export function signToken(context, claims) {
  return context.keys.sign(KEY, claims);
}

export function originOf({ scheme, host }) {
  return `${scheme}://${host}`;
}

export const secondsOf = (context) => Math.floor(context.clock.now() / 1000);
export const timeOf = (context) => new Date(context.clock.now()).toISOString();
