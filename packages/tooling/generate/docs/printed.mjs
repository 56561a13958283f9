import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** @type {Map<string, Promise<string>>} */
const printed = new Map();

/**
 * What the built command prints. Each command runs once, however many generators read it.
 *
 * @param {string} root
 * @param {...string} args
 * @returns {Promise<string>}
 * @throws {Error} when the command is not built
 */
export function print(root, ...args) {
  const command = join(root, 'apps', 'backlot', 'bin', 'backlot.js');
  if (!existsSync(join(root, 'apps', 'backlot', 'dist'))) {
    throw new Error(`${command} is not built; run \`npm run build\` first`);
  }
  const key = [root, ...args].join('\0');
  let output = printed.get(key);
  if (output === undefined) {
    const options = {
      cwd: root,
      maxBuffer: 2 ** 26,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '' },
    };
    output = run(process.execPath, [command, ...args], options).then(({ stdout }) => stdout);
    printed.set(key, output);
  }
  return output;
}

/**
 * A JSON document that the built command prints.
 *
 * @param {string} root
 * @param {...string} args
 * @returns {Promise<any>}
 */
export async function printJson(root, ...args) {
  return JSON.parse(await print(root, ...args));
}

/**
 * @typedef {object} InstalledProtocol one protocol as `backlot plugins --json` lists it
 * @property {string} protocol the kind
 * @property {string} title
 * @property {string} package
 * @property {'stream' | 'datagram' | 'both'} transport
 * @property {number} default_port
 * @property {string} summary
 * @property {readonly string[]} variables the names of the environment variables by which programs find it
 */

/**
 * @param {string} root
 * @returns {Promise<InstalledProtocol[]>} the protocols that the built command brings along
 */
export function printProtocols(root) {
  return printJson(root, 'plugins', '--json');
}

/**
 * The start of the names that a kind's schemas have in the OpenAPI document: `Http` of `HttpMock`.
 *
 * @param {string} kind
 */
export function schemaPrefix(kind) {
  return kind
    .split('-')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}
