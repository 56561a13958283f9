import { BacklotError, Type } from '@backlot/core/plugin';
import type { ExportTools } from '../options.js';
import { dispositionOf } from './disposition.js';
import { fails, type ManagementRoute } from './management-route.js';

/** Everything that a server has in one file. */
export function flightRoutes(tools: ExportTools | undefined): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/flight',
      name: 'saveFlight',
      tag: 'Export',
      reach: 'here',
      summary: 'What runs, what was done to it, the time, the seed and the log, in one file.',
      description:
        '`backlot open` starts a server from it. It is gzip of lines of JSON; secrets in it are replaced by REDACTED, by their names and by their shapes.',
      query: {
        secrets: Type.Boolean({ description: 'Whether secrets stay in it.' }),
        reason: Type.String({ maxLength: 1000, description: 'Why it is made, for who opens it.' }),
      },
      responses: {
        200: { description: 'The file.', contentType: 'application/gzip' },
        503: fails('What writes it is not installed.'),
      },
      async handle({ query }, host) {
        const save = (await tools?.load())?.save;
        if (save === undefined)
          throw new BacklotError(
            'not_enabled',
            'recordings are written by @backlot/exports, which is not installed',
          );
        const { reason = 'it was asked for', secrets } = query;
        return {
          pieces: save(host, { reason, withSecrets: secrets === 'true' }),
          contentType: 'application/gzip',
          headers: { 'Content-Disposition': dispositionOf('backlot.flight.gz') },
        };
      },
    },
  ];
}
