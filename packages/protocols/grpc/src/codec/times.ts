import { FieldError, show } from './field-error.js';

type Plain = Readonly<Record<string, unknown>>;

const NANOS = 1_000_000_000n;
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;
const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
/** The years 1 to 9999, in seconds. */
const EARLIEST = -62_135_596_800;
const LATEST = 253_402_300_799;
const LONGEST = 315_576_000_000;

/** A time as in RFC 3339. @throws FieldError when it is none */
export function timestampToPlain(value: unknown): Plain {
  const found = typeof value === 'string' ? TIMESTAMP.exec(value) : null;
  const milliseconds =
    found === null ? Number.NaN : Date.parse(`${found[1]}T${found[2]}${found[4]?.toUpperCase()}`);
  const seconds = milliseconds / 1000;
  if (found === null || !(seconds >= EARLIEST && seconds <= LATEST))
    throw new FieldError(`must be a time such as "2026-01-31T12:00:00Z", got ${show(value)}`);
  return { seconds: String(seconds), nanos: Number((found[3] ?? '').padEnd(9, '0')) };
}

/** The reverse of {@link timestampToPlain}; a time that no calendar has stays as it is. */
export function plainToTimestamp(plain: Plain): unknown {
  const seconds = Number(plain['seconds'] ?? 0);
  const nanos = Number(plain['nanos'] ?? 0);
  if (!(seconds >= EARLIEST && seconds <= LATEST) || nanos < 0 || nanos >= Number(NANOS))
    return { seconds: plain['seconds'] ?? '0', nanos };
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${whole}${fraction(nanos)}Z`;
}

/** Seconds, as in `1.5s`. @throws FieldError when it is none */
export function durationToPlain(value: unknown): Plain {
  const found = typeof value === 'string' ? DURATION.exec(value) : null;
  if (found === null || Number(found[2]) > LONGEST)
    throw new FieldError(`must be seconds such as "1.5s", got ${show(value)}`);
  const sign = found[1] === '-' ? -1 : 1;
  const nanos = sign * Number((found[3] ?? '').padEnd(9, '0'));
  return { seconds: String(sign * Number(found[2])), nanos: nanos === 0 ? 0 : nanos };
}

/** The reverse of {@link durationToPlain}. */
export function plainToDuration(plain: Plain): string {
  const seconds = BigInt((plain['seconds'] as string | undefined) ?? 0);
  const all = seconds * NANOS + BigInt(Number(plain['nanos'] ?? 0));
  const size = all < 0n ? -all : all;
  return `${all < 0n ? '-' : ''}${size / NANOS}${fraction(Number(size % NANOS))}s`;
}

/** With 0, 3, 6 or 9 digits, as the JSON form of protobuf has it. */
function fraction(nanos: number): string {
  if (nanos === 0) return '';
  const digits = String(nanos).padStart(9, '0');
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`;
  return digits.endsWith('000') ? `.${digits.slice(0, 6)}` : `.${digits}`;
}
