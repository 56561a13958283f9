import { defineIncident, type IncidentDeclaration } from '@backlot/core/plugin';

/** What happens to mail stores. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  bye: defineIncident({
    summary:
      'The server shuts down: sessions end with `* BYE`, and so does each new one with its first command after the login.',
    advice:
      'It takes BYE for the end of the session, keeps what it has not sent, and connects again with growing pauses. It trusts its copy of a mailbox only where UIDVALIDITY is the same.',
    lasts: '15s',
    stages: () => [
      { fault: { response: 'BYE', message: '[UNAVAILABLE] The server is shutting down' }, close: 'goodbye' },
    ],
  }),
};
