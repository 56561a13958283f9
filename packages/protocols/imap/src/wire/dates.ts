import { BadCommand } from './bad-command.js';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const DATE = /^(\d{1,2})-([a-z]{3})-(\d{4})$/i;
const DATE_TIME = /^([ \d]\d)-([a-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/i;
const MAIL_DATE = /(\d{1,2})\s+([a-z]{3})[a-z]*\s+(\d{2,4})/i;

/** A whole day, as a number that orders days whatever their time zone: 20240229. */
export type Day = number;

/** A day of SEARCH: `29-Feb-2024`. @throws BadCommand when it is none */
export function parseDay(text: string): Day {
  const [, day = '', name = '', year = ''] = DATE.exec(text) ?? [];
  const month = monthOf(name);
  if (month < 0 || !isDay(Number(year), month, Number(day))) {
    throw new BadCommand(`"${text.slice(0, 40)}" is no date; one looks like 1-Feb-2024`);
  }
  return dayNumber(Number(year), month, Number(day));
}

/** The date of APPEND, in ms since 1970: ` 1-Feb-2024 12:00:00 +0100`. @throws BadCommand when it is none */
export function parseDateTime(text: string): number {
  const found = DATE_TIME.exec(text);
  const [, day = '', name = '', year = '', hour = '', minute = '', second = ''] = found ?? [];
  const month = monthOf(name);
  const isRight =
    month >= 0 &&
    isDay(Number(year), month, Number(day)) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 61;
  if (found === null || !isRight) {
    throw new BadCommand(`"${text.slice(0, 40)}" is no date; one looks like " 1-Feb-2024 12:00:00 +0100"`);
  }
  const offset = (Number(found[8]) * 60 + Number(found[9])) * (found[7] === '-' ? -1 : 1);
  const utc = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second));
  return utc - offset * 60_000;
}

/** INTERNALDATE: ` 1-Feb-2024 12:00:00 +0000`. */
export function formatDateTime(time: number): string {
  const date = new Date(time);
  const day = String(date.getUTCDate()).padStart(2, ' ');
  return `${day}-${MONTHS[date.getUTCMonth()] ?? ''}-${yearOf(date)} ${timeOf(date)} +0000`;
}

/** The Date field of a message (RFC 5322): `Thu, 1 Feb 2024 12:00:00 +0000`. */
export function formatMailDate(time: number): string {
  const date = new Date(time);
  const month = MONTHS[date.getUTCMonth()] ?? '';
  return `${DAYS[date.getUTCDay()] ?? ''}, ${date.getUTCDate()} ${month} ${yearOf(date)} ${timeOf(date)} +0000`;
}

/** The day of a moment, in UTC. */
export function dayOf(time: number): Day {
  const date = new Date(time);
  return dayNumber(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
}

/** The day that a Date field names, disregarding its time and zone; `undefined` when it names none. */
export function dayOfField(field: string): Day | undefined {
  const [, day = '', name = '', digits = ''] = MAIL_DATE.exec(field) ?? [];
  const month = monthOf(name);
  if (month < 0) return undefined;
  const short = Number(digits);
  const year = digits.length > 2 ? short : short < 50 ? 2000 + short : 1900 + short;
  return dayNumber(year, month, Number(day));
}

function monthOf(name: string): number {
  const wanted = name.toLowerCase();
  return MONTHS.findIndex((month) => month.toLowerCase() === wanted);
}

function isDay(year: number, month: number, day: number): boolean {
  return day >= 1 && day <= new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

function dayNumber(year: number, month: number, day: number): Day {
  return year * 10_000 + (month + 1) * 100 + day;
}

function yearOf(date: Date): string {
  return String(date.getUTCFullYear()).padStart(4, '0');
}

function timeOf(date: Date): string {
  return date.toISOString().slice(11, 19);
}
