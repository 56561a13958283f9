import { callerOf, operation, rowsOf, SupabaseError } from './api.mjs';

/** An edge function: a row of `functions` has its answer. */
export const invoke = operation((request, context) => {
  callerOf(request, context, () => new SupabaseError(401, { code: 401, message: 'Invalid JWT' }));
  const functions = rowsOf(context, 'functions');
  const { name } = request.params;
  if (!functions.has(name))
    throw new SupabaseError(404, { code: 'NOT_FOUND', message: 'Requested function was not found' });
  const { status = 200, headers = {}, json, body, relay_error: isRelayError = false } = functions.get(name);
  const given = { ...headers, ...(isRelayError ? { 'X-Relay-Error': 'true' } : {}) };
  return { status, headers: given, ...(body === undefined ? { json: json ?? null } : { body }) };
});
