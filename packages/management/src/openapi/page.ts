import { createHash } from 'node:crypto';
import type { OpenApiDocument, Operation } from './document.js';

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; background: #fff }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.2rem }
details { border-top: 1px solid #ddd; padding: .4rem 0 }
summary { cursor: pointer }
code, pre { font: 13px/1.45 ui-monospace, monospace }
pre { background: #f5f5f5; padding: .7rem; overflow: auto }
b { display: inline-block; width: 4.5rem }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } pre { background: #242424 } details { border-color: #383838 } a { color: #8ab4f8 } }
`;

/** The content security policy of the page: its own style, and nothing else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * A page that lists the operations of an OpenAPI document, for where there is no other. It has no script and loads nothing. Yields after each operation, see
 * `runInSlices`.
 */
export function* renderPage(document: OpenApiDocument): Generator<undefined, string> {
  const tags: string[] = [];
  for (const { name } of document.tags) tags.push(yield* renderTag(document, name));
  const sections = tags.join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Backlot management</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Backlot management</h1>
<p>Every route of this server, also as <a href="openapi.json">OpenAPI 3.1</a>.${renderPlace(document)}</p>
${sections}
</body>
</html>
`;
}

/** Where the routes are, unless it is the root of where the page is. */
function renderPlace({ servers }: OpenApiDocument): string {
  const url = servers[0]?.url ?? '/';
  return url === '/' ? '' : ` All paths are below <code>${escape(url)}</code>.`;
}

function* renderTag(document: OpenApiDocument, tag: string): Generator<undefined, string> {
  const operations: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.tags.includes(tag)) continue;
      operations.push(renderOperation(method, path, operation, document));
      yield;
    }
  }
  return `<h2>${escape(tag)}</h2>\n${operations.join('\n')}`;
}

function renderOperation(
  method: string,
  path: string,
  operation: Operation,
  document: OpenApiDocument,
): string {
  const title = `<b>${escape(method.toUpperCase())}</b> <code>${escape(path)}</code> ${escape(operation.summary)}`;
  const description =
    operation.description === operation.summary ? '' : `<p>${escape(operation.description)}</p>`;
  return renderDetails(
    title,
    description +
      renderParameters(operation, document) +
      renderBody(operation, document) +
      renderAnswers(operation, document),
  );
}

interface Described {
  readonly name?: string;
  readonly description?: string;
}

/** A part of an operation, or what it refers to. */
function partOf(part: object, { components }: OpenApiDocument): object {
  const { $ref: reference } = part as { readonly $ref?: string };
  if (reference === undefined) return part;
  const [section = '', name = ''] = reference.split('/').slice(-2);
  return (components[section] as Readonly<Record<string, object>>)[name] ?? {};
}

function renderParameters({ parameters = [] }: Operation, document: OpenApiDocument): string {
  const rows = parameters.map((part) => {
    const { name = '', description = '' } = partOf(part, document) as Described;
    return `<li><code>${escape(name)}</code> ${escape(description)}</li>`;
  });
  return rows.length === 0 ? '' : `<ul>${rows.join('')}</ul>`;
}

/** The examples of the body; its schema is in the document. */
function renderBody({ requestBody }: Operation, document: OpenApiDocument): string {
  if (requestBody === undefined) return '';
  const { content } = partOf(requestBody, document) as {
    readonly content?: Record<string, { examples?: Record<string, { value: unknown }> }>;
  };
  const examples = Object.values(content?.['application/json']?.examples ?? {});
  return examples.map(({ value }) => `<pre>${escape(JSON.stringify(value))}</pre>`).join('');
}

function renderAnswers({ responses }: Operation, document: OpenApiDocument): string {
  const rows = Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, part]) => {
      const { description = '' } = partOf(part, document) as Described;
      return `<li><code>${status}</code> ${escape(description)}</li>`;
    });
  return `<ul>${rows.join('')}</ul>`;
}

function renderDetails(title: string, body: string): string {
  return `<details><summary>${title}</summary>${body}</details>`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
