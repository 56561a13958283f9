import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What a kind may be called: it is a folder, a package name, a key in JSON and the stem of an identifier. */
const KIND = /^[a-z][a-z0-9]*$/;
/** The kind is the name of an exported constant too. */
const RESERVED =
  /^(arguments|as|async|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield)$/;

/** What has a meaning to npm where it stands, so that the template has it under another name. */
const RENAMED = new Map([
  ['gitignore', '.gitignore'],
  ['package.template.json', 'package.json'],
]);

/**
 * Makes a new protocol package out of templates. In file names and contents `__kind__` becomes the kind, `__Kind__` the
 * kind with a capital, and `__version__` the version of the packages it is made for.
 *
 * @param {readonly string[]} templates their folders
 * @param {string} target the package's folder, which must be empty or not exist
 * @param {{ kind: string, version: string }} names
 * @returns {string[]} the files written, by their path in the package, sorted
 * @throws {Error} when the kind cannot be a name, or there is something in the folder
 */
export function fillTemplate(templates, target, { kind, version }) {
  if (!KIND.test(kind) || RESERVED.test(kind)) {
    throw new Error(
      `"${kind}" cannot be a kind: use lower-case letters and digits, beginning with a letter, and no word of JavaScript; such as "redis"`,
    );
  }
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new Error(`${target} exists already; name a folder that is empty or not there`);
  }
  /** @param {string} text */
  const fill = (text) =>
    text
      .replaceAll('__kind__', kind)
      .replaceAll('__Kind__', `${kind[0]?.toUpperCase()}${kind.slice(1)}`)
      .replaceAll('__version__', version);
  const written = templates.flatMap((template) =>
    listFiles(template).map((file) => {
      const name = fill(RENAMED.get(file) ?? file);
      mkdirSync(dirname(join(target, name)), { recursive: true });
      writeFileSync(join(target, name), fill(readFileSync(join(template, file), 'utf8')));
      return name;
    }),
  );
  return written.sort();
}

/**
 * @param {string} folder
 * @returns {string[]} the files below it, by their path in it; what tools have left there does not count
 */
function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !/(^|[\\/])(node_modules|dist)[\\/]/.test(file));
}
