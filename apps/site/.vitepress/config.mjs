import { fileURLToPath } from 'node:url';
import { ROOT, pageOf } from '../src/pages.mjs';
import { resolveVue } from '../src/resolve-vue.mjs';
import { readSidebar } from '../src/sidebar.mjs';
import { documents } from '../src/documents.mjs';
import { fitMarkdown, renderForSearch, slugify } from '../src/markdown.mjs';

/**
 * How much a page counts in the search: who looks for a word wants the guide that explains it before the tables that name it.
 *
 * @param {string} id of a section, its page first
 */
function rank(id) {
  if (id.includes('/reference/')) return 0.2;
  return id.includes('/decisions/') || id.includes('/architecture') ? 0.4 : 1;
}

const NAV = [
  { text: 'Tutorial', link: '/guides/tutorial' },
  { text: 'All pages', link: '/contents' },
  { text: 'Configuration', link: '/reference/configuration' },
  { text: 'Management API', link: '/reference/management-api' },
];

const base = process.env['SITE_BASE'] ?? '/';

/**
 * The pages stand where they are written; `docs/README.md` is the table of contents, and the bar at the side is made from it.
 *
 * @type {import('vitepress').UserConfig}
 */
export default {
  title: 'Backlot',
  description: 'One mock server for every network service that a test needs.',
  lang: 'en',
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  base,
  srcDir: ROOT,
  srcExclude: [
    'packages/**',
    'clients/**',
    'apps/!(site)/**',
    'apps/site/!(home.md)',
    'examples/*/!(README.md)/**',
  ],
  outDir: fileURLToPath(new URL('../dist', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../.cache', import.meta.url)),
  rewrites: pageOf,
  lastUpdated: false,
  metaChunk: true,
  markdown: { config: (md) => fitMarkdown(md, base), anchor: { slugify }, attrs: { disable: true } },
  vite: { plugins: [resolveVue(), documents()], build: { chunkSizeWarningLimit: 8192 } },
  themeConfig: {
    search: {
      provider: 'local',
      options: { _render: renderForSearch, miniSearch: { searchOptions: { boostDocument: rank } } },
    },
    nav: NAV,
    outline: [2, 3],
    externalLinkIcon: false,
    docFooter: { prev: 'Before', next: 'Next' },
    sidebar: readSidebar(),
  },
};
