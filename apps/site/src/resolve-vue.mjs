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
    configResolved({ optimizeDeps }) {
      // They are looked for from the pages as well, found when they are used, and need no step of their own before.
      optimizeDeps.include = (optimizeDeps.include ?? []).filter((name) => !name.startsWith('vitepress > '));
    },
    resolveId(source, importer, options) {
      if (!/^vue(?:$|\/)/.test(source) || importer?.endsWith('.md') !== true) return null;
      return this.resolve(source, HERE, { ...options, skipSelf: true });
    },
  };
}
