import { fileURLToPath } from 'node:url';

/** What `backlot new-protocol` writes: the sources and tests of a protocol, and the package around them. */
export const PROTOCOL_TEMPLATES: readonly string[] = ['protocol', 'package'].map((name) =>
  fileURLToPath(new URL(`../template/${name}`, import.meta.url)),
);
