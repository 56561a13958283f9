/** A call that LaunchDarkly refuses, as its SDKs and its REST API know it. */
export class LaunchDarklyError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const notFound = (what) => new LaunchDarklyError(404, 'not_found', `Unknown ${what}`);
export const invalid = (message) => new LaunchDarklyError(400, 'invalid_request', message);

/** The collections of the service. */
export function rowsOf(context, name) {
  return context.collection(`launchdarkly:${name}`);
}

/**
 * Makes the function of a mock: it checks the key, and answers what `act` throws as LaunchDarkly does.
 *
 * @param key - which key the call needs: that of a `server`, the id of an environment of a `client`, or a token of the `api`
 * @param act - takes the request, the context and the body
 */
export function operation(key, act) {
  return (request, context) => {
    try {
      checkKey(request, context, key);
      return act(request, context);
    } catch (thrown) {
      const error =
        thrown.code === 'conflict'
          ? new LaunchDarklyError(409, 'conflict', 'key is already used')
          : thrown.code === 'too_large'
            ? new LaunchDarklyError(413, 'too_large', thrown.message)
            : thrown;
      if (!(error instanceof LaunchDarklyError)) throw error;
      return { status: error.status, json: { code: error.code, message: error.message } };
    }
  };
}

function checkKey({ headers, params }, { vars }, key) {
  const { authorization = '' } = headers;
  const given = key === 'client' ? params.environment : String(authorization).replace(/^api_key /, '');
  if (/invalid|expired/.test(given) || given === '')
    throw key === 'client' ? notFound('environment') : unauthorized();
  const { sdk_key: wanted } = vars.launchdarkly;
  if (key === 'server' && wanted !== '*' && given !== wanted) throw unauthorized();
}

const unauthorized = () => new LaunchDarklyError(401, 'unauthorized', 'Invalid access token');

/** The body: a JSON object, or the list that some calls take. */
export function bodyOf({ body }) {
  if (typeof body !== 'object' || body === null) throw invalid('Invalid JSON');
  return body;
}
