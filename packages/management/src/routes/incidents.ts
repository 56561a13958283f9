import type { Host } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import {
  CLEARED,
  ClearedSchema,
  NOT_ENABLED,
  answers,
  fails,
  paramOf,
  type ManagementRoute,
} from './management-route.js';

const tag = 'Incidents';

/** An incident as it is shown. */
export const IncidentSchema = Type.Object({
  name: Type.String(),
  protocols: Type.Array(Type.String(), { description: 'The protocols that it befalls, or may befall.' }),
  summary: Type.String({ description: 'What happens.' }),
  advice: Type.String({ description: 'What a good client does.' }),
  lasts: Type.String({ description: 'How long it lasts when nothing is said.' }),
  fields: Type.Object(
    {},
    { additionalProperties: true, description: 'The JSON schema of what can be said of it.' },
  ),
  running: Type.Optional(
    Type.Object(
      {
        fields: Type.Object({}, { additionalProperties: true, description: 'What was said of it.' }),
        began_at: Type.String({ description: 'When it began, by the clock of the server.' }),
        ends_at: Type.String({ description: 'When it ends.' }),
        stages: Type.Record(Type.String(), Type.Integer(), {
          description: 'The number of its stage by protocol, from 1; 0 once its stages are over.',
        }),
      },
      { description: 'Absent while it does not run.' },
    ),
  ),
});

const unknown = fails('There is no incident with this name; the text says which there are.');

/** Trouble as servers of the protocols have it. */
export function incidentRoutes({ incidents }: Host): ManagementRoute[] {
  const [first] = incidents.list();
  return [
    {
      method: 'GET',
      path: '/api/incidents',
      name: 'listIncidents',
      tag,
      summary: 'The incidents there are, with those that run.',
      pages: {},
      responses: { 200: answers('The incidents.', Type.Array(IncidentSchema)) },
      handle: (_request, host) => ({ list: host.incidents.list() }),
    },
    {
      method: 'DELETE',
      path: '/api/incidents',
      name: 'stopAllIncidents',
      tag,
      summary: 'Ends all incidents.',
      responses: { 200: answers('None runs.', ClearedSchema) },
      handle(_request, host) {
        host.incidents.stopAll();
        return CLEARED;
      },
    },
    {
      method: 'GET',
      path: '/api/incidents/{name}',
      name: 'getIncident',
      tag,
      summary: 'One incident.',
      responses: { 200: answers('The incident.', IncidentSchema), 404: unknown },
      handle: (request, host) => ({ body: host.incidents.get(paramOf(request, 'name')) }),
    },
    {
      method: 'POST',
      path: '/api/incidents/{name}',
      name: 'startIncident',
      tag,
      summary: 'Begins an incident, anew when it runs. It ends by itself.',
      description:
        'Its faults take the place of all others of the protocol, and its toxics act beside others. A reset and a restored snapshot end it.',
      body: Type.Object(
        {
          for: Type.Optional(
            Type.String({ description: 'How long it lasts, such as `30s`, by the clock of the server.' }),
          ),
        },
        { additionalProperties: true, description: 'Beside `for` the fields of the incident.' },
      ),
      bodyOptional: true,
      hostChecksBody: true,
      examples: first === undefined ? [] : [{ for: '30s' }],
      responses: {
        200: answers('The incident, which runs.', IncidentSchema),
        400: fails('A field is not valid; details name every problem.'),
        404: unknown,
        409: fails('It is one of TLS, and no protocol that it is to befall has TLS.'),
        503: NOT_ENABLED,
      },
      async handle(request, host) {
        const given = (request.body ?? {}) as Readonly<Record<string, unknown>>;
        return { body: await host.incidents.start(paramOf(request, 'name'), given) };
      },
    },
    {
      method: 'DELETE',
      path: '/api/incidents/{name}',
      name: 'stopIncident',
      tag,
      summary: 'Ends an incident; does nothing when it does not run.',
      responses: { 200: answers('The incident, which does not run.', IncidentSchema), 404: unknown },
      handle: (request, host) => ({ body: host.incidents.stop(paramOf(request, 'name')) }),
    },
  ];
}
