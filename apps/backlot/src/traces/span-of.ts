import { randomBytes } from 'node:crypto';
import type { JournalEntry } from '@backlot/core';

/** How much of a target a span's name has. */
const MAX_NAME = 120;
/** How long the value of an attribute is. */
const MAX_VALUE = 1024;
/** Kinds and states, as OTLP numbers them. */
const SERVER = 2;
const ERROR = 2;
const NANOSECONDS = 1_000_000n;

const PARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/;

/** A span in OTLP's JSON: ids in hexadecimal, times in nanoseconds as texts. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** A name with a value, in OTLP's JSON. */
export interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly boolValue: boolean };
}

/** Attributes as OTLP has them; those without a value are left out. */
export function attributesOf(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): readonly OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [
      {
        key,
        value:
          typeof value === 'boolean'
            ? { boolValue: value }
            : { stringValue: String(value).slice(0, MAX_VALUE) },
      },
    ];
  });
}

/**
 * The span of an entry of the log: within the trace that its message names, else in one of its own.
 *
 * @returns undefined where the trace is not sampled, and of what is a span of an application, which sends it itself
 */
export function spanOf(entry: JournalEntry): OtlpSpan | undefined {
  if (entry.span !== undefined) return undefined;
  const given = entry.headers?.['traceparent'];
  const [, , parent, flags] = (typeof given === 'string' && PARENT.exec(given)) || [];
  const isPart = entry.trace !== undefined && parent !== undefined;
  if (isPart && (Number.parseInt(flags ?? '', 16) & 1) === 0) return undefined;
  const start = BigInt(Date.parse(entry.timestamp)) * NANOSECONDS;
  const problem =
    entry.failure ??
    (entry.fault === true
      ? 'a fault hit it'
      : entry.missed === true
        ? 'no mock matched'
        : entry.aborted === true
          ? 'the client left'
          : undefined);
  return {
    traceId: isPart ? (entry.trace ?? '') : randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    ...(isPart ? { parentSpanId: parent } : {}),
    name: `${entry.method} ${entry.path}`.slice(0, MAX_NAME),
    kind: SERVER,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + BigInt(entry.duration_ms) * NANOSECONDS),
    attributes: attributesOf({
      'backlot.protocol': entry.protocol,
      'backlot.method': entry.method,
      'backlot.path': entry.path,
      'backlot.status': entry.status,
      'backlot.mock': entry.matched_id,
      'backlot.log': entry.id,
      'backlot.fault': entry.fault,
      'backlot.unmatched': entry.missed,
      'client.address': entry.remote.replace(/:\d+$/, ''),
    }),
    status: problem === undefined ? {} : { code: ERROR, message: problem.slice(0, MAX_VALUE) },
  };
}
