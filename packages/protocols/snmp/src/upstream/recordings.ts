import { isUtf8 } from 'node:buffer';
import { Differences, literal, redactText, type RecordedPair } from '@backlot/kit/upstream';
import { correctFirst } from '../oid.js';
import { TAG } from '../wire/tags.js';
import { formatNative, nameOfType, type SnmpValue } from '../wire/value.js';

/** An OID of an answer with its value. */
export interface ReceivedBinding extends SnmpValue {
  readonly oid: string;
}

/** An answer of an upstream. */
export interface ReceivedAnswer {
  readonly octets: Buffer;
  /** The name of its error status. */
  readonly status: string;
  readonly bindings: readonly ReceivedBinding[];
}

/** Values that say that there is none. */
const NOTHING: ReadonlySet<number> = new Set([TAG.noSuchObject, TAG.noSuchInstance, TAG.endOfMibView]);
const CONTROL = /[\0-\x08\x0e-\x1f]/;

/** Makes bindings of what net-snmp has read. */
export function readBindings(
  varbinds: readonly { readonly oid: string; readonly type: number; readonly value: unknown }[],
): readonly ReceivedBinding[] {
  return varbinds.map(({ oid, type, value }) => {
    const native =
      typeof value === 'number' || typeof value === 'string' || Buffer.isBuffer(value) ? value : null;
    return {
      oid: correctFirst(oid),
      tag: type,
      native: type === TAG.oid && typeof native === 'string' ? correctFirst(native) : native,
    };
  });
}

/** A mock for each value of an answer; or why there are none. */
export function recordingsOf({ status, bindings }: ReceivedAnswer): readonly RecordedPair[] | string {
  if (status !== 'noError') return `its error status is ${status}, which mocks do not give`;
  const values = bindings.filter(({ tag }) => !NOTHING.has(tag));
  if (values.length === 0 && bindings.some(({ tag }) => tag !== TAG.endOfMibView))
    return 'there is nothing at its OID, for which there are no mocks';
  return values.map((binding) => ({
    key: binding.oid,
    name: binding.oid,
    match: { oid: binding.oid },
    answer: valueOf(binding),
  }));
}

/** The fields of a mock that give a value. */
function valueOf({ tag, native }: ReceivedBinding): Readonly<Record<string, unknown>> {
  const type = nameOfType(tag);
  if (native === null) return { type: 'null', value: null };
  if (typeof native !== 'object') return { type, value: native };
  if (tag === TAG.counter64) return { type, value: formatNative({ tag, native }) };
  const text = native.toString();
  if (tag === TAG.octetString && isUtf8(native) && !CONTROL.test(text))
    return { type, value: literal(redactText(text)) };
  return { type: tag === TAG.octetString ? 'hex' : type, value: native.toString('hex') };
}

/** A value as the journal shows it. */
export function lineOf({ oid, tag, native }: ReceivedBinding): string {
  const text = redactText(formatNative({ tag, native }));
  return `${oid} = ${nameOfType(tag)}${text === '' ? '' : `: ${text}`}`;
}

/** An answer as it is compared. */
export interface ComparedAnswer {
  readonly status: string;
  /** The bindings, as the journal shows them. */
  readonly lines: readonly string[];
}

/** Where two answers differ. */
export function differencesOf(mocked: ComparedAnswer, real: ComparedAnswer): readonly string[] {
  const differences = new Differences();
  if (mocked.status !== real.status) differences.add('status', mocked.status, real.status);
  differences.compare('bindings', mocked.lines, real.lines);
  return differences.found;
}
