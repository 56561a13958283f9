import { illegal } from './errors.mjs';
import { timeOf } from './mappings.mjs';

const PARTS = {
  yyyy: '(?<y>\\d{4})',
  MM: '(?<M>\\d\\d)',
  dd: '(?<d>\\d\\d)',
  HH: '(?<H>\\d\\d)',
  mm: '(?<m>\\d\\d)',
  ss: '(?<s>\\d\\d)',
};
const OPTIONAL = new Set([
  'strict_date_optional_time',
  'date_optional_time',
  'strict_date_optional_time_nanos',
]);

/** What reads a date by one format; `undefined` for a format that is not known. */
function readerOf(format) {
  if (format === 'epoch_millis') return (text) => (/^-?\d+$/.test(text) ? Number(text) : Number.NaN);
  if (format === 'epoch_second') return (text) => (/^-?\d+$/.test(text) ? Number(text) * 1000 : Number.NaN);
  if (OPTIONAL.has(format)) return (text) => timeOf(text);
  const named = { date: 'yyyy-MM-dd', strict_date: 'yyyy-MM-dd', basic_date: 'yyyyMMdd' }[format] ?? format;
  const source = named
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/'([^']*)'/g, '$1')
    .replace(/yyyy|MM|dd|HH|mm|ss/g, (name) => PARTS[name]);
  if (/[a-zA-Z]/.test(source.replaceAll(/\(\?<\w>|\\d/g, '').replaceAll('T', ''))) return undefined;
  let pattern;
  try {
    pattern = new RegExp(`^${source}$`);
  } catch {
    return undefined;
  }
  return (text) => {
    const found = pattern.exec(text)?.groups;
    if (found === undefined) return Number.NaN;
    return Date.UTC(
      found.y ?? 1970,
      (found.M ?? 1) - 1,
      found.d ?? 1,
      found.H ?? 0,
      found.m ?? 0,
      found.s ?? 0,
    );
  };
}

/** Minutes by which a zone is ahead of UTC. */
function offsetOf(zone) {
  if (zone === undefined || /^(utc|z|gmt)$/i.test(zone)) return 0;
  const found = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (found === null)
    throw illegal(`time_zone [${zone}] of a range is not mocked: only UTC and offsets such as +01:00 are`);
  return (found[1] === '-' ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3]));
}

/**
 * Prepares what reads the bounds of a range over dates.
 *
 * @returns takes a bound, and `read`, which reads one that has date math or no format
 */
export function boundReader({ format, time_zone: zone }) {
  const ahead = offsetOf(zone);
  const formats = format === undefined ? undefined : String(format).split('||');
  const readers = formats?.map((one) => {
    const reader = readerOf(one);
    if (reader === undefined) throw illegal(`format [${one}] of a range is not mocked`);
    return reader;
  });
  return (value, read) => {
    const text = String(value);
    if (ahead !== 0 && text.includes('/'))
      throw illegal(`rounding of [${text}] in a time_zone is not mocked`);
    if (/^now|\|\|/.test(text)) return read(value);
    let time = readers === undefined ? read(value) : Number.NaN;
    for (const reader of readers ?? []) {
      time = reader(text);
      if (!Number.isNaN(time)) break;
    }
    if (Number.isNaN(time)) throw illegal(`failed to parse date field [${text}] with format [${format}]`);
    // What says its own zone, or is a number, is at that time whatever the zone.
    const isFixed = /^-?\d{5,}$|[zZ]$|T.*[+-]\d\d:?\d\d$/.test(text);
    return isFixed ? time : time - ahead * 60_000;
  };
}
