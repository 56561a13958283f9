const HOUR = 3_600_000;
const USED = 'github:used';

/**
 * Counts a call against the limit of an hour of the virtual clock; nobody's calls have a limit of their own.
 *
 * @param isTrial - whether it is only asked whether there is room
 */
export function useLimit(call, cost = 1, isTrial = false) {
  const { clock, state, vars } = call.context;
  const hour = Math.floor(clock.now() / HOUR);
  const key = `${USED}:${call.login ?? ''}`;
  const [since, count] = (state.get(key) ?? '').split(' ').map(Number);
  const before = since === hour ? count : 0;
  const limit = call.login === undefined ? vars.github.anonymous_limit : vars.github.rate_limit;
  const isOver = before + cost > limit;
  const used = isOver ? before : before + cost;
  if (cost > 0 && !isTrial) state.set(key, `${hour} ${used}`);
  return { limit, used, isOver, remaining: limit - used, reset: ((hour + 1) * HOUR) / 1000 };
}

export function limitHeaders({ limit, used, remaining, reset }) {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Used': String(used),
    'X-RateLimit-Reset': String(reset),
    'X-RateLimit-Resource': 'core',
  };
}
