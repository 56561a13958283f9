const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
/** Milliseconds of RabbitMQ's units. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['Y', 365 * DAY],
  ['M', 30 * DAY],
  ['D', DAY],
  ['h', 60 * 60 * SECOND],
  ['m', 60 * SECOND],
  ['s', SECOND],
]);

/** Milliseconds of an interval such as `7D`; `undefined` when it is none. */
export function readInterval(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9})([YMDhms])$/.exec(text) ?? [];
  const milliseconds = UNITS.get(unit);
  return milliseconds === undefined ? undefined : Number(digits) * milliseconds;
}
