import { withHeaders, type StoredMessage } from './stored-message.js';

const NOTHING = Buffer.alloc(0);

/** A message without its payload, whose size is a header. */
export function headersOf({ headerBytes, payload }: StoredMessage): {
  readonly headerBytes: Buffer;
  readonly payload: Buffer;
} {
  const size = String(payload.length);
  return { headerBytes: withHeaders(headerBytes, [['Nats-Msg-Size', size]], 'behind'), payload: NOTHING };
}
