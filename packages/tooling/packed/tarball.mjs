import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * A package as it would be published.
 *
 * @typedef {object} Tarball
 * @property {string} file absolute path
 * @property {import('../scripts/lib/workspace.mjs').Manifest} manifest
 * @property {number} size bytes of the tarball
 * @property {number} unpackedSize bytes of its files
 * @property {string} integrity as a lockfile has it
 */

const BLOCK = 512;

/**
 * @param {string} folder
 * @returns {Tarball[]} those of a folder, in the order of their names
 */
export function readTarballs(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.tgz'))
    .map((file) => readTarball(join(folder, file)))
    .sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
}

/**
 * @param {string} file
 * @returns {Tarball}
 */
function readTarball(file) {
  const packed = readFileSync(file);
  const unpacked = gunzipSync(packed);
  /** @type {Tarball['manifest'] | undefined} */
  let manifest;
  let unpackedSize = 0;
  for (let at = 0; at + BLOCK <= unpacked.length && unpacked[at] !== 0;) {
    // The name is the header's first field, the size stands in octal digits from byte 124.
    const name = textAt(unpacked, at, 100);
    const size = Number.parseInt(textAt(unpacked, at + 124, 12), 8);
    const content = unpacked.subarray(at + BLOCK, at + BLOCK + size);
    if (name === 'package/package.json') manifest = JSON.parse(content.toString('utf8'));
    unpackedSize += size;
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (manifest === undefined) throw new Error(`${file} holds no package/package.json`);
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
  return { file, manifest, size: packed.length, unpackedSize, integrity };
}

/**
 * @param {Buffer} buffer
 * @param {number} start
 * @param {number} length
 */
function textAt(buffer, start, length) {
  const text = buffer.toString('utf8', start, start + length);
  return text.slice(0, text.indexOf('\0'));
}
