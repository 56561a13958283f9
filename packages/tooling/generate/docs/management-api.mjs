import { inline } from './inline.mjs';
import { GENERATED, anchor, formatAs, table } from './markdown.mjs';
import { printJson, printProtocols, schemaPrefix } from './printed.mjs';
import { FIELD_COLUMNS, rowsOf, typeOf } from './schema-rows.mjs';

/** @import { Schema } from './schema-rows.mjs' */

/**
 * @typedef {object} Parameter
 * @property {string} name
 * @property {string} in
 * @property {string} [description]
 * @property {Schema} schema
 *
 * @typedef {Record<string, { schema: Schema }>} Content by media type
 *
 * @typedef {object} Operation
 * @property {readonly string[]} tags
 * @property {string} summary
 * @property {string} [description]
 * @property {readonly Parameter[]} [parameters]
 * @property {{ required: boolean, content: Content }} [requestBody]
 * @property {Record<string, { description: string, content?: Content }>} responses
 */

const FILE = 'docs/reference/management-api.md';

const INTRODUCTION = `# Management API

Everything that the management port (9091 unless said otherwise) answers, for every protocol that comes with Backlot. The
same as an OpenAPI document is [\`openapi.json\`](openapi.json); a server gives its own at \`/api/openapi.json\`, and a page to
read at \`/api/docs\`.

- Bodies are JSON, whatever their content type says. Durations are texts such as \`250ms\` or \`1m30s\`, times RFC 3339.
- Errors are \`{"error": "..."}\`, with \`details\` (a path and a message for each problem) when a body is not valid. Any route
  may answer 400 for a body that is no JSON, 401 when a token is asked for, 403 for a foreign \`Host\` or \`Origin\`, 404 for a
  path that is not there, 405 with \`Allow\`, and 413 for a body that is too large.
- A protocol that is installed and not enabled lists nothing and answers 503 to changes; one that is not installed, 404.`;

/**
 * Every route of the management port, by tag, and the schemas they use.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateManagementApi(root) {
  const document = await printJson(root, 'openapi');
  /** @type {Record<string, Record<string, Operation>>} */
  const paths = inline(document.paths, document, () => true);
  /** @type {readonly string[]} */
  const tags = document.tags.map((/** @type {{ name: string }} */ tag) => tag.name);
  /** @type {Record<string, Schema>} */
  const schemas = document.components.schemas;
  const pages = new Map(
    (await printProtocols(root)).flatMap(({ protocol }) => [
      [`${schemaPrefix(protocol)}Mock`, `../protocols/${protocol}.md#mocks`],
      [`${schemaPrefix(protocol)}Fault`, `../protocols/${protocol}.md#faults`],
      [`${schemaPrefix(protocol)}Message`, `../protocols/${protocol}.md#captured-messages`],
    ]),
  );
  const links = {
    pattern: '../guides/patterns.md',
    delay: '../guides/faults-and-scenarios.md#delays',
    /** @param {string} name */
    schema: (name) => pages.get(name) ?? `#${anchor(name)}`,
  };

  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sections = tags.flatMap((tag) => [
    `## ${tag}`,
    ...operations
      .filter(({ operation }) => operation.tags.includes(tag))
      .flatMap(({ path, method, operation }) => describeRoute(method, path, operation, links)),
  ]);
  const own = Object.entries(schemas).filter(([name]) => !pages.has(name));
  const described = own.flatMap(([name, schema]) => {
    const rows = rowsOf(schema, links);
    return [`### ${name}`, rows.length === 0 ? `${typeOf(schema, links)}` : table(FIELD_COLUMNS, rows)];
  });
  const content = [GENERATED, INTRODUCTION, ...sections, '## Schemas', ...described].join('\n\n');
  return { [FILE]: await formatAs(root, FILE, content) };
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 * @param {import('./schema-rows.mjs').Links} links
 * @returns {string[]}
 */
function describeRoute(method, path, { summary, description, parameters, requestBody, responses }, links) {
  const lines = [`### ${method} ${path}`, description === undefined ? summary : `${summary} ${description}`];
  if (parameters !== undefined) {
    const rows = parameters.map(({ name, in: place, schema, description: text }) => [
      `\`${name}\``,
      place,
      typeOf(schema, links),
      schema.default === undefined ? '' : `\`${String(schema.default)}\``,
      text ?? schema.description ?? '',
    ]);
    lines.push(table(['Parameter', 'In', 'Type', 'Default', 'Meaning'], rows));
  }
  if (requestBody !== undefined) {
    const [media] = Object.values(requestBody.content);
    const type = typeOf(media?.schema ?? {}, links);
    lines.push(`Body${requestBody.required ? '' : ' (may be left out)'}: ${type}`);
    const rows = rowsOf(media?.schema ?? {}, links);
    if (rows.length > 0) lines.push(table(FIELD_COLUMNS, rows));
  }
  const rows = Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, answer]) => [status, bodyOf(status, answer.content, links), answer.description]);
  lines.push(table(['Answer', 'Body', 'Meaning'], rows));
  return lines;
}

/**
 * @param {string} status
 * @param {Content | undefined} content
 * @param {import('./schema-rows.mjs').Links} links
 */
function bodyOf(status, content, links) {
  const [[type, media] = []] = Object.entries(content ?? {});
  if (type === undefined || media === undefined || Number(status) >= 400) return '';
  return type === 'application/json' ? typeOf(media.schema, links) : `\`${type}\``;
}
