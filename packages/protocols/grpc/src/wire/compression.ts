import { brotliDecompress, gunzip, gzip, inflate, type InputType } from 'node:zlib';

/** Compressions of messages that are understood; answers are compressed with gzip. */
export const CODINGS = ['gzip', 'br', 'deflate'] as const;
/** One of {@link CODINGS}. */
export type Coding = (typeof CODINGS)[number];

/** A shorter answer would not become shorter. */
export const WORTH_COMPRESSING = 1024;

type Done = (error: Error | null, bytes: Buffer) => void;
type Unpack = (bytes: InputType, options: { maxOutputLength: number }, done: Done) => void;

const UNPACK: Readonly<Record<Coding, Unpack>> = { gzip: gunzip, br: brotliDecompress, deflate: inflate };

/** Unpacking a message would give more bytes than are taken. */
export class TooLarge extends Error {}

/**
 * The compression that a header names; `undefined` for none.
 *
 * @throws Error when it is not known, with those that are
 */
export function codingOf(name: string | undefined): Coding | undefined {
  if (name === undefined || name === '' || name === 'identity') return undefined;
  const coding = CODINGS.find((one) => one === name);
  if (coding === undefined)
    throw new Error(`unknown compression ${JSON.stringify(name)}: supported are ${CODINGS.join(', ')}`);
  return coding;
}

/** Whether a client takes answers that are compressed with gzip, by the names in its header. */
export function takesGzip(accepted: string | readonly string[] | undefined): boolean {
  return String(accepted ?? '')
    .split(',', 50)
    .some((item) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(item));
}

/**
 * Unpacks a message, outside of the event loop.
 *
 * @param limit - the most bytes
 * @throws TooLarge beyond the limit
 * @throws Error when the bytes are not so compressed
 */
export function unpack(bytes: Buffer, coding: Coding, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    UNPACK[coding](bytes, { maxOutputLength: limit }, (error, unpacked) => {
      if (error === null) resolve(unpacked);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(new TooLarge());
      else reject(new Error(`the message is not valid ${coding}: ${error.message}`));
    });
  });
}

/** Packs a message with gzip, outside of the event loop. */
export function pack(bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(bytes, (error, packed) => (error === null ? resolve(packed) : reject(error)));
  });
}
