import { readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ROOT, isDocument, pageOf } from './pages.mjs';

/**
 * The JSON documents of `docs`, which stand beside the pages in the site as they do in the repository, and the icon.
 *
 * @returns {import('vite').Plugin}
 */
export function documents() {
  const sources = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.split(sep).join('/')}`)
    .filter(isDocument);
  const contents = new Map([
    ...sources.map((source) => /** @type {const} */ ([pageOf(source), join(ROOT, source)])),
    ['icon.svg', join(ROOT, 'packages', 'ui', 'web', 'icon.svg')],
  ]);
  let isForServer = false;
  return {
    name: 'json-documents',
    configResolved: ({ build }) => {
      isForServer = build.ssr !== false;
    },
    configureServer: ({ middlewares }) => {
      middlewares.use((request, response, next) => {
        const file = contents.get((request.url ?? '').replace(/[?#].*/, '').slice(1));
        if (file === undefined) return next();
        response.setHeader('content-type', file.endsWith('.svg') ? 'image/svg+xml' : 'application/json');
        response.end(readFileSync(file));
      });
    },
    generateBundle() {
      if (isForServer) return;
      for (const [fileName, file] of contents)
        this.emitFile({ type: 'asset', fileName, source: readFileSync(file) });
    },
  };
}
