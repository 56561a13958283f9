import {
  Type,
  closedObject,
  defineIncident,
  lastsField,
  type IncidentDeclaration,
} from '@backlot/core/plugin';

/** What happens to name servers. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  'nxdomain-flap': defineIncident({
    summary:
      'Names come and go: for a while they are said not to exist (NXDOMAIN), then they are there again.',
    advice:
      'It keeps the last good answer and the connections that it has, asks again, and holds a negative answer no longer than the SOA of the zone says.',
    lasts: '1m',
    repeats: true,
    fields: closedObject({
      name: Type.Optional(Type.String({ description: 'The names, as in a mock; all when absent.' })),
      gone: lastsField('5s', 'How long the names are gone'),
      there: lastsField('5s', 'How long they are there'),
    }),
    stages: ({ name, gone = '5s', there = '5s' }) => [
      {
        lasts: gone,
        fault: { rcode: 'NXDOMAIN', ...(name === undefined ? {} : { match: { name } }) },
      },
      { lasts: there },
    ],
  }),
  'ttl-zero': defineIncident({
    summary: 'All records have a TTL of 0, as before a move to other addresses.',
    advice:
      'It uses an answer for the one connection that it was asked for, and asks again for the next. It sets no least time of its own that is longer than seconds.',
    lasts: '5m',
    stages: () => [{ fault: { ttl: 0 } }],
  }),
};
