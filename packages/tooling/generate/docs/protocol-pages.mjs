import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keysOfAll, ownKeys } from './configuration.mjs';
import { inline } from './inline.mjs';
import { formatAs, table } from './markdown.mjs';
import { printJson, printProtocols, schemaPrefix } from './printed.mjs';
import { FIELD_COLUMNS, rowsOf } from './schema-rows.mjs';
import { testedWith } from './tested-with.mjs';

/** @import { InstalledProtocol } from './printed.mjs' */
/** @import { Schema } from './schema-rows.mjs' */

const LINKS = {
  pattern: '../guides/patterns.md',
  delay: '../guides/faults-and-scenarios.md#delays',
};
const TRANSPORT = { stream: 'TCP', datagram: 'UDP', both: 'UDP and TCP, the same port' };

/**
 * The tables in the pages of the protocols, between `<!-- generated:NAME -->` and `<!-- /generated -->`; what stands
 * around them is written by hand. A protocol without a page gets one that holds the tables alone.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateProtocolPages(root) {
  /** @type {Record<string, string>} */
  const files = {};
  const printed = await printJson(root, 'schema');
  const schema = inline({ ...printed, $defs: undefined }, printed);
  const openapi = await printJson(root, 'openapi');
  for (const protocol of await printProtocols(root)) {
    const path = `docs/protocols/${protocol.protocol}.md`;
    const file = join(root, path);
    const tables = tablesOf(protocol, schema, (name) => inline(openapi.components.schemas[name], openapi));
    const folder = `packages/protocols/${protocol.protocol}`;
    if (existsSync(join(root, folder))) tables.set('tested', testedWith(root, folder));
    const page = existsSync(file) ? readFileSync(file, 'utf8') : newPage(protocol, tables);
    files[path] = await formatAs(root, path, fillPage(page, tables, path));
  }
  return files;
}

/**
 * @param {InstalledProtocol} protocol
 * @param {Schema} file the schema of the configuration file
 * @param {(name: string) => Schema | undefined} named a schema of the management API
 * @returns {Map<string, string>} by the name of the marker
 */
function tablesOf(protocol, file, named) {
  const kind = protocol.protocol;
  const prefix = schemaPrefix(kind);
  const blocks = file.properties?.['protocols']?.properties ?? {};
  const shared = keysOfAll(Object.values(blocks));
  const hasTls = blocks[kind]?.properties?.['tls'] !== undefined;
  const tables = new Map([
    [
      'facts',
      table(
        ['', ''],
        [
          ['Package', `\`${protocol.package}\``],
          [
            'Listens on',
            `${TRANSPORT[protocol.transport]}, port ${protocol.default_port} unless said otherwise`,
          ],
          ['TLS', hasTls ? 'yes, with `tls`' : 'no'],
        ],
      ),
    ],
    ['config', ownKeys(blocks[kind], shared)[0] ?? 'It has no keys of its own.'],
  ]);
  const parts = { mock: `${prefix}Mock`, fault: `${prefix}Fault`, captured: `${prefix}Message` };
  for (const [name, component] of Object.entries(parts)) {
    const schema = named(component);
    if (schema !== undefined) tables.set(name, table(FIELD_COLUMNS, rowsOf(schema, LINKS)));
  }
  return tables;
}

const HEADINGS = new Map([
  ['config', 'Configuration'],
  ['mock', 'Mocks'],
  ['fault', 'Faults'],
  ['captured', 'Captured messages'],
  ['tested', 'Tested with'],
]);

/**
 * @param {InstalledProtocol} protocol
 * @param {Map<string, string>} tables
 */
function newPage({ title, summary }, tables) {
  const sections = [...tables.keys()].map((name) => {
    const heading = HEADINGS.get(name);
    return `${heading === undefined ? '' : `## ${heading}\n\n`}<!-- generated:${name} -->\n<!-- /generated -->`;
  });
  return [`# ${title}`, summary, ...sections].join('\n\n');
}

/**
 * @param {string} page
 * @param {Map<string, string>} tables
 * @param {string} path
 * @returns {string} the page with its tables filled in
 * @throws {Error} for a marker that names no table, and when a table has no marker
 */
export function fillPage(page, tables, path) {
  const missing = new Set(tables.keys());
  const filled = page.replaceAll(
    /<!-- generated:(\w+) -->[^]*?<!-- \/generated -->/g,
    (_, /** @type {string} */ name) => {
      const content = tables.get(name);
      if (content === undefined) {
        throw new Error(`${path}: there is no table "${name}"; there are ${[...tables.keys()].join(', ')}`);
      }
      missing.delete(name);
      return `<!-- generated:${name} -->\n\n${content}\n\n<!-- /generated -->`;
    },
  );
  if (missing.size > 0) {
    const [name] = missing;
    throw new Error(
      `${path}: the table "${name}" is missing; write <!-- generated:${name} --><!-- /generated --> where it belongs`,
    );
  }
  return filled;
}
