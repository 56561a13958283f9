import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

/** What browsers get: names with hashes, and a page that names them. */
export default defineConfig({
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
  tsconfig: 'web/tsconfig.json',
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
    const page = readFileSync('web/index.html', 'utf8')
      .replace('%SCRIPT%', find(/^main-.*[.]js$/))
      .replace('%STYLE%', find(/^main-.*[.]css$/));
    writeFileSync('dist/page/index.html', page);
  },
});
