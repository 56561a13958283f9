/** A call that OpenAI refuses, as its SDKs know it by the status. */
export class OpenAIError extends Error {
  constructor(status, message, { type = 'invalid_request_error', param = null, code = null } = {}) {
    super(message);
    this.status = status;
    this.error = { message, type, param, code };
  }
}

/** What is wrong with a parameter. */
export function invalid(message, param, code = null) {
  return new OpenAIError(400, message, { param, code });
}

/** Makes the function of a mock: it checks the key, and answers what `act` throws as OpenAI does. */
export function operation(act) {
  return (request, context) => {
    const headers = {
      'x-request-id': `req_${context.random.string(32).toLowerCase()}`,
      'openai-processing-ms': '12',
      'openai-version': '2020-10-01',
    };
    try {
      checkKey(request);
      const answer = act({ body: bodyOf(request), request, context });
      const response = answer.response ?? { json: answer };
      return { ...answer.more, response: { ...response, headers: { ...headers, ...response.headers } } };
    } catch (error) {
      if (!(error instanceof OpenAIError)) throw error;
      return { response: { status: error.status, headers, json: { error: error.error } } };
    }
  };
}

function bodyOf({ method, body, headers }) {
  if (method !== 'POST' || /^multipart\//.test(headers['content-type'] ?? '')) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw invalid('We could not parse the JSON body of your request. The body must be a JSON object.', null);
}

function checkKey({ headers }) {
  const key = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (key === undefined) {
    throw new OpenAIError(
      401,
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    );
  }
  if (key.includes('invalid')) {
    const masked = `${key.slice(0, 3)}****${key.slice(-4)}`;
    throw new OpenAIError(401, `Incorrect API key provided: ${masked}.`, { code: 'invalid_api_key' });
  }
}

/** The model of a call. @throws what OpenAI answers when there is none */
export function modelOf({ collection }, { model }) {
  if (typeof model !== 'string' || model === '') throw invalid('you must provide a model parameter', 'model');
  if (collection('openai:models').has(model)) return model;
  throw new OpenAIError(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
    code: 'model_not_found',
  });
}

/** The time of the clock in seconds. */
export function seconds({ clock }) {
  return Math.floor(clock.now() / 1000);
}

/** @throws what a rule says that the service answers in place of a reply */
export function checkFailure({ error }) {
  if (error === undefined) return;
  const {
    status = 500,
    message = 'The server had an error while processing your request.',
    ...fields
  } = error;
  throw new OpenAIError(status, message, { type: 'server_error', ...fields });
}

/** After how many tokens the streams of a scenario break. */
export const BREAK_AFTER = 2;

/** The event by which a stream that breaks ends. */
export const BROKEN = {
  json: {
    error: {
      message: 'The server had an error while processing your request. Sorry about that!',
      type: 'server_error',
      param: null,
      code: null,
    },
  },
};
