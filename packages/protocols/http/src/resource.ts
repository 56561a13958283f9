import { Type, type ValueOf } from '@backlot/core/plugin';
import { AuthSchema } from './auth/index.js';

/** A resource: rows of a collection behind a path. */
const ResourceSchema = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      pattern: '^/([^*{}]*[^*{}/])?$',
      description: 'The path of the list; `{id}` below it is a row.',
      examples: ['/v1/customers'],
    }),
    collection: Type.String({ minLength: 1, maxLength: 512, description: 'The collection.' }),
    list: Type.Optional(
      Type.String({
        default: '{{rows}}',
        description: 'How a list is wrapped: a template that sees `rows`, `total`, `has_more` and `last`.',
        examples: ['{"data":{{rows}},"has_more":{{has_more}}}'],
      }),
    ),
    row: Type.Optional(
      Type.String({
        default: '{{row}}',
        description: 'How a single row is wrapped: a template that sees `row`.',
      }),
    ),
    where: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What a list filters by, such as `status: "{{request.query.status}}"`; as in `collection`.',
      }),
    ),
    sort: Type.Optional(
      Type.String({ description: 'The order of a list; `{{request.query.sort}}` when absent.' }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Stands for the mocks of a REST resource: list, create, read, replace, update and delete, with 404, 409 and 400.',
  },
);

/** An entry of the list of mocks that stands for those of a resource. */
export const ResourceEntrySchema = Type.Object(
  {
    resource: ResourceSchema,
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 480,
        description: 'What the ids of its mocks begin with; the name of the collection when absent.',
      }),
    ),
    priority: Type.Optional(Type.Integer({ description: 'The priority of its mocks.' })),
    delay: Type.Optional(Type.String({ description: 'The delay of its mocks.' })),
    auth: Type.Optional(AuthSchema),
  },
  { additionalProperties: false },
);

type Entry = ValueOf<typeof ResourceEntrySchema>;
type Made = Readonly<Record<string, unknown>>;

const JSON_TYPE = { 'Content-Type': 'application/json' };
const OBJECT = 're:^\\s*\\{';
const ID = '{{request.params.id}}';
const BODY = '{{request.body}}';

/** The mocks of a resource, with ids such as `customers-get`. */
export function expandResource({ resource, id, priority, delay, auth }: Entry): readonly Made[] {
  const {
    path,
    collection,
    list = '{{rows}}',
    row = '{{row}}',
    where,
    sort = '{{request.query.sort}}',
  } = resource;
  const one = `${path === '/' ? '' : path}/{id}`;
  const shared = {
    ...(priority === undefined ? {} : { priority }),
    ...(delay === undefined ? {} : { delay }),
  };
  const mock = (
    name: string,
    request: Made,
    operation: Made | undefined,
    response: { readonly status: number; readonly body?: string },
  ): Made => ({
    id: `${id ?? collection}-${name}`,
    ...shared,
    request: { ...request, ...(auth === undefined ? {} : { auth }) },
    ...(operation === undefined ? {} : { collection: { name: collection, ...operation } }),
    response: { ...response, ...(response.body === undefined ? {} : { headers: JSON_TYPE }) },
  });
  const refuse = (name: string, request: Made, status: number, error: string): Made =>
    mock(name, request, undefined, { status, body: JSON.stringify({ error }) });
  const page = {
    sort,
    limit: '{{request.query.limit}}',
    after: '{{request.query.after}}',
    offset: '{{request.query.offset}}',
  };
  return [
    mock(
      'list',
      { method: 'GET', path },
      { list: true, ...(where === undefined ? {} : { where }), ...page },
      { status: 200, body: list },
    ),
    refuse(
      'bad-list',
      { method: 'GET', path },
      400,
      'limit and offset are whole numbers, and after is the key of a row',
    ),
    mock('create', { method: 'POST', path }, { create: true, value: BODY }, { status: 201, body: row }),
    refuse(
      'conflict',
      { method: 'POST', path, body: OBJECT },
      409,
      'there is one with this key already, or no room',
    ),
    refuse('bad-create', { method: 'POST', path }, 400, 'the body must be a JSON object'),
    mock('get', { method: 'GET', path: one }, { get: ID }, { status: 200, body: row }),
    mock('replace', { method: 'PUT', path: one }, { replace: ID, value: BODY }, { status: 200, body: row }),
    mock('update', { method: 'PATCH', path: one }, { update: ID, value: BODY }, { status: 200, body: row }),
    mock('delete', { method: 'DELETE', path: one }, { delete: ID }, { status: 204 }),
    ...['PUT', 'PATCH'].map((method) =>
      mock(
        `bad-${method.toLowerCase()}`,
        { method, path: one },
        { get: ID },
        { status: 400, body: '{"error":"the body must be a JSON object"}' },
      ),
    ),
    ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) =>
      mock(`not-found-${method.toLowerCase()}`, { method, path: one }, undefined, {
        status: 404,
        body: '{"error":"not found","id":"{{request.params.id}}"}',
      }),
    ),
  ];
}
