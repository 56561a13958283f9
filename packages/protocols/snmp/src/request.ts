import { correctFirst, isReadOid } from './oid.js';
import type { Operation, Request, RequestBinding } from './message.js';
import type { IncomingPdu } from './wire/message-processor.js';
import { PDU, TAG } from './wire/tags.js';
import { encodeValue, type NativeValue } from './wire/value.js';

/** The operations by the tags of their PDUs. */
const OPERATIONS = new Map<number, Operation>([
  [PDU.get, 'GET'],
  [PDU.getNext, 'GETNEXT'],
  [PDU.getBulk, 'GETBULK'],
  [PDU.set, 'SET'],
]);

/** Makes a request of a message; `undefined` for a PDU that is no request. @throws Error for bindings that are none */
export function readRequest({ version, principal, pdu }: IncomingPdu): Request | undefined {
  const operation = OPERATIONS.get(pdu.type);
  if (operation === undefined) return undefined;
  const bindings: RequestBinding[] = [];
  for (const { oid: read, type, value } of pdu.varbinds) {
    const oid = correctFirst(read);
    if (!isReadOid(oid)) throw new Error(`"${oid}" is no OID`);
    bindings.push(check({ oid, tag: type, native: nativeOf(type, value) }));
  }
  return { operation, version, principal, context: pdu.contextName ?? '', bindings };
}

function nativeOf(type: number, value: unknown): NativeValue {
  if (type === TAG.oid && typeof value === 'string') {
    const oid = correctFirst(value);
    if (!isReadOid(oid)) throw new Error(`"${oid}" is no OID`);
    return oid;
  }
  if (typeof value === 'number' || typeof value === 'string' || Buffer.isBuffer(value)) return value;
  // BOOLEAN is no type of SNMP; net-snmp reads it all the same.
  if (value === null || value === undefined) return null;
  throw new Error('a value is of no type of SNMP');
}

/** Lets a value pass that can be sent back as it is. */
function check(binding: RequestBinding): RequestBinding {
  const { tag, native } = binding;
  if (native === null) return binding;
  encodeValue(binding);
  if (tag === TAG.counter64 && Buffer.isBuffer(native) && !isCounter64(native)) {
    throw new Error('a Counter64 has more than 64 bits');
  }
  return binding;
}

function isCounter64(octets: Buffer): boolean {
  return octets.length > 0 && octets.length <= (octets[0] === 0 ? 9 : 8);
}
