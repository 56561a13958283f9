import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

/**
 * @param {string} root
 * @param {string} path from the root
 * @param {string} content
 * @returns {Promise<string>} as prettier writes a file of this path
 */
export async function formatAs(root, path, content) {
  return format(content, { ...(await resolveConfig(join(root, path))), filepath: path });
}
