import { closedObject, defineIncident, lastsField, type IncidentDeclaration } from '@backlot/core/plugin';

/** What happens to brokers of Kafka. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  'leader-change': defineIncident({
    summary:
      'The partitions get another leader: what is produced and fetched is answered with NOT_LEADER_OR_FOLLOWER.',
    advice:
      'It asks for the metadata again and repeats the request with growing pauses, within its delivery time-out. An idempotent producer keeps its sequence numbers, so that nothing is stored twice.',
    lasts: '5s',
    stages: () => [
      { fault: { error_code: 'NOT_LEADER_OR_FOLLOWER', fetch_error: 'NOT_LEADER_OR_FOLLOWER' } },
    ],
  }),
  rebalance: defineIncident({
    summary:
      'Consumer groups rebalance again and again: for a while heartbeats and commits are answered with REBALANCE_IN_PROGRESS, so that members join anew.',
    advice:
      'It stops what it has begun for its partitions, commits what is done, and joins again. What it reads a second time must do no harm.',
    lasts: '1m',
    repeats: true,
    fields: closedObject({
      storm: lastsField('4s', 'How long members are sent away'),
      pause: lastsField('11s', 'How long they are left alone before the next time'),
    }),
    stages: ({ storm = '4s', pause = '11s' }) => [
      { lasts: storm, fault: { heartbeat_error: 'REBALANCE_IN_PROGRESS' } },
      { lasts: pause },
    ],
  }),
};
