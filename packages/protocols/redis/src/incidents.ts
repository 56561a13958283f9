import { closedObject, defineIncident, lastsField, type IncidentDeclaration } from '@backlot/core/plugin';

/** What happens to servers of Redis. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  failover: defineIncident({
    summary:
      'The primary is lost: connections are reset and new ones refused, and who comes back meets a replica that takes no writes yet (READONLY).',
    advice:
      'It connects again with growing pauses, and on READONLY leaves the connection and asks who the primary is. A write whose answer was lost may have been done, so it is repeated only where that does no harm.',
    lasts: '15s',
    fields: closedObject({ down: lastsField('2s', 'How long new connections are refused') }),
    stages: ({ down = '2s' }) => [
      { lasts: down, fault: { phase: 'connect' }, close: 'reset' },
      {
        fault: { match: { access: 'write' }, error: "READONLY You can't write against a read only replica." },
      },
    ],
  }),
  loading: defineIncident({
    summary:
      'The server has started anew and loads its data: commands with keys are answered with LOADING, and INFO says `loading:1`.',
    advice:
      'It waits and tries again: LOADING ends by itself. It takes no other server for broken because of it.',
    lasts: '10s',
    fields: closedObject({ down: lastsField('500ms', 'How long new connections are refused before that') }),
    stages: ({ down = '500ms' }) => [
      { lasts: down, fault: { phase: 'connect' }, close: 'reset' },
      { fault: { match: { access: 'data' }, error: 'LOADING Redis is loading the dataset in memory' } },
    ],
  }),
};
