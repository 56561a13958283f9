import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatAs, table } from './markdown.mjs';
import { printProtocols } from './printed.mjs';
import { listServices } from '../services.mjs';
import { fillPage } from './protocol-pages.mjs';

const TRANSPORT = { stream: '', datagram: ' (UDP)', both: ' (UDP and TCP)' };

/**
 * The protocols that are there, in the README and on the first page of the documentation.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateProtocolLists(root) {
  const protocols = await printProtocols(root);
  const rows = protocols.map((each) => [
    `[${each.title}](docs/protocols/${each.protocol}.md)`,
    `\`${each.package}\``,
    `${each.default_port}${TRANSPORT[each.transport]}`,
  ]);
  const lists = {
    'README.md': table(['Protocol', 'Package', 'Default port'], rows),
    'docs/README.md': protocols
      .map(({ title, protocol, summary }) => `- [${title}](protocols/${protocol}.md): ${summary}`)
      .join('\n'),
  };
  /** @type {[string, string][]} */
  const services = [
    [
      'services',
      listServices(root)
        .map(({ header: { name, title, summary } }) => `- [${title}](services/${name}.md): ${summary}`)
        .join('\n'),
    ],
  ];
  /** @type {Record<string, string>} */
  const files = {};
  for (const [path, list] of Object.entries(lists)) {
    const page = readFileSync(join(root, path), 'utf8');
    const filled = fillPage(
      page,
      new Map([['protocols', list], ...(path === 'docs/README.md' ? services : [])]),
      path,
    );
    files[path] = await formatAs(root, path, filled);
  }
  return files;
}
