import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Metadata } from '@grpc/grpc-js';
import { parseDuration } from '@backlot/core/plugin';

const TYPE_URL = 'type.googleapis.com/google.rpc.RetryInfo';

/**
 * The trailers that say when a call may be tried again: a google.rpc.Status with a RetryInfo.
 *
 * @param delay - a duration such as `1s`
 */
export function retryInfo(code: number, message: string, delay: string): Metadata {
  const milliseconds = parseDuration(delay);
  const seconds = Math.floor(milliseconds / 1000);
  // google.protobuf.Duration: seconds = 1, nanos = 2. RetryInfo: retry_delay = 1.
  const duration = new BinaryWriter().uint32(8).int64(seconds);
  const nanos = Math.round((milliseconds - seconds * 1000) * 1_000_000);
  if (nanos > 0) duration.uint32(16).int32(nanos);
  const info = new BinaryWriter().uint32(10).bytes(duration.finish()).finish();
  // google.protobuf.Any: type_url = 1, value = 2. google.rpc.Status: code = 1, message = 2, details = 3.
  const any = new BinaryWriter().uint32(10).string(TYPE_URL).uint32(18).bytes(info).finish();
  const status = new BinaryWriter().uint32(8).int32(code).uint32(18).string(message).uint32(26).bytes(any);
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(status.finish()));
  return metadata;
}
