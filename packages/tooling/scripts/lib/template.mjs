import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a kind may be called: it is a folder, a package name, a key in JSON and the stem of an identifier. */
const KIND = /^[a-z][a-z0-9]*$/;

/**
 * Makes a new protocol package out of the template. In file names and contents `__kind__` becomes the kind and
 * `__Kind__` the kind with a capital.
 *
 * @param {string} templateDir
 * @param {string} targetDir the package's folder, which must not exist
 * @param {string} kind
 * @returns {string[]} the files written, by their path in the package
 * @throws {Error} when the kind cannot be a name, or the package exists
 */
export function fillTemplate(templateDir, targetDir, kind) {
  if (!KIND.test(kind)) {
    throw new Error(
      `"${kind}" cannot be a kind: use lower-case letters and digits, beginning with a letter, such as "redis"`,
    );
  }
  if (existsSync(targetDir)) throw new Error(`${targetDir} exists already`);
  /** @param {string} text */
  const fill = (text) =>
    text.replaceAll('__kind__', kind).replaceAll('__Kind__', `${kind[0]?.toUpperCase()}${kind.slice(1)}`);
  const files = readdirSync(templateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(templateDir.length + 1))
    .filter((file) => !/(^|[\\/])(node_modules|dist)[\\/]/.test(file))
    .sort();
  for (const file of files) {
    const target = join(targetDir, fill(file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, fill(readFileSync(join(templateDir, file), 'utf8')));
  }
  return files.map(fill);
}
