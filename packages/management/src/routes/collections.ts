import { eachWithId } from './fresh-ids.js';
import { CollectionSchema, type Collection, type Host } from '@backlot/core';
import { BacklotError, Type, invalid } from '@backlot/core/plugin';
import {
  DeletedSchema,
  answers,
  deleted,
  fails,
  paramOf,
  type ManagementRequest,
  type ManagementRoute,
} from './management-route.js';

const tag = 'Collections';
const path = '/api/collections';
const one = `${path}/{name}`;
const row = `${one}/{id}`;

const RowSchema = Type.Object({}, { additionalProperties: true, description: 'A row: any JSON object.' });
const ViewSchema = Type.Object({
  name: Type.String(),
  key: Type.String({ description: 'The field that tells a row from the others.' }),
  rows: Type.Integer({ description: 'How many there are.' }),
});
const unknown = fails('There is no such collection.');
const unknownRow = fails('There is no such collection, or no row with this key in it.');
const wrong = fails('It is not valid; details name every problem. Nothing was changed.');
const full = fails('There is no room: 100,000 rows in one collection, 64 MiB in all of them together.');

/** The data behind mocks. */
export function collectionRoutes(): ManagementRoute[] {
  return [...listRoutes(), ...rowRoutes()];
}

function listRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path,
      name: 'listCollections',
      tag,
      summary: 'The collections that are declared or have had rows.',
      pages: { idField: 'name' },
      responses: { 200: answers('The collections.', Type.Array(ViewSchema)) },
      handle: (_request, host) => ({ list: host.collections.list() }),
    },
    {
      method: 'GET',
      path: one,
      name: 'listRows',
      tag,
      summary: 'The rows of a collection.',
      description:
        'In the order of creation, with those that a `take` has hidden. `after` is the key of a row.',
      pages: {},
      responses: { 200: answers('The rows.', Type.Array(RowSchema)), 404: unknown },
      handle(request, host) {
        const collection = collectionOf(request, host);
        const { key } = collection;
        return {
          list: collection.values(),
          show: shownRow,
          idOf: (item) => String((item as Readonly<Record<string, unknown>>)[key]),
        };
      },
    },
    {
      method: 'POST',
      path: one,
      name: 'createRow',
      tag,
      summary: 'Adds a row.',
      description: 'It has the fields that the collection sets, and a key when it has none.',
      body: RowSchema,
      hostChecksBody: true,
      complete: (request, host) => eachWithId(request.body, keyOf(request, host)),
      responses: {
        201: answers('The new row.', RowSchema),
        400: wrong,
        409: fails('There is a row with this key.'),
        413: full,
      },
      handle(request, host) {
        const collection = host.collection(paramOf(request, 'name'));
        return { status: 201, body: shownRow(collection.create(objectOf(request.body))) };
      },
    },
    {
      method: 'PUT',
      path: one,
      name: 'setCollection',
      tag,
      summary: 'Puts rows in place of all, or declares a collection.',
      description:
        'A list is the new rows. An object is what a configuration has for a collection (`key`, `id`, `set`, `rows`), in place ' +
        'of what it was with its rows. A collection that is not there is made.',
      body: Type.Union([Type.Array(RowSchema), CollectionSchema]),
      hostChecksBody: true,
      complete: (request, host) => withRowIds(request, host),
      examples: [[{ id: 'cus_1', name: 'Ann' }]],
      responses: {
        200: answers('The collection.', ViewSchema),
        400: wrong,
        409: fails('Two rows have the same key.'),
        413: full,
      },
      async handle(request, host) {
        const name = paramOf(request, 'name');
        const { body } = request;
        if (Array.isArray(body)) {
          const rows = body as readonly Readonly<Record<string, unknown>>[];
          if (host.collections.has(name)) await host.collection(name).setAllInSlices(rows);
          else await host.collections.define(name, { rows });
        } else await host.collections.define(name, objectOf(body));
        const { key, size } = host.collection(name);
        return { body: { name, key, rows: size } };
      },
    },
    {
      method: 'DELETE',
      path: one,
      name: 'deleteCollection',
      tag,
      summary: 'Removes a collection with its rows.',
      description: 'A reset brings a configured one back. `PUT` with an empty list removes the rows alone.',
      responses: { 200: answers('It is gone.', DeletedSchema), 404: unknown },
      handle(request, host) {
        const name = paramOf(request, 'name');
        host.collections.remove(name);
        return deleted(name);
      },
    },
  ];
}

function rowRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: row,
      name: 'getRow',
      tag,
      summary: 'One row, by its key.',
      responses: { 200: answers('The row.', RowSchema), 404: unknownRow },
      handle: (request, host) => ({
        body: shownRow(collectionOf(request, host).get(paramOf(request, 'id'))),
      }),
    },
    {
      method: 'PUT',
      path: row,
      name: 'replaceRow',
      tag,
      summary: 'Puts another row in place of one.',
      description: 'It keeps its key and its place.',
      body: RowSchema,
      hostChecksBody: true,
      responses: { 200: answers('The new row.', RowSchema), 400: wrong, 404: unknownRow, 413: full },
      handle(request, host) {
        const collection = collectionOf(request, host);
        return { body: shownRow(collection.replace(paramOf(request, 'id'), objectOf(request.body))) };
      },
    },
    {
      method: 'PATCH',
      path: row,
      name: 'updateRow',
      tag,
      summary: 'Puts fields over those of a row (RFC 7396).',
      body: RowSchema,
      hostChecksBody: true,
      responses: { 200: answers('The changed row.', RowSchema), 400: wrong, 404: unknownRow, 413: full },
      handle(request, host) {
        const collection = collectionOf(request, host);
        return { body: shownRow(collection.update(paramOf(request, 'id'), objectOf(request.body))) };
      },
    },
    {
      method: 'DELETE',
      path: row,
      name: 'deleteRow',
      tag,
      summary: 'Removes a row.',
      responses: { 200: answers('It is gone.', DeletedSchema), 404: unknownRow },
      handle(request, host) {
        const id = paramOf(request, 'id');
        collectionOf(request, host).remove(id);
        return deleted(id);
      },
    },
  ];
}

/** The field that tells the rows of a collection apart, whether it is there yet or not. */
function keyOf(request: ManagementRequest, host: Host): string {
  return host.collection(paramOf(request, 'name')).key;
}

/** Rows that are put in place of all, or a declaration with rows, each with its key. */
function withRowIds(request: ManagementRequest, host: Host): unknown {
  const { body } = request;
  if (Array.isArray(body)) return eachWithId(body, keyOf(request, host));
  const { rows, key = 'id' } = objectOf(body);
  if (!Array.isArray(rows) || typeof key !== 'string') return body;
  return { ...objectOf(body), rows: eachWithId(rows, key) };
}

/** @throws BacklotError `not_found` */
function collectionOf(request: ManagementRequest, host: Host): Collection {
  const name = paramOf(request, 'name');
  if (!host.collections.has(name)) throw new BacklotError('not_found', `no collection "${name}"`);
  return host.collection(name);
}

function objectOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Readonly<Record<string, unknown>>;
  throw invalid('the body must be an object', [{ path: '', message: 'must be an object' }]);
}

/** A row as JSON has it: bytes are base64. */
function shownRow(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(shownRow);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shownRow(inner)]));
}
