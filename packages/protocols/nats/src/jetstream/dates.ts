/** Nanoseconds of a millisecond. */
export const MILLISECOND = 1e6;
export const SECOND = 1e9;

/** The date that Go writes for no date. */
export const NO_DATE = '0001-01-01T00:00:00Z';

/** RFC 3339, UTC. */
export function dateText(milliseconds: number): string {
  return milliseconds === 0 ? NO_DATE : new Date(milliseconds).toISOString();
}

/** Milliseconds of nanoseconds, at least one where there are any. */
export function toMilliseconds(nanoseconds: number): number {
  return nanoseconds <= 0 ? 0 : Math.max(1, Math.round(nanoseconds / MILLISECOND));
}
