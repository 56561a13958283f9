import type { ImportFile } from '@backlot/core/plugin';
import { isJsonType } from '../shared/answer.js';
import { literal } from '../shared/literal.js';
import { memberOf, pointTo, treeOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { contentValues, mediaType } from './content-values.js';
import { parameterName } from './paths.js';
import type { OperationTools } from './operation-tools.js';

const METHODS = ['post', 'put', 'patch', 'get', 'delete'];
const MOST = 10;

/** The callbacks of an operation as webhooks: they are sent when the operation is called. */
export function callbackWebhooks(
  operation: Tree,
  document: ImportFile,
  tools: OperationTools,
  place: string,
): readonly Tree[] {
  const webhooks: Tree[] = [];
  for (const [name, given] of Object.entries(treeOf(operation['callbacks']))) {
    const callback = tools.references.follow({ value: given, document });
    for (const [expression, path] of Object.entries(treeOf(callback.value))) {
      const at = pointTo(pointTo(place, 'callbacks'), name);
      const url = urlOf(expression);
      if (url === undefined) {
        tools.notes.refused(
          at,
          `the url of a callback, "${expression.slice(0, 200)}", cannot be told from the request`,
        );
        continue;
      }
      const item = tools.references.follow({ value: path, document: callback.document });
      for (const method of METHODS) {
        const called = memberOf(item.value, method);
        if (called === undefined) continue;
        if (webhooks.length >= MOST) {
          tools.notes.refused(at, `callbacks beyond ${MOST} of an operation are left out`);
          return webhooks;
        }
        const content = contentOf(called, item.document, at, tools);
        tools.notes.approximated(at, 'callbacks are sent once, when the operation is called');
        webhooks.push(withoutAbsent({ url, method: method.toUpperCase(), ...content }));
      }
    }
  }
  return webhooks;
}

/** The body of a callback and its type, JSON where it has that. */
function contentOf(called: unknown, from: ImportFile, place: string, tools: OperationTools): Tree {
  const { value: request, document } = tools.references.follow({
    value: memberOf(called, 'requestBody'),
    document: from,
  });
  const contents = Object.entries(treeOf(memberOf(request, 'content')));
  const found = contents.find(([type]) => isJsonType(mediaType(type))) ?? contents[0];
  if (found === undefined) return {};
  const type = mediaType(found[0]);
  const [usual] = contentValues(treeOf(found[1]), type, document, place, tools);
  return {
    headers: { 'Content-Type': type },
    body: usual?.value === undefined ? undefined : literal(textOfValue(usual.value, type)),
  };
}

function textOfValue(value: unknown, type: string): string {
  // A text that is JSON is meant as that JSON by most authors.
  const isText = typeof value === 'string' && (!isJsonType(type) || /^\s*[{[]/.test(value));
  return isText ? value : JSON.stringify(value);
}

/** A runtime expression of OpenAPI as a template; `undefined` when it is of the answer, or none. */
function urlOf(expression: string): string | undefined {
  let isKnown = true;
  const url = expression.replaceAll(/\{([^{}]*)\}/g, (_all, inner: string) => {
    const template = templateOf(inner);
    if (template === undefined) isKnown = false;
    return template ?? '';
  });
  return isKnown && /^(https?:\/\/|\{\{)/.test(url) ? url : undefined;
}

function templateOf(expression: string): string | undefined {
  const body = /^\$request\.body#((?:\/[\w-]{1,100}){1,10})$/.exec(expression);
  if (body !== null) return `{{request.body.${(body[1] ?? '').slice(1).replaceAll('/', '.')}}}`;
  const named = /^\$request\.(query|header|path)\.([\w-]{1,100})$/.exec(expression);
  if (named === null) return undefined;
  const [, where, name = ''] = named;
  if (where === 'query') return `{{request.query.${name}}}`;
  return where === 'header'
    ? `{{request.headers.${name.toLowerCase()}}}`
    : `{{request.params.${parameterName(name)}}}`;
}
