/** A longer time is a date: seconds since 1970. */
const MAX_RELATIVE = 60 * 60 * 24 * 30;
const SECOND = 1000;

/**
 * When something expires (protocol.txt, "Expiration times").
 *
 * @param exptime - seconds from now up to 30 days, beyond that a date in seconds since 1970; negative is at once, 0 never
 * @param now - milliseconds since 1970
 * @returns milliseconds since 1970; 0 is never
 */
export function expiryOf(exptime: number, now: number): number {
  if (exptime === 0) return 0;
  if (exptime < 0) return 1;
  return exptime > MAX_RELATIVE ? exptime * SECOND : now + exptime * SECOND;
}

/** The seconds that are left, rounded up; -1 for ever. */
export function timeLeft(expiresAt: number, now: number): number {
  return expiresAt === 0 ? -1 : Math.max(0, Math.ceil((expiresAt - now) / SECOND));
}
