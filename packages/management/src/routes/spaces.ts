import { eachWithId } from './fresh-ids.js';
import { NewSpaceSchema, type NewSpace } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { DeletedSchema, answers, deleted, fails, paramOf, type ManagementRoute } from './management-route.js';

const tag = 'Spaces';

/** A space. */
export const SpaceSchema = Type.Object({
  id: Type.String(),
  created_at: Type.String({ description: 'When it was made, by real time.' }),
  expires_at: Type.String({ description: 'When it ends unless it is used before, by real time.' }),
  seed: Type.Integer({ description: 'The seed of its chance.' }),
  protocols: Type.Record(
    Type.String(),
    Type.Object({ url: Type.String(), host: Type.String(), port: Type.Integer() }),
    { description: 'Its own listeners by protocol: those that have started.' },
  ),
  env: Type.Record(Type.String(), Type.String(), {
    description: 'Environment variables that tell programs where they are, such as `REDIS_URL`.',
  }),
});

const unknown = fails('There is no such space; the text says how it ended when there was one.');

/** Worlds of their own beside the main one. */
export function spaceRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/spaces',
      name: 'listSpaces',
      tag,
      summary: 'The spaces there are, the oldest first.',
      pages: {},
      responses: { 200: answers('The spaces.', Type.Array(SpaceSchema)) },
      handle: ({ main }) => ({ list: main.spaces.list().map((space) => space.view()) }),
    },
    {
      method: 'POST',
      path: '/api/spaces',
      name: 'createSpace',
      tag,
      summary: 'Makes a space: a world of its own, with what the configuration says.',
      description:
        'Everything below `/api/spaces/{id}/`, and every request with the header `Backlot-Space`, acts on that space as it would on the server.',
      body: NewSpaceSchema,
      bodyOptional: true,
      hostChecksBody: true,
      complete: ({ body }) => eachWithId(body ?? {}, 'id', 's'),
      examples: [{ id: 't1', ttl: '10m' }],
      responses: {
        201: answers('The space.', SpaceSchema),
        400: fails('A field is not valid, or a protocol is not run by this server; nothing was made.'),
        409: fails('The id is taken, or there are as many spaces as there may be, all in use.'),
        503: fails('The server stops.'),
      },
      async handle({ body, main }) {
        const space = await main.spaces.create(body === undefined ? {} : (body as NewSpace));
        return { status: 201, body: space.view() };
      },
    },
    {
      method: 'GET',
      path: '/api/spaces/{id}',
      name: 'getSpace',
      tag,
      summary: 'One space. Looking at it renews its time.',
      responses: { 200: answers('The space.', SpaceSchema), 404: unknown },
      handle(request) {
        const space = request.main.spaces.get(paramOf(request, 'id'));
        space.use();
        return { body: space.view() };
      },
    },
    {
      method: 'DELETE',
      path: '/api/spaces/{id}',
      name: 'deleteSpace',
      tag,
      summary: 'Ends a space and closes its connections.',
      responses: { 200: answers('It is gone.', DeletedSchema), 404: unknown },
      async handle(request) {
        const id = paramOf(request, 'id');
        await request.main.spaces.remove(id);
        return deleted(id);
      },
    },
  ];
}
