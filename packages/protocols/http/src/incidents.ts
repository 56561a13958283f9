import {
  Type,
  closedObject,
  defineIncident,
  lastsField,
  type IncidentDeclaration,
} from '@backlot/core/plugin';

/** What happens to servers of HTTP. */
export const INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  goaway: defineIncident({
    summary:
      'A rolling restart: again and again connections are told to go. HTTP/2 gets GOAWAY, after which answers that have begun still come; HTTP/1.1 is closed.',
    advice:
      'It opens a new connection for new requests, waits for those below the last stream of GOAWAY, and repeats the others, which were not looked at.',
    lasts: '30s',
    repeats: true,
    fields: closedObject({ every: lastsField('5s', 'How long connections are left alone') }),
    stages: ({ every = '5s' }) => [{ lasts: every, close: 'goodbye' }],
  }),
  overload: defineIncident({
    summary: 'The server has too much to do: requests are answered with 503 and Retry-After.',
    advice:
      'It waits as long as Retry-After says and some time by chance, repeats what does no harm twice, and gives up after a few times.',
    lasts: '30s',
    fields: closedObject({
      rate: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1, default: 1, description: 'How many requests, 0 to 1.' }),
      ),
      retry_after: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 86_400, default: 2, description: 'The seconds of Retry-After.' }),
      ),
    }),
    stages: ({ rate = 1, retry_after: seconds = 2 }) => [
      {
        fault: {
          ...{ status: 503, headers: { 'Retry-After': String(seconds) }, error_rate: rate },
          body: '{"error":"too much to do"}',
        },
      },
    ],
  }),
};
