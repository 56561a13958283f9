import type { Kind, StoredMock } from '@backlot/core';
import { Type, nextTurn, type TSchema } from '@backlot/core/plugin';
import { mockSchema } from '../openapi/kind-schemas.js';
import { eachWithId } from './fresh-ids.js';
import { warningHeaders } from './mock-warnings.js';
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

const UnusedSchema = Type.Boolean({
  description: 'Only those that have never matched since counts were cleared.',
});

/** The mocks of one kind. */
export function mockRoutes(kind: Kind): ManagementRoute[] {
  const { mocks, meta } = kind.protocol;
  const schema = mockSchema(kind.protocol);
  const name = pascalCase(kind.kind);
  const path = `/api/mocks/${kind.kind}`;
  const tag = `${meta.title} ${plural(mocks.noun)}`;
  const unknown = fails(`There is no ${mocks.noun} with this id.`);
  const wrong = fails(`The ${mocks.noun} is not valid; details name every problem.`);
  const examples = mocks.examples;

  const list: ManagementRoute = {
    method: 'GET',
    path,
    name: `list${name}Mocks`,
    tag,
    summary: `Lists the ${plural(mocks.noun)} of ${meta.title}, first to be asked first.`,
    query: { unused: UnusedSchema },
    hereWith: ['unused'],
    pages: {},
    responses: { 200: answers(`The ${plural(mocks.noun)}, as they were given.`, Type.Array(schema)) },
    handle({ query }) {
      const all = kind.mocks.list();
      if (query['unused'] !== 'true') return { list: all };
      // One that was used meanwhile still says where a page begins.
      const unused = new Set(kind.mocks.listUnused());
      return { list: all, where: (mock: StoredMock) => unused.has(mock) };
    },
  };
  const create: ManagementRoute = {
    method: 'POST',
    path,
    name: `create${name}Mock`,
    tag,
    summary: `Creates a ${mocks.noun}, or several: all or none of them.`,
    body: oneOrMore(schema),
    hostChecksBody: true,
    complete: ({ body }) => eachWithId(body, 'id', kind.kind),
    examples,
    responses: {
      201: answers('What was created.', oneOrMore(schema)),
      400: wrong,
      409: fails('The id exists; replace it with PUT.'),
      503: NOT_ENABLED,
    },
    async handle({ body, signal }) {
      checkEnabled(kind);
      // A large mock of a kind whose schema is not compiled yet would be both in one turn of the event loop.
      while (kind.mocks.prepare()) await nextTurn();
      if (!Array.isArray(body)) {
        const stored = kind.mocks.create(body);
        return { status: 201, body: stored, headers: await warningHeaders(kind, [stored]) };
      }
      const all = await kind.mocks.createInSlices(body, signal);
      return { status: 201, body: all, headers: await warningHeaders(kind, all) };
    },
  };
  const get: ManagementRoute = {
    method: 'GET',
    path: `${path}/{id}`,
    name: `get${name}Mock`,
    tag,
    summary: `One ${mocks.noun}, as it was given.`,
    responses: { 200: answers(`The ${mocks.noun}.`, schema), 404: unknown },
    handle: (request) => ({ body: kind.mocks.get(paramOf(request, 'id')) }),
  };
  const replace: ManagementRoute = {
    method: 'PUT',
    path: `${path}/{id}`,
    name: `replace${name}Mock`,
    tag,
    summary: `Replaces a ${mocks.noun}; it keeps its place.`,
    body: schema,
    hostChecksBody: true,
    examples,
    responses: { 200: answers(`The new ${mocks.noun}.`, schema), 400: wrong, 404: unknown, 503: NOT_ENABLED },
    async handle(request) {
      checkEnabled(kind);
      const stored = kind.mocks.replace(paramOf(request, 'id'), request.body);
      return { body: stored, headers: await warningHeaders(kind, [stored]) };
    },
  };
  const remove: ManagementRoute = {
    method: 'DELETE',
    path: `${path}/{id}`,
    name: `delete${name}Mock`,
    tag,
    summary: `Deletes a ${mocks.noun}.`,
    responses: { 200: answers('It is gone.', DeletedSchema), 404: unknown, 503: NOT_ENABLED },
    handle(request) {
      checkEnabled(kind);
      const id = paramOf(request, 'id');
      kind.mocks.remove(id);
      return deleted(id);
    },
  };
  return [list, create, get, replace, ...patchRoutes(kind, { path, name, tag, schema }), remove];
}

function patchRoutes(
  kind: Kind,
  { path, name, tag, schema }: { path: string; name: string; tag: string; schema: TSchema },
): ManagementRoute[] {
  const { mocks } = kind.protocol;
  if (mocks.patch === undefined) return [];
  return [
    {
      method: 'PATCH',
      path: `${path}/{id}`,
      name: `patch${name}Mock`,
      tag,
      summary: `Changes the answer of a ${mocks.noun} until the next PUT, PATCH or reset.`,
      body: mocks.patch.schema,
      hostChecksBody: true,
      responses: {
        200: answers(`The whole ${mocks.noun}, patched.`, schema),
        400: fails('The patch is not valid; details name every problem.'),
        404: fails(`There is no ${mocks.noun} with this id.`),
        503: NOT_ENABLED,
      },
      async handle(request) {
        checkEnabled(kind);
        const stored = kind.mocks.patch(paramOf(request, 'id'), request.body);
        return { body: stored, headers: await warningHeaders(kind, [stored]) };
      },
    },
  ];
}

function oneOrMore(schema: TSchema): TSchema {
  return Type.Union([schema, Type.Array(schema, { minItems: 1 })]);
}
