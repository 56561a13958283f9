import { runInSlices, type Attachment, type PiecedAttachment } from '@backlot/core/plugin';
import { decodeContent } from '@backlot/kit';
import { isAttached, nameOf } from './mime/bodies.js';
import { readStructure } from './mime/leaves.js';
import type { Mail } from './schemas.js';

/** Decodes what is attached to a mail as it is shown: the one at this place of `attachments`; that of a long mail in slices. */
export async function readAttachment(
  { body, body_encoding: encoding, attachments }: Mail,
  index: number,
): Promise<Attachment | undefined> {
  const raw = Buffer.from(body, encoding ?? 'utf8');
  const found = await findAttachment(raw, attachments, index);
  if (found === undefined) return undefined;
  const { filename, contentType } = found;
  const pieces: Uint8Array[] = [];
  const steps = found.pieces();
  await runInSlices(
    (function* () {
      for (let step = steps.next(); step.done !== true; step = steps.next()) {
        if (step.value !== undefined) pieces.push(step.value);
        yield;
      }
    })(),
  );
  return { filename, contentType, content: Buffer.concat(pieces) };
}

/**
 * Finds what is attached to a mail, in slices where that is long; it is decoded a piece at a time.
 *
 * @param attachments - what was measured of them
 */
export function findAttachment(
  raw: Buffer,
  attachments: Mail['attachments'],
  index: number,
): PiecedAttachment | undefined | Promise<PiecedAttachment | undefined> {
  return runInSlices(find(raw, attachments, index));
}

function* find(
  raw: Buffer,
  attachments: Mail['attachments'],
  index: number,
): Generator<undefined, PiecedAttachment | undefined> {
  const { leaves } = yield* readStructure(raw);
  const leaf = leaves.filter(isAttached)[index];
  const measured = attachments[index];
  if (leaf === undefined || measured === undefined) return undefined;
  return {
    filename: nameOf(leaf),
    contentType: leaf.type.value,
    length: measured.size,
    *pieces() {
      let made: Uint8Array | undefined;
      const steps = decodeContent(raw, leaf, (piece) => {
        made = Uint8Array.from(piece);
      });
      for (let step = steps.next(); step.done !== true; step = steps.next()) {
        yield made;
        made = undefined;
      }
    },
  };
}
