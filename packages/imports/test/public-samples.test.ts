import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const GUIDE = join(ROOT, 'docs/guides/importing.md');

it('names only files that are there, and pages that show the task', () => {
  const [, section = ''] = readFileSync(GUIDE, 'utf8').split('## Files that others made\n');
  const rows = (section.split('\n## ', 1)[0] ?? '').split('\n').filter((line) => /^\|.*`/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const [, file = ''] = /`([^`]+)`/.exec(row) ?? [];
    expect({ file, isThere: existsSync(join(ROOT, file)) }).toEqual({ file, isThere: true });
    const pages = Array.from(row.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g), ([, page = '', anchor]) => {
      const path = page === '' ? GUIDE : join(dirname(GUIDE), page);
      const headings = readFileSync(path, 'utf8').match(/^#+ .*$/gm) ?? [];
      const anchors = headings.map((line) =>
        line
          .replace(/^#+ /, '')
          .toLowerCase()
          .replaceAll(/[^a-z0-9]+/g, '-'),
      );
      return anchor === undefined || anchors.includes(anchor);
    });
    expect({ row, pages }).toEqual({ row, pages: pages.map(() => true) });
    expect(pages.length).toBeGreaterThan(0);
  }
});
