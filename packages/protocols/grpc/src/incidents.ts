import {
  Type,
  closedObject,
  defineIncident,
  lastsField,
  type IncidentDeclaration,
} from '@backlot/core/plugin';

/** What happens to servers of gRPC. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  unavailable: defineIncident({
    summary:
      'The service is overloaded: calls end with UNAVAILABLE, and a google.rpc.RetryInfo in the details says when to come again.',
    advice:
      'It tries again no sooner than RetryInfo says, with growing pauses and some time by chance, within the deadline of the call and only where the method may be repeated.',
    lasts: '30s',
    fields: closedObject({
      retry_delay: Type.Optional(
        Type.String({ default: '1s', description: 'What RetryInfo says, a duration.' }),
      ),
      rate: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1, default: 1, description: 'How many calls, 0 to 1.' }),
      ),
    }),
    stages: ({ retry_delay: delay = '1s', rate = 1 }) => [
      {
        fault: {
          ...{ code: 'UNAVAILABLE', message: 'the service is overloaded' },
          ...{ retry_delay: delay, error_rate: rate },
        },
      },
    ],
  }),
  goaway: defineIncident({
    summary: 'A rolling restart: again and again connections get GOAWAY. Calls that have begun are answered.',
    advice:
      'It connects again by itself, and repeats calls that the server has not looked at (transparent retry).',
    lasts: '30s',
    repeats: true,
    fields: closedObject({ every: lastsField('5s', 'How long connections are left alone') }),
    stages: ({ every = '5s' }) => [{ lasts: every, close: 'goodbye' }],
  }),
};
