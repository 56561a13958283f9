import { inline } from './inline.mjs';
import { GENERATED, formatAs, table } from './markdown.mjs';
import { printJson, printProtocols } from './printed.mjs';
import { FIELD_COLUMNS, rowsOf } from './schema-rows.mjs';

/** @import { Schema } from './schema-rows.mjs' */

const FILE = 'docs/reference/configuration.md';
const LINKS = {
  pattern: '../guides/patterns.md',
  delay: '../guides/faults-and-scenarios.md#delays',
};
/** Where keys come to stand that have pages of their own. */
const ELSEWHERE = ['protocols', 'scenarios', 'mockly'];

const INTRODUCTION = `# Configuration

YAML or JSON: \`backlot.yaml\`, else \`mockly.yaml\`, in the current folder, or \`-c FILE\`. \`backlot init\` writes one to
start from, with [its schema](backlot.schema.json) beside it for editors to complete by, and \`backlot validate\` names every
problem of one with its line.

- \`\${NAME}\` and \`\${NAME:-default}\` come from the environment, then from \`vars\`; \`$\${\` writes \`\${\`.
- Durations are texts such as \`250ms\`, \`1.5s\`, \`1m30s\`; the units are \`ns us ms s m h\`.
- A \`body\` may be \`{file: PATH}\` or \`{dir: PATH}\`, below the folder of the file. The management API does not take these.
- A protocol is started when its block is there; without a file, all are.`;

/**
 * Every key of the configuration file.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateConfiguration(root) {
  const printed = await printJson(root, 'schema');
  /** @type {Schema} */
  const schema = inline({ ...printed, $defs: undefined }, printed);
  const protocols = await printProtocols(root);
  const { properties = {} } = schema;
  const top = Object.fromEntries(Object.entries(properties).filter(([name]) => !ELSEWHERE.includes(name)));
  const blocks = properties['protocols']?.properties ?? {};
  const shared = keysOfAll(Object.values(blocks));

  const sections = [
    GENERATED,
    INTRODUCTION,
    '## Top level',
    table(FIELD_COLUMNS, rowsOf({ properties: top }, LINKS)),
    '`protocols` and `scenarios` follow below. `mockly.api` is taken for `api`, as Mockly has it, and `mockly.ui` is ignored.',
    '## Every protocol',
    'The keys of each block under `protocols`:',
    table(FIELD_COLUMNS, rowsOf(pick(blocks[protocols[0]?.protocol ?? ''], shared), LINKS)),
    ...protocols.flatMap(({ protocol, title, default_port: port }) => [
      `### ${protocol}`,
      `[${title}](../protocols/${protocol}.md), port ${port} unless said otherwise. The fields of its mocks are on its page.`,
      ...ownKeys(blocks[protocol], shared),
    ]),
    '## Scenarios',
    'Each entry of `scenarios`; [what they do](../guides/faults-and-scenarios.md#scenarios).',
    table(
      FIELD_COLUMNS,
      rowsOf(properties['scenarios']?.items ?? {}, LINKS).filter(([path]) => path !== '`problems`'),
    ),
  ];
  return { [FILE]: await formatAs(root, FILE, sections.join('\n\n')) };
}

/**
 * The fields of a protocol's block that are its own, without those of its mocks and items.
 *
 * @param {Schema | undefined} block
 * @param {readonly string[]} shared
 * @returns {string[]} a table, or nothing when there are none
 */
export function ownKeys(block, shared) {
  const own = Object.keys(block?.properties ?? {}).filter((name) => !shared.includes(name));
  const rows = rowsOf(pick(block, own), LINKS).filter(([path]) => !path?.includes('[]'));
  return rows.length === 0 ? [] : [table(FIELD_COLUMNS, rows)];
}

/**
 * @param {readonly Schema[]} blocks
 * @returns {string[]} the keys that core adds to each block
 */
export function keysOfAll(blocks) {
  const core = ['enabled', 'host', 'port', 'tls'];
  return core.filter((name) => blocks.some(({ properties }) => properties?.[name] !== undefined));
}

/**
 * @param {Schema | undefined} schema
 * @param {readonly string[]} names
 * @returns {Schema}
 */
function pick(schema, names) {
  const { properties = {}, required = [] } = schema ?? {};
  return {
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name))),
    required,
  };
}
