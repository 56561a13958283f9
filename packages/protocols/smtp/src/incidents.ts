import { closedObject, defineIncident, lastsField, type IncidentDeclaration } from '@backlot/core/plugin';

/** What happens to mail servers. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  greylisting: defineIncident({
    summary:
      'Greylisting: a recipient is deferred with 451 4.7.1 when client, sender and recipient come together for the first time, until a while later.',
    advice:
      'It keeps the mail in a queue and tries again after minutes, from the same address and with the same envelope; it tells nobody that the mail has failed. Recipients that were taken get the mail at once.',
    lasts: '10m',
    fields: closedObject({ wait: lastsField('1m', 'How long after the first try a recipient is taken') }),
    stages: ({ wait = '1m' }) => [{ fault: { greylist: wait } }],
  }),
  shutdown: defineIncident({
    summary: 'The server shuts down: sessions end with 421, and new connections are refused.',
    advice: 'It keeps the mail in its queue, and tries another server of the MX records, or this one later.',
    lasts: '30s',
    stages: () => [{ fault: { phase: 'connect' }, close: 'goodbye' }],
  }),
};
