import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { PackedPart, TakenPart } from '@backlot/core';
import { nextTurn } from '@backlot/core/plugin';

/** The most bytes of a copy. */
export const MOST_COPIED = 64 * 1024 * 1024;

/** What clients have stored at one moment, as bytes. */
export interface StoredCopy {
  /** The name of the replica that was the home. */
  readonly from: string;
  /** The revision up to which that had made all changes. */
  readonly revision: number;
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number;
  readonly bytes: Buffer;
  /** Of the data alone: the same for the same data. */
  readonly digest: string;
}

/** A part of a copy; its data are bytes, so that one that is not needed is not read. */
type WrittenPart = Omit<PackedPart, 'data'> & { readonly bytes: Buffer };

interface WrittenCopy extends Omit<StoredCopy, 'bytes'> {
  readonly parts: readonly WrittenPart[];
}

/**
 * Makes a copy of what was taken, part by part.
 *
 * @returns undefined when it would have more than {@link MOST_COPIED} bytes
 */
export async function writeCopy(
  taken: readonly TakenPart[],
  facts: Pick<StoredCopy, 'from' | 'revision' | 'at'>,
): Promise<StoredCopy | undefined> {
  const parts: WrittenPart[] = [];
  const hash = createHash('sha256');
  let size = 0;
  for (const { pack, ...place } of taken) {
    const bytes = serialize(await pack());
    size += bytes.length;
    if (size > MOST_COPIED) return undefined;
    parts.push({ ...place, bytes });
    hash.update(`${JSON.stringify(place)} ${bytes.length}\n`).update(bytes);
    await nextTurn();
  }
  const digest = hash.digest('hex');
  const bytes = serialize({ ...facts, digest, parts } satisfies WrittenCopy);
  return bytes.length > MOST_COPIED ? undefined : { ...facts, digest, bytes };
}

/** What a copy says of itself. @throws Error when the bytes are none */
export function readCopy(bytes: Buffer): StoredCopy {
  const { parts: _parts, ...facts } = deserialize(bytes) as WrittenCopy;
  return { ...facts, bytes };
}

/** The data of a copy. @param isWanted - which parts */
export function partsOf(
  copy: StoredCopy,
  isWanted: (part: { readonly space?: string }) => boolean,
): readonly PackedPart[] {
  const { parts } = deserialize(copy.bytes) as WrittenCopy;
  return parts
    .filter(isWanted)
    .map(({ bytes, ...place }) => ({ ...place, data: deserialize(bytes) as unknown }));
}
