import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocumentPage } from './api.js';

const FOLDERS = ['guides', 'protocols', 'services'];

/** The pages of the documentation that come with this package; none where it was not built. */
export function listPages(): readonly DocumentPage[] {
  // The same from `src` and from `dist`.
  const top = fileURLToPath(new URL('../dist/docs/', import.meta.url));
  return FOLDERS.filter((folder) => existsSync(join(top, folder))).flatMap((folder) =>
    readdirSync(join(top, folder))
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file): DocumentPage => {
        const path = join(top, folder, file);
        return {
          name: `${folder}/${file}`,
          title: file.replace(/\.md$/, ''),
          read: () => readFileSync(path, 'utf8'),
        };
      }),
  );
}

/** What `/llms.txt` answers (https://llmstxt.org): what this is, and where an agent reads and does things. */
export function describeForAgents(): string {
  const pages = listPages().map(({ name, title }) => `- [${title}](backlot://docs/${name})`);
  return [
    '# Backlot',
    '',
    '> A mock server for many protocols with one management API. Agents use it by the Model Context Protocol at /mcp, or by "backlot mcp" on standard input and output.',
    '',
    '- [OpenAPI document of the management API](/api/openapi.json)',
    '',
    '## Pages, as resources of /mcp',
    '',
    ...pages,
    '',
  ].join('\n');
}
