import type { ImportFile } from '@backlot/core/plugin';
import { literal } from '../shared/literal.js';
import { memberOf, pointTo, treeOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { parameterName } from './paths.js';
import type { OperationTools } from './operation.js';

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
    for (const [expression, item] of Object.entries(treeOf(callback.value))) {
      const at = pointTo(pointTo(place, 'callbacks'), name);
      const url = urlOf(expression);
      if (url === undefined || webhooks.length >= MOST) {
        tools.notes.refused(
          at,
          `the url of a callback, "${expression.slice(0, 200)}", cannot be told from the request`,
        );
        continue;
      }
      for (const method of METHODS) {
        const called = memberOf(item, method);
        if (called === undefined) continue;
        const content = Object.entries(treeOf(memberOf(memberOf(called, 'requestBody'), 'content')))[0];
        const media = treeOf(content?.[1]);
        const body =
          media['example'] ??
          (media['schema'] === undefined
            ? undefined
            : tools.sampler.sample(media['schema'], callback.document, name));
        tools.notes.approximated(at, 'callbacks are sent once, when the operation is called');
        webhooks.push(
          withoutAbsent({
            url,
            method: method.toUpperCase(),
            headers: content === undefined ? undefined : { 'Content-Type': content[0] },
            body: body === undefined ? undefined : literal(JSON.stringify(body)),
          }),
        );
      }
    }
  }
  return webhooks;
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
