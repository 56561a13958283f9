/** Writes a date in UTC. */
export type FormatDate = (date: Date) => string | number;

type Writer = (date: Date) => string;

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DAY = 86_400_000;

// The order matters: of two parts that start alike the longer one comes first, as in Go's nextStdChunk.
const PARTS =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|002|0[1-6]|15|__2|_2(?!006)|[1-5]|PM|pm|-07:00:00|-070000|-07:00|-0700|-07|Z07:00:00|Z070000|Z07:00|Z0700|Z07|[.,](?:0+|9+)(?!\d)/g;

const WRITERS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ['January', (date) => MONTHS[date.getUTCMonth()] ?? ''],
  ['Jan', (date) => (MONTHS[date.getUTCMonth()] ?? '').slice(0, 3)],
  ['1', (date) => String(date.getUTCMonth() + 1)],
  ['01', (date) => two(date.getUTCMonth() + 1)],
  ['Monday', (date) => DAYS[date.getUTCDay()] ?? ''],
  ['Mon', (date) => (DAYS[date.getUTCDay()] ?? '').slice(0, 3)],
  ['2', (date) => String(date.getUTCDate())],
  ['_2', (date) => String(date.getUTCDate()).padStart(2, ' ')],
  ['02', (date) => two(date.getUTCDate())],
  ['__2', (date) => String(dayOfYear(date)).padStart(3, ' ')],
  ['002', (date) => String(dayOfYear(date)).padStart(3, '0')],
  ['15', (date) => two(date.getUTCHours())],
  ['3', (date) => String(hourOfTwelve(date))],
  ['03', (date) => two(hourOfTwelve(date))],
  ['4', (date) => String(date.getUTCMinutes())],
  ['04', (date) => two(date.getUTCMinutes())],
  ['5', (date) => String(date.getUTCSeconds())],
  ['05', (date) => two(date.getUTCSeconds())],
  ['2006', (date) => String(date.getUTCFullYear()).padStart(4, '0')],
  ['06', (date) => two(Math.abs(date.getUTCFullYear()) % 100)],
  ['PM', (date) => (date.getUTCHours() >= 12 ? 'PM' : 'AM')],
  ['pm', (date) => (date.getUTCHours() >= 12 ? 'pm' : 'am')],
  ['MST', () => 'UTC'],
  ['-07:00:00', () => '+00:00:00'],
  ['-070000', () => '+000000'],
  ['-07:00', () => '+00:00'],
  ['-0700', () => '+0000'],
  ['-07', () => '+00'],
]);

/** The layouts that Go's package time names, by those names. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['ANSIC', 'Mon Jan _2 15:04:05 2006'],
  ['UnixDate', 'Mon Jan _2 15:04:05 MST 2006'],
  ['RubyDate', 'Mon Jan 02 15:04:05 -0700 2006'],
  ['RFC822', '02 Jan 06 15:04 MST'],
  ['RFC822Z', '02 Jan 06 15:04 -0700'],
  ['RFC850', 'Monday, 02-Jan-06 15:04:05 MST'],
  ['RFC1123', 'Mon, 02 Jan 2006 15:04:05 MST'],
  ['RFC1123Z', 'Mon, 02 Jan 2006 15:04:05 -0700'],
  ['RFC3339', '2006-01-02T15:04:05Z07:00'],
  ['RFC3339Nano', '2006-01-02T15:04:05.999999999Z07:00'],
  ['Kitchen', '3:04PM'],
  ['Stamp', 'Jan _2 15:04:05'],
  ['StampMilli', 'Jan _2 15:04:05.000'],
  ['StampMicro', 'Jan _2 15:04:05.000000'],
  ['StampNano', 'Jan _2 15:04:05.000000000'],
  ['DateTime', '2006-01-02 15:04:05'],
  ['DateOnly', '2006-01-02'],
  ['TimeOnly', '15:04:05'],
]);

const SHORT: ReadonlyMap<string, FormatDate> = new Map<string, FormatDate>([
  ['rfc3339', (date) => date.toISOString()],
  ['unix', (date) => Math.floor(date.getTime() / 1000)],
  ['unix_ms', (date) => date.getTime()],
]);

/**
 * Compiles a layout of Go's package time (the reference time is `Mon Jan 2 15:04:05 MST 2006`), the name of one
 * (`RFC1123`), or `rfc3339` (with milliseconds), `unix`, `unix_ms` (both give numbers).
 *
 * @returns `undefined` when the layout holds no part of a date
 */
export function compileLayout(layout: string): FormatDate | undefined {
  const short = SHORT.get(layout);
  if (short !== undefined) {
    return short;
  }
  const writers: Writer[] = [];
  const text = NAMED.get(layout) ?? layout;
  let end = 0;
  for (const found of text.matchAll(PARTS)) {
    const [part] = found;
    const before = text.slice(end, found.index);
    const writer = writerOf(part);
    writers.push((date) => before + writer(date));
    end = found.index + part.length;
  }
  if (writers.length === 0) {
    return undefined;
  }
  const rest = text.slice(end);
  return (date) => writers.reduce((written, writer) => written + writer(date), '') + rest;
}

function writerOf(part: string): Writer {
  const known = WRITERS.get(part);
  if (known !== undefined) {
    return known;
  }
  if (part.startsWith('Z')) {
    return () => 'Z';
  }
  const mark = part.charAt(0);
  const digits = part.length - 1;
  if (part.charAt(1) === '0') {
    return (date) => mark + fraction(date, digits);
  }
  return (date) => {
    const shown = fraction(date, digits).replace(/0+$/, '');
    return shown === '' ? '' : mark + shown;
  };
}

function fraction(date: Date, digits: number): string {
  return String(date.getUTCMilliseconds()).padStart(3, '0').padEnd(digits, '0').slice(0, digits);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function hourOfTwelve(date: Date): number {
  return date.getUTCHours() % 12 || 12;
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / DAY) + 1;
}
