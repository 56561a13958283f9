import type { Host } from '@backlot/core';
import { flightTools } from '../exports/tools.js';
import { writeStream } from './write-stream.js';

/** Nobody else reads what clients have sent. */
const OWNER_ONLY = 0o600;

/**
 * Writes what a host has to a file.
 *
 * @returns why it could not be written; undefined where it was
 */
export async function writeFlight(file: string, host: Host, reason: string): Promise<string | undefined> {
  try {
    const { saveFlight } = await flightTools();
    await writeStream(saveFlight(host, { reason }), { out: file, isReplaced: true, mode: OWNER_ONLY });
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
