import { defineIncident, type IncidentDeclaration } from '@backlot/core/plugin';

/** What happens to directories. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  'referral-loop': defineIncident({
    summary:
      'The server refers to itself: every operation but a bind is answered with a referral to the same server.',
    advice:
      'It counts how often it was referred, stops after a few times with referralLimitExceeded or clientLoop, and sends no credentials to a server that it does not know.',
    lasts: '30s',
    stages: (_fields, { url }) => [{ fault: { referral: [`${url}/`], message: 'The directory has moved' } }],
  }),
  unavailable: defineIncident({
    summary:
      'The server shuts down: clients get the notice of disconnection, and new connections are refused.',
    advice: 'It connects to another replica, or to this one later, and binds again before it goes on.',
    lasts: '15s',
    stages: () => [{ fault: { phase: 'connect' }, close: 'goodbye' }],
  }),
};
