import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(import.meta.url);

/**
 * Pages are modules that import Vue, and stand where no installation of it is: it is looked for from here.
 *
 * @returns {import('vite').Plugin}
 */
export function resolveVue() {
  return {
    name: 'vue-of-the-site',
    enforce: 'pre',
    resolveId(source, importer, options) {
      if (!/^vue(?:$|\/)/.test(source) || importer?.endsWith('.md') !== true) return null;
      return this.resolve(source, HERE, { ...options, skipSelf: true });
    },
  };
}
