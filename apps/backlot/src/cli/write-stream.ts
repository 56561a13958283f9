import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { CommandError } from './command-error.js';
import { outputGone } from './output.js';
import { visibleLines } from './visible.js';

/** Where a file goes that comes in pieces. */
interface Target {
  /** A file; standard output when absent. */
  readonly out: string | undefined;
  readonly isReplaced: boolean;
  /** The mode of a file that is made. */
  readonly mode?: number;
}

/**
 * Writes a file as it comes, so that it is never held whole. What is written to a terminal cannot act on it; a pipe gets the bytes.
 *
 * @throws CommandError for a file that is there, or that cannot be written
 */
export async function writeStream(
  pieces: AsyncIterable<Uint8Array>,
  { out, isReplaced, mode = 0o666 }: Target,
): Promise<void> {
  if (out === undefined) return writeOutput(pieces);
  if (!isReplaced && existsSync(out)) throw new CommandError(`${out} is there already; --force replaces it`);
  // Nothing is made where there is nothing to write.
  const reading = pieces[Symbol.asyncIterator]();
  const first = await reading.next();
  try {
    const file = await open(out, 'w', mode);
    try {
      for (let piece = first; piece.done !== true; piece = await reading.next())
        await file.write(piece.value);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot write ${out}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await reading.return?.();
  }
}

async function writeOutput(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const { stdout } = process;
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    if (outputGone.aborted) return;
    const shown = stdout.isTTY ? visibleLines(decoder.decode(piece, { stream: true })) : piece;
    if (!stdout.write(shown)) await Promise.race([once(stdout, 'drain'), once(outputGone, 'abort')]);
  }
}
