import { illegal } from './errors.mjs';
import { timeOf } from './mappings.mjs';

const UNITS = {
  y: 'FullYear',
  M: 'Month',
  w: 'Week',
  d: 'Date',
  h: 'Hours',
  H: 'Hours',
  m: 'Minutes',
  s: 'Seconds',
};
const ORDER = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'];

function move(date, unit, by) {
  if (unit === 'Week') date.setUTCDate(date.getUTCDate() + 7 * by);
  else date[`setUTC${unit}`](date[`getUTC${unit}`]() + by);
}

/** The beginning of the unit of time that a date is in. */
export function startOf(time, unit) {
  const date = new Date(time);
  if (unit === 'Week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  const from = unit === 'Week' ? 'Date' : unit;
  for (const name of ORDER.slice(ORDER.indexOf(from) + 1)) date[`setUTC${name}`](name === 'Date' ? 1 : 0);
  return date.getTime();
}

/** A date with what is added to it, such as `now-1d/d` or `2026-01-01||+1M`. @param up - whether rounding goes to the end */
export function dateOf(value, now, up = false) {
  if (typeof value === 'number') return value;
  const [, base, mark, math] = /^(now|.*?(?=\|\||$))(\|\|)?(.*)$/.exec(String(value)) ?? [];
  const isNow = base === 'now';
  const start = isNow ? now : timeOf(base);
  if (Number.isNaN(start) || (math !== '' && !isNow && mark === undefined))
    throw illegal(`failed to parse date field [${value}]`);
  const date = new Date(start);
  let rest = math;
  while (rest !== '') {
    const [whole, sign, count = '1', letter] = /^([+/-])(\d{1,6})?([yMwdhHms])/.exec(rest) ?? [];
    if (whole === undefined) throw illegal(`failed to parse date field [${value}]`);
    if (sign === '/') {
      date.setTime(startOf(date.getTime(), UNITS[letter]));
      if (up) {
        move(date, UNITS[letter], 1);
        date.setTime(date.getTime() - 1);
      }
    } else move(date, UNITS[letter], sign === '+' ? Number(count) : -Number(count));
    rest = rest.slice(whole.length);
  }
  return date.getTime();
}

const CALENDAR = {
  minute: 'Minutes',
  '1m': 'Minutes',
  hour: 'Hours',
  '1h': 'Hours',
  day: 'Date',
  '1d': 'Date',
  week: 'Week',
  '1w': 'Week',
  month: 'Month',
  '1M': 'Month',
  quarter: 'Quarter',
  '1q': 'Quarter',
  year: 'FullYear',
  '1y': 'FullYear',
};
const FIXED = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** How a histogram of dates divides time: the start of what a date is in, and the one behind it. */
export function dividerOf({ calendar_interval: calendar, fixed_interval: fixed }) {
  if (calendar !== undefined) {
    const unit = CALENDAR[calendar];
    if (unit === undefined)
      throw illegal(`The supplied interval [${calendar}] could not be parsed as a calendar interval.`);
    const step = unit === 'Quarter' ? 3 : 1;
    const start = (time) => {
      const date = new Date(startOf(time, unit === 'Quarter' ? 'Month' : unit));
      if (unit === 'Quarter') date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3));
      return date.getTime();
    };
    const next = (time) => {
      const date = new Date(time);
      move(date, unit === 'Quarter' ? 'Month' : unit, step);
      return date.getTime();
    };
    return { start, next };
  }
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(fixed ?? '') ?? [];
  const size = Number(count) * FIXED[unit];
  if (unit === undefined || size === 0)
    throw illegal(`Required one of fields [calendar_interval, fixed_interval], got [${fixed ?? ''}]`);
  return { start: (time) => Math.floor(time / size) * size, next: (time) => time + size };
}
