import type { Host } from '@backlot/core';
import { saveFlight } from '@backlot/exports';

/** What a browser is given as a file. */
export interface GivenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** A file of the flight recorder, as `backlot save` writes it. */
export async function recordingOf(host: Host, reason: string): Promise<GivenFile> {
  const pieces: Uint8Array[] = [];
  for await (const piece of saveFlight(host, { reason, withSecrets: false })) pieces.push(Buffer.from(piece));
  return { name: 'failed.flight.gz', mimeType: 'application/gzip', buffer: Buffer.concat(pieces) };
}
