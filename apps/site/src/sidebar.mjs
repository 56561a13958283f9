import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ROOT, isPage, pageOf } from './pages.mjs';

/** Sections of the table of contents that a reader opens first; the others are closed until somebody wants them. */
const OPEN = 2;

/**
 * The bar at the side: the sections of `docs/README.md` with the first link of each line of their lists.
 *
 * @returns {{ text: string, collapsed: boolean, items: { text: string, link: string }[] }[]}
 * @throws {Error} for a line whose link leads to no page
 */
export function readSidebar() {
  const source = 'docs/README.md';
  const [, ...sections] = readFileSync(join(ROOT, source), 'utf8').split(/^## /m);
  return sections
    .map((section, index) => ({
      text: section.slice(0, section.indexOf('\n')),
      collapsed: index >= OPEN,
      items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)(#[^)]*)?\)/gm)].map(
        ([, text = '', target = '', anchor = '']) => {
          const page = posix.join(posix.dirname(source), target);
          if (!isPage(page)) throw new Error(`${source}: ${target} is no page`);
          return { text, link: `/${pageOf(page).replace(/\.md$/, '')}${anchor}` };
        },
      ),
    }))
    .filter(({ items }) => items.length > 0);
}
