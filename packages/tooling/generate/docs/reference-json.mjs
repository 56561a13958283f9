import { formatAs } from './markdown.mjs';
import { printJson } from './printed.mjs';

const OPENAPI = 'docs/reference/openapi.json';
const SCHEMA = 'docs/reference/backlot.schema.json';

/**
 * The documents that programs read: the management API with every installed protocol, and the configuration file.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateReferenceJson(root) {
  const openapi = JSON.stringify(await printJson(root, 'openapi'));
  const schema = JSON.stringify(await printJson(root, 'schema'));
  return {
    [OPENAPI]: await formatAs(root, OPENAPI, openapi),
    [SCHEMA]: await formatAs(root, SCHEMA, schema),
  };
}
