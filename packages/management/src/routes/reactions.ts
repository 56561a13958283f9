import type { NewReaction } from '@backlot/core';
import { ReactionSchema, Type, VIEW_FIELDS } from '@backlot/core/plugin';
import { DeletedSchema, answers, deleted, fails, paramOf, type ManagementRoute } from './management-route.js';

const tag = 'Reactions';
const unknown = fails('There is no reaction with this id.');
const wrong = fails('The reaction is not valid; details name every problem.');

/** A reaction as it is shown. */
export const ReactionViewSchema = Type.Object({ ...ReactionSchema.properties, ...VIEW_FIELDS });

const EXAMPLE = {
  id: 'night',
  on: { state: { key: 'mode', value: 'night' } },
  do: [{ after: '200ms', scenario: { activate: 'outage' } }],
};

/** What causes what, over all protocols. */
export function reactionRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/reactions',
      name: 'listReactions',
      tag,
      summary: 'All reactions, with how often each was set off.',
      pages: {},
      responses: { 200: answers('The reactions.', Type.Array(ReactionViewSchema)) },
      handle: (_request, host) => ({ list: host.reactions.list() }),
    },
    {
      method: 'POST',
      path: '/api/reactions',
      name: 'createReaction',
      tag,
      summary: 'Creates a reaction, which is at work at once.',
      body: ReactionSchema,
      hostChecksBody: true,
      examples: [EXAMPLE],
      responses: {
        201: answers('The new reaction.', ReactionViewSchema),
        400: wrong,
        409: fails('The id exists.'),
      },
      async handle({ body }, host) {
        return { status: 201, body: await host.reactions.create(body as NewReaction) };
      },
    },
    {
      method: 'GET',
      path: '/api/reactions/{id}',
      name: 'getReaction',
      tag,
      summary: 'One reaction.',
      responses: { 200: answers('The reaction.', ReactionViewSchema), 404: unknown },
      handle: (request, host) => ({ body: host.reactions.get(paramOf(request, 'id')) }),
    },
    {
      method: 'PUT',
      path: '/api/reactions/{id}',
      name: 'replaceReaction',
      tag,
      summary: 'Replaces a reaction; it counts from 0.',
      body: ReactionSchema,
      hostChecksBody: true,
      examples: [EXAMPLE],
      responses: { 200: answers('The reaction.', ReactionViewSchema), 400: wrong, 404: unknown },
      async handle(request, host) {
        return { body: await host.reactions.replace(paramOf(request, 'id'), request.body as NewReaction) };
      },
    },
    {
      method: 'DELETE',
      path: '/api/reactions/{id}',
      name: 'deleteReaction',
      tag,
      summary: 'Deletes a reaction. What it has begun goes on.',
      responses: { 200: answers('It was deleted.', DeletedSchema), 404: unknown },
      handle(request, host) {
        const id = paramOf(request, 'id');
        host.reactions.remove(id);
        return deleted(id);
      },
    },
  ];
}
