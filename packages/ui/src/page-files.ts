import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** One file of the page. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** The same, with gzip; packed when it is first asked for. */
  packed(): Buffer;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The files of the page, by the path of their url. @throws Error when there are none */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  // The same from `src` and from `dist`.
  const folder = fileURLToPath(new URL('../dist/page/', import.meta.url));
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    const isPage = name === 'index.html';
    let packed: Buffer | undefined;
    files.set(isPage ? '/' : `/ui/${name}`, {
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      bytes,
      packed: () => (packed ??= gzipSync(bytes, { level: 9 })),
      isHashed: !isPage,
    });
  }
  return files;
}
