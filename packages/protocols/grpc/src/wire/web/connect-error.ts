import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { Code, nameOfCode } from '../status.js';
import type { RpcStatus } from '../rpc-call.js';

/** The HTTP status of each code in a unary answer of Connect. */
const HTTP_STATUS: ReadonlyMap<number, number> = new Map([
  [Code.CANCELLED, 499],
  [Code.UNKNOWN, 500],
  [Code.INVALID_ARGUMENT, 400],
  [Code.DEADLINE_EXCEEDED, 504],
  [Code.NOT_FOUND, 404],
  [Code.ALREADY_EXISTS, 409],
  [Code.PERMISSION_DENIED, 403],
  [Code.RESOURCE_EXHAUSTED, 429],
  [Code.FAILED_PRECONDITION, 400],
  [Code.ABORTED, 409],
  [Code.OUT_OF_RANGE, 400],
  [Code.UNIMPLEMENTED, 501],
  [Code.INTERNAL, 500],
  [Code.UNAVAILABLE, 503],
  [Code.DATA_LOSS, 500],
  [Code.UNAUTHENTICATED, 401],
]);

/** Where gRPC has the details of an error. */
export const DETAILS = 'grpc-status-details-bin';

/** The HTTP status of an error in a unary answer. */
export function httpStatusOf(code: number): number {
  return HTTP_STATUS.get(code) ?? 500;
}

/** An error as Connect writes it. */
export interface ConnectError {
  readonly code: string;
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

/** A status, which is no success, as Connect writes it. */
export function connectError({ code, details: message, metadata }: RpcStatus): ConnectError {
  const name = code === Code.CANCELLED ? 'canceled' : nameOfCode(code).toLowerCase();
  const [packed] = metadata?.get(DETAILS) ?? [];
  const details = packed === undefined ? [] : readDetails(Buffer.from(packed));
  return {
    code: name,
    ...(message === '' ? {} : { message }),
    ...(details.length === 0 ? {} : { details }),
  };
}

/** Takes the details out of a google.rpc.Status: its field 3, each a google.protobuf.Any. */
function readDetails(status: Uint8Array): { type: string; value: string }[] {
  const details: { type: string; value: string }[] = [];
  eachBytes(status, (number, any) => {
    if (number !== 3) return;
    let type = '';
    let value: Uint8Array = new Uint8Array(0);
    eachBytes(any, (inner, bytes) => {
      if (inner === 1) type = Buffer.from(bytes).toString('utf8').replace(/^.*\//, '');
      else if (inner === 2) value = bytes;
    });
    details.push({ type, value: Buffer.from(value).toString('base64').replace(/=+$/, '') });
  });
  return details;
}

function eachBytes(message: Uint8Array, take: (number: number, bytes: Uint8Array) => void): void {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited) take(number, reader.bytes());
    else reader.skip(wireType, number);
  }
}
