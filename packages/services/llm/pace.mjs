const MAX_EVENTS = 20_000;

/**
 * The events of a stream with their delays: before the first one that is a token the time to the first token, before each
 * other one the time of a token. Delays are those of mocks, such as `20ms` or `{lognormal: {median: 20ms, sigma: 0.3}}`.
 *
 * @param events - `{event, json, data, isToken}`
 * @param reply - `first`, `token`, and `break_after`, how many tokens are sent before the stream breaks
 * @param failure - the event that ends a stream that breaks
 */
export function paced(events, { first, token, break_after: limit }, failure) {
  const sent = [];
  let tokens = 0;
  for (const { isToken = false, ...event } of events) {
    if (isToken && limit !== undefined && tokens >= limit) return [...sent, failure];
    const delay = !isToken ? undefined : tokens === 0 ? first : token;
    if (isToken) tokens += 1;
    sent.push(delay === undefined ? event : { ...event, delay });
    if (sent.length >= MAX_EVENTS) break;
  }
  return sent;
}

/**
 * How fast a reply comes: as its rule says, else as the variables of the service do. Each says the time of a token by
 * `token`, or by `tokens_per_second`, which counts where there are both.
 *
 * @param vars - `first_token`, `token` and `tokens_per_second`
 * @returns the reply with `first` and `token`
 */
export function paceOf(vars, reply) {
  const { first = vars.first_token, token, tokens_per_second: speed, ...others } = reply;
  const own = speed === undefined ? token : tokenOf(speed);
  const shared = () => (vars.tokens_per_second === undefined ? vars.token : tokenOf(vars.tokens_per_second));
  return { ...others, first, token: own ?? shared() };
}

/** How long a token takes at a speed: the inverse of a uniform or lognormal one has the inverse bounds or median. */
function tokenOf(speed) {
  if (typeof speed === 'number') return timeOf(speed);
  const { uniform, lognormal, ...others } = isObject(speed) ? speed : { speed };
  const given = Object.keys({ ...others, ...(uniform && { uniform }), ...(lognormal && { lognormal }) });
  if (given.length === 1 && isObject(uniform))
    return { uniform: { min: timeOf(uniform.max), max: timeOf(uniform.min) } };
  if (given.length === 1 && isObject(lognormal)) {
    const { median, sigma, min } = lognormal;
    const max = min === undefined ? {} : { max: timeOf(min) };
    return { lognormal: { median: timeOf(median), sigma, ...max } };
  }
  throw wrong(speed);
}

function timeOf(speed) {
  if (typeof speed !== 'number' || !(speed > 0) || !Number.isFinite(speed)) throw wrong(speed);
  return `${Math.round(1e9 / speed)}ns`;
}

function wrong(speed) {
  return new Error(
    `tokens_per_second: must be a number above 0, {uniform: {min, max}} or {lognormal: {median, sigma, min}} of such numbers, got ${JSON.stringify(speed)}`,
  );
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
