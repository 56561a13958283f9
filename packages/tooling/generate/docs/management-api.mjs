import { inline } from './inline.mjs';
import { GENERATED, anchor, formatAs, table } from './markdown.mjs';
import { SHARED, divideRoutes, placeSchemas } from './management-pages.mjs';
import { printJson, printProtocols, schemaPrefix } from './printed.mjs';
import { FIELD_COLUMNS, rowsOf, typeOf } from './schema-rows.mjs';

/** @import { ApiPage } from './management-pages.mjs' */
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
const FOLDER = 'docs/reference/management-api';

const INTRODUCTION = `# Management API

Everything that the management port (9091 unless said otherwise) answers, for every protocol that comes with Backlot: a page for
each protocol, and one for each thing that all of them share. The same as an OpenAPI document is [\`openapi.json\`](openapi.json);
a server gives its own at \`/api/openapi.json\`, and a page to read at \`/api/docs\`.

- Bodies are JSON, whatever their content type says. Durations are texts such as \`250ms\` or \`1m30s\`, times RFC 3339.
- Errors are \`{"error": "..."}\`, with \`details\` (a path and a message for each problem) when a body is not valid. Any route
  may answer 400 for a body that is no JSON, 401 when a token is asked for, 403 for a foreign \`Host\` or \`Origin\`, 404 for a
  path that is not there, 405 with \`Allow\`, and 413 for a body that is too large.
- A protocol that is installed and not enabled lists nothing and answers 503 to changes; one that is not installed, 404.`;

/**
 * Every route of the management port and the schemas they use: a page for each protocol, one for each tag of the other routes, one for
 * the schemas that several pages use, and the page that leads to all of them.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateManagementApi(root) {
  const document = await printJson(root, 'openapi');
  /** @type {Record<string, Record<string, Operation>>} */
  const paths = inline(document.paths, document, () => true);
  /** @type {Record<string, Schema>} */
  const schemas = document.components.schemas;
  const protocols = await printProtocols(root);
  /** Schemas that the pages of the protocols describe. */
  const elsewhere = new Map(
    protocols.flatMap(({ protocol }) => [
      [`${schemaPrefix(protocol)}Mock`, `../../protocols/${protocol}.md#mocks`],
      [`${schemaPrefix(protocol)}Fault`, `../../protocols/${protocol}.md#faults`],
      [`${schemaPrefix(protocol)}Message`, `../../protocols/${protocol}.md#captured-messages`],
    ]),
  );
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  /** @type {readonly string[]} */
  const tags = document.tags.map((/** @type {{ name: string }} */ tag) => tag.name);
  const pages = divideRoutes(routes, tags, protocols);
  const places = placeSchemas(pages, schemas, elsewhere);

  /** @type {Record<string, string>} */
  const files = {};
  /** @param {string} path @param {readonly string[]} parts */
  const write = async (path, parts) => {
    files[path] = await formatAs(root, path, [GENERATED, ...parts].join('\n\n'));
  };
  for (const { name, title, isProtocol, sections } of pages) {
    const links = linksFrom(name, places, elsewhere);
    const described = sections.flatMap(({ tag, routes: own }) => [
      ...(sections.length === 1 ? [] : [`## ${tag}`]),
      ...own.flatMap(({ method, path, operation }) => describeRoute(method, path, operation, links)),
    ]);
    const about = isProtocol ? ` What its fields mean says [its page](../../protocols/${name}.md).` : '';
    await write(`${FOLDER}/${name}.md`, [
      `# Management API: ${title}`,
      `A part of the [management API](../management-api.md).${about}`,
      ...described,
      ...describeSchemas('## Types', name, schemas, places, links),
    ]);
  }
  await write(`${FOLDER}/${SHARED}.md`, [
    '# Management API: shared types',
    'What bodies and answers on several pages of the [management API](../management-api.md) hold.',
    ...describeSchemas(undefined, SHARED, schemas, places, linksFrom(SHARED, places, elsewhere)),
  ]);
  await write(FILE, [INTRODUCTION, ...describePages(pages)]);
  return files;
}

/** @param {readonly ApiPage[]} pages */
function describePages(pages) {
  const own = pages.filter(({ isProtocol }) => isProtocol);
  const others = pages.filter(({ isProtocol }) => !isProtocol);
  /** @param {ApiPage} page */
  const link = ({ name, title }) => `[${title}](management-api/${name}.md)`;
  const rows = others.flatMap((page) =>
    page.sections
      .flatMap(({ routes }) => routes)
      .map(({ method, path, operation }, index) => [
        index === 0 ? link(page) : '',
        `\`${method} ${path}\``,
        operation.summary,
      ]),
  );
  return [
    '## By protocol',
    table(
      ['Protocol', 'What its page has'],
      own.map((page) => [link(page), page.sections.map(({ tag }) => tag).join(', ')]),
    ),
    '## For all protocols',
    table(['Page', 'Route', 'What it does'], rows),
    `The types that several pages use have [a page](management-api/${SHARED}.md).`,
  ];
}

/**
 * @param {string | undefined} heading
 * @param {string} page
 * @param {Record<string, Schema>} schemas
 * @param {ReadonlyMap<string, string>} places
 * @param {import('./schema-rows.mjs').Links} links
 */
function describeSchemas(heading, page, schemas, places, links) {
  const described = Object.entries(schemas)
    .filter(([name]) => places.get(name) === page)
    .flatMap(([name, schema]) => {
      const rows = rowsOf(schema, links);
      return [`### ${name}`, rows.length === 0 ? typeOf(schema, links) : table(FIELD_COLUMNS, rows)];
    });
  return heading === undefined || described.length === 0 ? described : [heading, ...described];
}

/**
 * @param {string} page
 * @param {ReadonlyMap<string, string>} places
 * @param {ReadonlyMap<string, string>} elsewhere
 * @returns {import('./schema-rows.mjs').Links}
 */
function linksFrom(page, places, elsewhere) {
  return {
    pattern: '../../guides/patterns.md',
    delay: '../../guides/faults-and-scenarios.md#delays',
    schema: (name) => {
      const place = places.get(name);
      return elsewhere.get(name) ?? `${place === page ? '' : `${place}.md`}#${anchor(name)}`;
    },
  };
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 * @param {import('./schema-rows.mjs').Links} links
 * @returns {string[]}
 */
function describeRoute(method, path, { summary, description, parameters, requestBody, responses }, links) {
  const lines = [`### ${method} ${path}`, description === summary ? summary : `${summary} ${description}`];
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
