import { printJson } from './printed.mjs';

const OPENAPI = 'docs/reference/openapi.json';
const SCHEMA = 'docs/reference/backlot.schema.json';

/**
 * The documents that programs read, without white space: the management API with every installed protocol, and the configuration
 * file.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateReferenceJson(root) {
  return {
    [OPENAPI]: `${JSON.stringify(await printJson(root, 'openapi'))}\n`,
    [SCHEMA]: `${JSON.stringify(await printJson(root, 'schema'))}\n`,
  };
}
