import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterRealTime } from '@backlot/core/plugin';
import type { ReplicaKey } from '../replica-key.js';
import { handOver } from './hand-over.js';
import { MOST_COPIED } from './stored-copy.js';

/** No kind has such a name: what is handed over under it is a copy. */
const NAME = /^\*copy ([\da-z]+) (\d{1,9}) ([\da-f]{64})$/;
const TAKEN = 1;
/** How long a copy may be on its way, in milliseconds. */
const TIMEOUT = 30_000;
/** The places of a connection that no client has made. */
const NOWHERE = { address: '0.0.0.0', port: 0 };

/** A copy that somebody wants to hand over. */
export interface OfferedCopy {
  /** The process that offers it. */
  readonly session: string;
  readonly size: number;
  readonly digest: string;
}

/** What is offered under a name; undefined when it is a connection of a client. */
export function offeredBy(name: string): OfferedCopy | undefined {
  const [, session, size, digest] = NAME.exec(name) ?? [];
  if (session === undefined || digest === undefined) return undefined;
  return { session, size: Number(size), digest };
}

/**
 * Hands a copy over to another replica. What the header is sealed with covers the copy, by its digest.
 *
 * @returns whether it was taken
 * @throws Error when the other replica is not reached
 */
export async function sendCopy(
  to: { readonly host: string; readonly port: number },
  session: string,
  bytes: Buffer,
  key: ReplicaKey,
): Promise<boolean> {
  const digest = createHash('sha256').update(bytes).digest('hex');
  const name = `*copy ${session} ${bytes.length} ${digest}`;
  const far = await handOver(to, { name, client: NOWHERE, server: NOWHERE }, key);
  if (far === undefined) return false;
  return await new Promise((resolve) => {
    const timer = afterRealTime(TIMEOUT, () => far.destroy());
    let isTaken = false;
    far.on('data', ([first]: Buffer) => (isTaken = first === TAKEN));
    far.once('close', () => {
      timer.cancel();
      resolve(isTaken);
    });
    far.end(bytes);
  });
}

/**
 * Reads a copy that was offered.
 *
 * @param take - is given its bytes once all have come, and are those that were offered
 */
export function receiveCopy(
  socket: Socket,
  { size, digest }: OfferedCopy,
  take: (bytes: Buffer) => void,
): void {
  if (size > MOST_COPIED) {
    socket.destroy();
    return;
  }
  const parts: Buffer[] = [];
  let length = 0;
  const timer = afterRealTime(TIMEOUT, () => socket.destroy());
  socket.once('close', () => timer.cancel());
  socket.on('data', (part) => {
    parts.push(part);
    length += part.length;
    if (length > size) socket.destroy();
  });
  socket.once('end', () => {
    const bytes = Buffer.concat(parts);
    if (bytes.length !== size || createHash('sha256').update(bytes).digest('hex') !== digest) {
      socket.destroy();
      return;
    }
    take(bytes);
    socket.end(Buffer.from([TAKEN]));
  });
}
