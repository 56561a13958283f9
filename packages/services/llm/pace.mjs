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
