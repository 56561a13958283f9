import { invalid } from '../errors.js';

interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

const FIELDS: readonly Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of the month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12 },
  { name: 'day of the week', from: 0, to: 7 },
];
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The 29th of February may be eight years away. */
const FARTHEST = 9 * 366;

/** A cron expression that was read. */
export interface Cron {
  /** The first time after a moment, both milliseconds since 1970; `undefined` when there is none within nine years. */
  next(after: number): number | undefined;
}

/**
 * Reads a cron expression of five fields as crontab(5) has them, without names: lists, ranges and steps. Times are in UTC. When both
 * days are restricted, either of them is enough.
 *
 * @throws BacklotError `invalid`
 */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length)
    throw invalid(
      `"${text}" has ${parts.length} fields, want five: minute, hour, day of the month, month, day of the week`,
    );
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, index) =>
    readField(parts[index] ?? '', field),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  if (weekdays.has(7)) weekdays.add(0);
  const either = !parts[2]?.startsWith('*') && !parts[4]?.startsWith('*');
  const isDay = (date: Date): boolean => {
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const [day, weekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    return either ? day || weekday : day && weekday;
  };
  return {
    next(after) {
      const start = (Math.floor(after / MINUTE) + 1) * MINUTE;
      let day = Math.floor(start / DAY) * DAY;
      for (let count = 0; count < FARTHEST; count += 1, day += DAY) {
        if (!isDay(new Date(day))) continue;
        for (const hour of hours)
          for (const minute of minutes) {
            const time = day + (hour * 60 + minute) * MINUTE;
            if (time >= start) return time;
          }
      }
      return undefined;
    },
  };
}

/** The numbers of a field, in rising order. */
function readField(text: string, { name, from, to }: Field): Set<number> {
  const numbers = new Set<number>();
  for (const part of text.split(',')) {
    const [, star, low, high, step] = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    const first = star === undefined ? Number(low) : from;
    const last = star === undefined ? Number(high ?? (step === undefined ? low : to)) : to;
    const by = Number(step ?? 1);
    if ((star ?? low) === undefined || first < from || last > to || first > last || by < 1)
      throw invalid(
        `"${part}" is no ${name}; want ${from} to ${to}, a range such as ${from}-${to}, or steps such as */2`,
      );
    for (let number = first; number <= last; number += by) numbers.add(number);
  }
  return new Set([...numbers].sort((a, b) => a - b));
}
