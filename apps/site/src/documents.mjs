import { readFileSync, readdirSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { ROOT, isDocument, pageOf } from './pages.mjs';

/** @type {Readonly<Record<string, string>>} */
const TYPES = { '.svg': 'image/svg+xml', '.png': 'image/png' };

/**
 * The JSON documents of `docs`, which stand beside the pages in the site as they do in the repository, the icon, and the pictures of
 * the first page.
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
    ...['light', 'dark'].map(
      (look) =>
        /** @type {const} */ ([
          `home-${look}.png`,
          join(ROOT, 'docs', 'images', `page-timeline-${look}.png`),
        ]),
    ),
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
        response.setHeader('content-type', TYPES[extname(file)] ?? 'application/json');
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
