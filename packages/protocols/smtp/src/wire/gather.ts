import type { Readable } from 'node:stream';
import { runInSlices } from '@backlot/core/plugin';
import { KeptBytes } from '@backlot/kit';
import { Gathered } from '@backlot/kit/framing';
import type { RawMail } from '../mail-transactions.js';

const NOTHING = Buffer.alloc(0);
/** Mails stay in the inbox and in the journal. */
const kept = new KeptBytes();

/**
 * Hands on the whole message at its end, or nothing when it was too large; never when the client leaves before. A long one is put
 * together in slices, since the system takes its time for new memory.
 */
export function gather(
  stream: Readable & { readonly sizeExceeded: boolean },
  take: (raw: RawMail | undefined) => unknown,
): void {
  // Most mails come in one chunk, which need not be copied.
  let only: Buffer = NOTHING;
  const several = new Gathered();
  stream.on('data', (chunk: Buffer) => {
    if (stream.sizeExceeded) {
      only = NOTHING;
      several.clear();
    } else if (only.length === 0 && several.length === 0) {
      only = chunk;
    } else {
      if (only.length > 0) several.append(only);
      only = NOTHING;
      several.append(chunk);
    }
  });
  stream.on('end', () => {
    if (stream.sizeExceeded) take(undefined);
    else take(several.length === 0 ? kept.keep(only) : join(several));
  });
  stream.on('error', () => undefined);
}

function join(several: Gathered): RawMail {
  const joined = runInSlices(several.takeSteps());
  return joined instanceof Promise ? joined.then(keep) : keep(joined);
}

function keep(bytes: Uint8Array): Buffer {
  return kept.keep(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}
