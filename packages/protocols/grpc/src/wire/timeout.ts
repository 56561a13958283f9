/** The header by which a client says how long it waits. */
export const TIMEOUT = 'grpc-timeout';

/** The header by which a client of Connect does so, in milliseconds. */
export const CONNECT_TIMEOUT = 'connect-timeout-ms';

/** Node's timers fire at once beyond it, and so does the arithmetic of grpc-js. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** The milliseconds of a `grpc-timeout`; `undefined` for a text that is none. */
export function readTimeout(text: string): number | undefined {
  const found = /^(\d{1,8})\s*([HMSmun])$/.exec(text);
  return found === null ? undefined : Number(found[1]) * (UNITS[found[2] ?? ''] ?? 0);
}
