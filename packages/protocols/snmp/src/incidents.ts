import { defineIncident, type IncidentDeclaration } from '@backlot/core/plugin';

/** What happens to agents. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  'authentication-failure': defineIncident({
    summary:
      'The keys have changed: v1 and v2c are not answered, as with a wrong community, and signed messages of v3 get the report usmStatsWrongDigests.',
    advice:
      'It says that the credentials are wrong where v3 tells it, takes silence of v1 and v2c for a time-out that may mean the same, and does not try faster because of it.',
    lasts: '1m',
    stages: () => [{ fault: { wrong_credentials: true } }],
  }),
};
