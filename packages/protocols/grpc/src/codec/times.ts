import { create, fromJson, toJson, type DescMessage, type JsonValue } from '@bufbuild/protobuf';
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { FieldError, show } from './field-error.js';

type Plain = Readonly<Record<string, unknown>>;

/** A time as in RFC 3339. @throws FieldError when it is none */
export function timestampToPlain(value: unknown): Plain {
  return toPlain(TimestampSchema, value, 'must be a time such as "2026-01-31T12:00:00Z"');
}

/** Seconds, as in `1.5s`. @throws FieldError when it is none */
export function durationToPlain(value: unknown): Plain {
  return toPlain(DurationSchema, value, 'must be seconds such as "1.5s"');
}

/** The reverse of {@link timestampToPlain}; a time that no calendar has stays as it is. */
export function plainToTimestamp(plain: Plain): unknown {
  return fromPlain(TimestampSchema, plain);
}

/** The reverse of {@link durationToPlain}; what is no duration stays as it is. */
export function plainToDuration(plain: Plain): unknown {
  return fromPlain(DurationSchema, plain);
}

type Time = typeof TimestampSchema | typeof DurationSchema;

function toPlain(type: Time, value: unknown, problem: string): Plain {
  try {
    const { seconds, nanos } = fromJson<Time & DescMessage>(type, value as JsonValue);
    return { seconds: String(seconds), nanos };
  } catch {
    throw new FieldError(`${problem}, got ${show(value)}`);
  }
}

function fromPlain(type: Time, plain: Plain): unknown {
  const seconds = (plain['seconds'] as string | undefined) ?? '0';
  const nanos = (plain['nanos'] as number | undefined) ?? 0;
  try {
    return toJson<Time & DescMessage>(
      type,
      create<Time & DescMessage>(type, { seconds: BigInt(seconds), nanos }),
    );
  } catch {
    return { seconds, nanos };
  }
}
