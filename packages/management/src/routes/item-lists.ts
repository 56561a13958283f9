import type { ItemList, Kind } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { itemSchema } from '../openapi/kind-schemas.js';
import { eachWithId } from './fresh-ids.js';
import {
  DeletedSchema,
  NOT_ENABLED,
  answers,
  checkEnabled,
  deleted,
  fails,
  paramOf,
  pascalCase,
  plural,
  type ManagementRoute,
} from './management-route.js';

/** The item lists of a kind, such as its trap targets. */
export function itemListRoutes(kind: Kind): ManagementRoute[] {
  return [...kind.itemLists].flatMap(([key, items]) => itemRoutes(kind, key, items));
}

function itemRoutes(kind: Kind, key: string, items: ItemList): ManagementRoute[] {
  const { noun, path, summary, routes, idField, examples } = items.declaration;
  const schema = itemSchema(kind.protocol, key, items.declaration);
  const tag = `${kind.protocol.meta.title} ${plural(noun)}`;
  const name = `${pascalCase(kind.kind)}${pascalCase(noun)}`;
  const unknown = fails(`There is no ${noun} with this id.`);
  const wrong = fails(`The ${noun} is not valid; details name every problem.`);
  const found: ManagementRoute[] = [
    {
      method: 'GET',
      path,
      name: `list${name}s`,
      tag,
      summary: `Lists the ${plural(noun)}.`,
      description: summary,
      pages: idField === undefined ? {} : { idField },
      responses: { 200: answers(`The ${plural(noun)}, as they were given.`, Type.Array(schema)) },
      handle: () => ({ list: items.list() }),
    },
    {
      method: 'POST',
      path,
      name: `create${name}`,
      tag,
      summary: `Creates a ${noun}.`,
      description: summary,
      body: schema,
      ...(examples === undefined ? {} : { examples }),
      hostChecksBody: true,
      complete: ({ body: item }) => (idField === null ? item : eachWithId(item, idField ?? 'id', noun)),
      responses: {
        201: answers(`The new ${noun}.`, schema),
        400: wrong,
        409: fails('The id exists.'),
        503: NOT_ENABLED,
      },
      handle({ body }) {
        checkEnabled(kind);
        return { status: 201, body: items.create(body) };
      },
    },
  ];
  if (routes?.replace === true) {
    found.push({
      method: 'PUT',
      path: `${path}/{id}`,
      name: `replace${name}`,
      tag,
      summary: `Replaces a ${noun}.`,
      body: schema,
      hostChecksBody: true,
      responses: { 200: answers(`The new ${noun}.`, schema), 400: wrong, 404: unknown, 503: NOT_ENABLED },
      handle(request) {
        checkEnabled(kind);
        return { body: items.replace(paramOf(request, 'id'), request.body) };
      },
    });
  }
  if (routes?.delete === true) {
    found.push({
      method: 'DELETE',
      path: `${path}/{id}`,
      name: `delete${name}`,
      tag,
      summary: `Deletes a ${noun}.`,
      responses: { 200: answers('It is gone.', DeletedSchema), 404: unknown, 503: NOT_ENABLED },
      handle(request) {
        checkEnabled(kind);
        const id = paramOf(request, 'id');
        items.remove(id);
        return deleted(id);
      },
    });
  }
  return found;
}
