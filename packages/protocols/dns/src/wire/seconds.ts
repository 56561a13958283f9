/** The longest time to live (RFC 2181 section 8). */
const MAX_SECONDS = 2 ** 31 - 1;

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Whether a text has the form of a time: a number of seconds, or numbers with units as in `1h30m`. */
export function isSeconds(text: string): boolean {
  return /^(?:\d+|(?:\d+[smhdw])+)$/i.test(text);
}

/**
 * The seconds of a time as zone files have it: `3600`, or with the units of BIND, as in `1h30m` or `2w`.
 *
 * @throws Error when the text is none, or longer than 2147483647 seconds
 */
export function parseSeconds(text: string): number {
  let seconds = isSeconds(text) ? 0 : Number.NaN;
  for (const [, digits, unit = ''] of text.matchAll(/(\d+)([smhdw]?)/gi))
    seconds += Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  if (seconds <= MAX_SECONDS) return seconds;
  throw new Error(`"${text}" is no time; use seconds up to ${MAX_SECONDS}, or units as in 1h30m or 2w`);
}
