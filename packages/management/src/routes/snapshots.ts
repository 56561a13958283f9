import { eachWithId } from './fresh-ids.js';
import { Type } from '@backlot/core/plugin';
import { DeletedSchema, answers, deleted, fails, paramOf, type ManagementRoute } from './management-route.js';

const tag = 'Snapshots';
const unknown = fails('There is no snapshot with this id.');

/** A snapshot. */
export const SnapshotSchema = Type.Object({
  id: Type.String(),
  name: Type.Optional(Type.String()),
  created_at: Type.String(),
});

/** What making one takes. */
export const SnapshotCreateSchema = Type.Object(
  { name: Type.Optional(Type.String({ maxLength: 512, description: 'What people call it.' })) },
  { additionalProperties: false },
);

const DiffSchema = Type.Object({
  changes: Type.Array(
    Type.Object({
      part: Type.Union(
        ['mocks', 'items', 'scenarios', 'faults', 'state', 'collections', 'messages'].map((part) =>
          Type.Literal(part),
        ),
      ),
      name: Type.Optional(
        Type.String({
          description:
            'The protocol of mocks and messages, `protocol/list` of items, the collection of rows.',
        }),
      ),
      id: Type.String(),
      change: Type.Union(['added', 'removed', 'changed'].map((change) => Type.Literal(change))),
      before: Type.Optional(Type.Unknown({ description: 'Absent for what was added, and for messages.' })),
      after: Type.Optional(Type.Unknown({ description: 'Absent for what was removed, and for messages.' })),
    }),
    { description: 'The first 1,000.' },
  ),
  more: Type.Integer({ minimum: 0, description: 'How many there are beyond those.' }),
});

const RestoredSchema = Type.Object({ status: Type.Literal('restored'), restored: Type.String() });

/** Snapshots of the whole state that can be put back. */
export function snapshotRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/snapshots',
      name: 'listSnapshots',
      tag,
      summary: 'All snapshots, oldest first.',
      pages: {},
      responses: { 200: answers('The snapshots.', Type.Array(SnapshotSchema)) },
      handle: (_request, host) => ({ list: host.snapshots.list() }),
    },
    {
      method: 'POST',
      path: '/api/snapshots',
      name: 'createSnapshot',
      tag,
      summary: 'Keeps mocks, scenarios, faults, state, counts, captures and stored data as they are now.',
      body: SnapshotCreateSchema,
      bodyOptional: true,
      complete: ({ body }) => eachWithId(body ?? {}, 'id', 'snapshot'),
      examples: [{ name: 'before checkout' }],
      responses: { 201: answers('The snapshot.', SnapshotSchema), 400: fails('The body is not valid.') },
      handle({ body }, host) {
        // The body of a request has no id: one comes from `complete` alone.
        const { name, id } = (body ?? {}) as { name?: string; id?: string };
        return { status: 201, body: host.snapshots.create(name, id) };
      },
    },
    {
      method: 'GET',
      path: '/api/snapshots/{id}',
      name: 'getSnapshot',
      tag,
      summary: 'One snapshot.',
      responses: { 200: answers('The snapshot.', SnapshotSchema), 404: unknown },
      handle: (request, host) => ({ body: host.snapshots.get(paramOf(request, 'id')) }),
    },
    {
      method: 'DELETE',
      path: '/api/snapshots/{id}',
      name: 'deleteSnapshot',
      tag,
      summary: 'Forgets a snapshot.',
      responses: { 200: answers('It is gone.', DeletedSchema), 404: unknown },
      handle(request, host) {
        const id = paramOf(request, 'id');
        host.snapshots.remove(id);
        return deleted(id);
      },
    },
    {
      method: 'GET',
      path: '/api/snapshots/{id}/diff',
      name: 'diffSnapshot',
      reach: 'here',
      tag,
      summary: 'What has changed since a snapshot, or between two.',
      description:
        'Mocks, items, scenarios, faults, state, rows of collections and captured messages. Call counts, and what services hold of ' +
        'their own, such as keys and queues, are not compared.',
      query: {
        to: Type.String({
          minLength: 1,
          description: 'Another snapshot; it is compared with what there is now when absent.',
        }),
      },
      responses: { 200: answers('The differences.', DiffSchema), 404: unknown },
      async handle(request, host) {
        const { to } = request.query;
        return { body: await host.snapshots.diff(paramOf(request, 'id'), to, request.signal) };
      },
    },
    {
      method: 'POST',
      path: '/api/snapshots/{id}/restore',
      name: 'restoreSnapshot',
      tag,
      summary: 'Puts everything back to what it was.',
      responses: { 200: answers('It is as it was.', RestoredSchema), 404: unknown },
      async handle(request, host) {
        const id = paramOf(request, 'id');
        await host.snapshots.restoreInSlices(id, request.signal);
        return { body: { status: 'restored', restored: id } };
      },
    },
  ];
}
