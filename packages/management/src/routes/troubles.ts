import { Type, type TSchema } from '@backlot/core/plugin';
import { toxicSchemaOf } from '@backlot/core';
import { answers, type ManagementRoute } from './management-route.js';

const sources: TSchema[] = [Type.Literal('set'), Type.Literal('scenario'), Type.Literal('incident')];

/** A fault or a toxic, with what it comes from. */
export const TroubleSchema = Type.Object({
  protocol: Type.String(),
  source: Type.Union(sources, {
    description: '`set`: it was set directly; `scenario`: of an active one; `incident`: of one that runs.',
  }),
  id: Type.Optional(
    Type.String({ description: 'The id of the scenario, or the name of the incident; absent for `set`.' }),
  ),
  in_force: Type.Boolean({
    description: 'False for a fault while that of an incident takes its place.',
  }),
  fault: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Absent where it is a toxic.' }),
  ),
  toxic: Type.Optional(toxicSchemaOf('both')),
});

/** What is wrong with the protocols now, whatever it comes from. */
export function troubleRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/troubles',
      name: 'listTroubles',
      tag: 'Faults',
      summary: 'All faults and toxics there are now, with what each comes from.',
      description:
        'In the order in which they take effect: what was set, active scenarios, incidents. Of several faults of a protocol the later ones lie over the earlier ones, field by field; that of an incident takes the place of all others.',
      responses: { 200: answers('The faults and toxics.', Type.Array(TroubleSchema)) },
      handle: (_request, host) => ({ body: host.troubles() }),
    },
  ];
}
