import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * The TypeScript sources of the protocols of this repository.
 *
 * @param {string} root
 * @returns {{ path: string, owner: string }[]} the path from the root, and the folder of the package
 */
export function listProtocolSources(root) {
  const folder = 'packages/protocols';
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder)).flatMap((owner) => {
    const src = join(root, folder, owner, 'src');
    if (!existsSync(src)) return [];
    return readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .sort()
      .map((file) => ({ path: `${folder}/${owner}/src/${file.split(sep).join('/')}`, owner }));
  });
}
