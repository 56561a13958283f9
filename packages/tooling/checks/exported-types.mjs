import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProtocolSources } from './protocol-sources.mjs';

const GENERATED = 'src/types.generated.ts';

/**
 * Looks for generated types that the entry point of their package does not export.
 *
 * @param {string} root
 * @returns {string[]} one sentence per type
 */
export function findUnexportedTypes(root) {
  return listProtocolSources(root)
    .filter(({ path }) => path.endsWith(`/${GENERATED}`))
    .flatMap(({ path }) => {
      const index = path.replace(GENERATED, 'src/index.ts');
      const text = existsSync(join(root, index)) ? readFileSync(join(root, index), 'utf8') : '';
      const [, list = ''] = /export type \{([^}]*)\} from '\.\/types\.generated\.js'/.exec(text) ?? [];
      const exported = new Set(list.split(',').map((name) => name.trim()));
      const generated = readFileSync(join(root, path), 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm);
      return [...generated]
        .map(([, name = '']) => name)
        .filter((name) => !exported.has(name))
        .map((name) => `${index} does not export ${name} of ./types.generated.js`);
    });
}
