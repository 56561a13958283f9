import { toxicSchemaOf, type Kind } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import {
  CLEARED,
  ClearedSchema,
  DeletedSchema,
  NOT_ENABLED,
  answers,
  checkEnabled,
  deleted,
  fails,
  paramOf,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';

const tag = 'Toxics';

/** The toxics of all kinds. */
export function allToxicRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/toxics',
      name: 'listAllToxics',
      tag,
      summary: 'The toxics that are set, by protocol.',
      responses: {
        200: answers(
          'Toxics by protocol; protocols without any are left out.',
          Type.Record(Type.String(), Type.Array(toxicSchemaOf('both'))),
        ),
      },
      handle: (_request, host) => ({ body: host.toxics.all() }),
    },
    {
      method: 'DELETE',
      path: '/api/toxics',
      name: 'clearAllToxics',
      tag,
      summary: 'Removes all toxics of all protocols.',
      responses: { 200: answers('No toxic is set; those of active scenarios stay.', ClearedSchema) },
      handle(_request, host) {
        host.toxics.clearAll();
        return CLEARED;
      },
    },
  ];
}

/** The toxics of one kind. */
export function toxicRoutes(kind: Kind): ManagementRoute[] {
  const { title, transport } = kind.protocol.meta;
  const schema = toxicSchemaOf(transport);
  const name = pascalCase(kind.kind);
  const path = `/api/toxics/${kind.kind}`;
  const wrong = fails('The toxic is not valid; details name every problem.');
  const unknown = fails('There is no toxic with this name.');
  const examples =
    transport === 'datagram'
      ? [
          { type: 'loss', toxicity: 0.3 },
          { type: 'late', stream: 'upstream', attributes: { latency: 200, jitter: 50 } },
        ]
      : [
          { type: 'latency', attributes: { latency: 500, jitter: 100 } },
          { name: 'flaky', type: 'reset_peer', toxicity: 0.5, attributes: { timeout: 100 }, ttl: '30s' },
        ];
  return [
    {
      method: 'GET',
      path,
      name: `list${name}Toxics`,
      tag,
      summary: `The toxics of ${title}.`,
      pages: { idField: 'name' },
      responses: { 200: answers('The toxics that are set, with their defaults.', Type.Array(schema)) },
      handle: () => ({ list: kind.toxics.list() }),
    },
    {
      method: 'POST',
      path,
      name: `create${name}Toxic`,
      tag,
      summary: `Sets a toxic of ${title}.`,
      description:
        'It acts at once, on open connections as well as on new ones. Several act together, in the order in which they were set.',
      body: schema,
      hostChecksBody: true,
      examples,
      responses: {
        201: answers('The toxic, with its defaults.', schema),
        400: wrong,
        409: fails('The name is taken, or the service of the protocol takes no toxics.'),
        503: NOT_ENABLED,
      },
      handle({ body }) {
        checkEnabled(kind);
        return { status: 201, body: kind.toxics.add(body) };
      },
    },
    {
      method: 'DELETE',
      path,
      name: `clear${name}Toxics`,
      tag,
      summary: `Removes all toxics of ${title}.`,
      responses: { 200: answers('No toxic is set; those of active scenarios stay.', ClearedSchema) },
      handle() {
        kind.toxics.clear();
        return CLEARED;
      },
    },
    {
      method: 'GET',
      path: `${path}/effective`,
      name: `getEffective${name}Toxics`,
      tag,
      summary: `What acts on ${title} now: the toxics that are set, and those of active scenarios.`,
      responses: { 200: answers('The toxics.', Type.Array(schema)) },
      handle: () => ({ body: kind.toxics.effective() }),
    },
    {
      method: 'GET',
      path: `${path}/{name}`,
      name: `get${name}Toxic`,
      tag,
      summary: `One toxic of ${title}.`,
      responses: { 200: answers('The toxic.', schema), 404: unknown },
      handle: (request) => ({ body: kind.toxics.get(paramOf(request, 'name')) }),
    },
    {
      method: 'PUT',
      path: `${path}/{name}`,
      name: `replace${name}Toxic`,
      tag,
      summary: `Replaces a toxic of ${title}.`,
      body: schema,
      hostChecksBody: true,
      responses: { 200: answers('The toxic.', schema), 400: wrong, 404: unknown, 503: NOT_ENABLED },
      handle(request) {
        checkEnabled(kind);
        return { body: kind.toxics.replace(paramOf(request, 'name'), request.body) };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/{name}`,
      name: `delete${name}Toxic`,
      tag,
      summary: `Removes a toxic of ${title}.`,
      responses: { 200: answers('It is gone.', DeletedSchema), 404: unknown },
      handle(request) {
        const toxic = paramOf(request, 'name');
        kind.toxics.remove(toxic);
        return deleted(toxic);
      },
    },
  ];
}
