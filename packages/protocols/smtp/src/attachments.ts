import { runInSlices, type Attachment } from '@backlot/core/plugin';
import { decodeContent } from '@backlot/kit';
import { isAttached, nameOf } from './mime/bodies.js';
import { readStructure } from './mime/leaves.js';
import type { Mail } from './schemas.js';

/** Decodes what is attached to a mail: the one at this place of `attachments`; that of a long mail in slices. */
export function readAttachment(
  { body, body_encoding: encoding }: Mail,
  index: number,
): Attachment | undefined | Promise<Attachment | undefined> {
  return runInSlices(find(Buffer.from(body, encoding ?? 'utf8'), index));
}

function* find(raw: Buffer, index: number): Generator<undefined, Attachment | undefined> {
  const { leaves } = yield* readStructure(raw);
  const leaf = leaves.filter(isAttached)[index];
  if (leaf === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  yield* decodeContent(raw, leaf, (piece) => void pieces.push(Uint8Array.from(piece)));
  return { filename: nameOf(leaf), contentType: leaf.type.value, content: Buffer.concat(pieces) };
}
