import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { defineBuild } from '@backlot/tooling/tsup';
import type { Options } from 'tsup';

/** What browsers get: files with hashes in their names, and a page that names them. */
const page: Options = {
  entry: { main: 'web/main.tsx' },
  outDir: 'dist/page',
  format: 'esm',
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17'],
  minify: true,
  splitting: true,
  treeshake: true,
  noExternal: [/.*/],
  clean: true,
  silent: true,
  outExtension: () => ({ js: '.js' }),
  esbuildOptions(options) {
    options.entryNames = '[name]-[hash]';
    options.chunkNames = '[name]-[hash]';
    options.assetNames = '[name]-[hash]';
    options.legalComments = 'none';
    options.loader = { ...options.loader, '.svg': 'file' };
  },
  async onSuccess() {
    const files = readdirSync('dist/page');
    const find = (pattern: RegExp): string => {
      const name = files.find((file) => pattern.test(file));
      if (name === undefined) throw new Error(`the page has no file ${pattern}`);
      return `ui/${name}`;
    };
    const icon = readFileSync('web/icon.svg');
    writeFileSync('dist/page/icon.svg', icon);
    const html = readFileSync('web/index.html', 'utf8')
      .replace('%SCRIPT%', find(/^main-.*[.]js$/))
      .replace('%STYLE%', find(/^main-.*[.]css$/));
    writeFileSync('dist/page/index.html', html);
  },
};

/** The handler; in CommonJS, where a module knows its place by another name, `import.meta.url` is replaced. */
const handler: Options = { ...defineBuild(), shims: true, clean: ['!page/**'] };

export default [handler, page];
