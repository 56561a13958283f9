import {
  checkAt,
  closedObject,
  givenBytesFields,
  invalid,
  readGivenBytes,
  Type,
  type EmissionDeclaration,
  type Json,
} from '@backlot/core/plugin';
import type { Frames } from './frames.js';
import { isHex, parseHex } from './payload.js';

/** What can be sent to clients that are connected, without their having asked. */
export const EMISSION: EmissionDeclaration = {
  summary: 'Sends text or bytes to the clients that are connected, as a message of the framing.',
  schema: closedObject({
    ...givenBytesFields('data'),
    client: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'To this client alone: its address, or its address and port as the list of connections shows them; to all when absent.',
      }),
    ),
  }),
  examples: [{ data: 'TICK\n' }, { data: 'hex:8001ff', client: '127.0.0.1:50122' }],
};

/** The message that is to be sent. @throws BacklotError `invalid` when there is none, it is given twice, or the framing cannot have it */
export function emittedBytes(given: Json, frames: Frames | undefined): string | Buffer {
  const { data } = given;
  const bytes =
    typeof data === 'string' && isHex(data)
      ? (readGivenBytes(given, 'data'), checkAt('/data', () => parseHex(data)))
      : readGivenBytes(given, 'data');
  if (bytes.length > 0) return frames === undefined ? bytes : checkAt('', () => frames.frame(bytes));
  const message = 'nothing would be sent: give data, json or data_base64';
  throw invalid(message, [{ path: '/data', message }]);
}

/** Whether a client is the one that is meant: `10.0.0.7` is any connection of it. @param remote - `address:port` */
export function isClient(remote: string, client: unknown): boolean {
  if (client === undefined || remote === client) return true;
  return remote.slice(0, remote.lastIndexOf(':')).replaceAll(/^\[|\]$/g, '') === client;
}
