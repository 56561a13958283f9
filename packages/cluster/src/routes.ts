import { Type } from '@backlot/core/plugin';
import type { ManagementRoute } from '@backlot/management';
import type { CommandLog } from './log.js';
import type { Replica } from './replica.js';

const ReplicaSchema = Type.Object({
  name: Type.String(),
  revision: Type.Integer({ description: 'Up to which it has made all changes, as far as is known here.' }),
  ready: Type.Boolean(),
  url: Type.Optional(Type.String({ description: 'Where its management API is.' })),
});

const ClusterSchema = Type.Object({
  engine: Type.String({ description: 'What keeps the order of changes.' }),
  reached: Type.Boolean({ description: 'Whether this replica reaches it.' }),
  obstacle: Type.Optional(Type.String({ description: 'Why no changes can be made here now.' })),
  replica: Type.String({ description: 'The one that answers.' }),
  home: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description:
        'The replica that has what clients of brokers and stores have stored; null when none has it now. Absent without such protocols.',
    }),
  ),
  copy: Type.Optional(
    Type.Object(
      {
        from: Type.String({ description: 'The replica that was the home then.' }),
        revision: Type.Integer({ description: 'Up to which that had made all changes.' }),
        at: Type.String({ format: 'date-time' }),
      },
      {
        description:
          'The copy of what clients have stored with which the replica that answers would begin as the home. Absent where it keeps none.',
      },
    ),
  ),
  replicas: Type.Array(ReplicaSchema, { description: 'Those that live, as far as this one has heard.' }),
});

/** The route that shows a cluster. */
export function clusterRoutes(replica: Replica, log: CommandLog): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/cluster',
      name: 'getCluster',
      tag: 'System',
      summary: 'The replicas of the cluster.',
      responses: {
        200: { description: 'The cluster as the replica that answers sees it.', schema: ClusterSchema },
      },
      handle() {
        const { name, revision, isReady, url, obstacle, home, copy } = replica;
        const own = { name, revision, ready: isReady, ...(url === undefined ? {} : { url }) };
        const others = replica.peers.live().map((peer) => ({
          ...{ name: peer.from, revision: peer.revision, ready: peer.isReady },
          ...(peer.url === undefined ? {} : { url: peer.url }),
        }));
        return {
          body: {
            ...{ engine: log.engine, reached: log.isReached },
            ...(obstacle === undefined ? {} : { obstacle }),
            replica: name,
            ...(home === undefined ? {} : { home }),
            ...(copy === undefined ? {} : { copy: shown(copy) }),
            replicas: [own, ...others],
          },
        };
      },
    },
  ];
}

function shown({ from, revision, at }: NonNullable<Replica['copy']>): object {
  return { from, revision, at: new Date(at).toISOString() };
}
