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
 * A page that shows an OpenAPI document. It has no script and loads nothing. Yields after each operation and schema, see
 * `runInSlices`.
 */
export function* renderPage(document: OpenApiDocument): Generator<undefined, string> {
  const tags: string[] = [];
  for (const { name } of document.tags) tags.push(yield* renderTag(document, name));
  const details: string[] = [];
  for (const [name, schema] of Object.entries(document.components['schemas'] ?? {})) {
    details.push(renderDetails(`<code id="${escape(name)}">${escape(name)}</code>`, renderJson(schema)));
    yield;
  }
  const sections = tags.join('\n');
  const schemas = details.join('\n');
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
<h2>Schemas</h2>
${schemas}
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
      operations.push(renderOperation(method, path, operation));
      yield;
    }
  }
  return `<h2>${escape(tag)}</h2>\n${operations.join('\n')}`;
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const title = `<b>${escape(method.toUpperCase())}</b> <code>${escape(path)}</code> ${escape(operation.summary)}`;
  const description = operation.description === undefined ? '' : `<p>${escape(operation.description)}</p>`;
  const parts = ['parameters', 'requestBody', 'responses']
    .filter((name) => operation[name] !== undefined)
    .map((name) => `<p>${name}</p>${renderJson(operation[name])}`);
  return renderDetails(title, description + parts.join(''));
}

function renderDetails(title: string, body: string): string {
  return `<details><summary>${title}</summary>${body}</details>`;
}

function renderJson(value: unknown): string {
  return `<pre>${escape(JSON.stringify(value, undefined, 2))}</pre>`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
