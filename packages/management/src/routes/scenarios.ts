import { eachWithId } from './fresh-ids.js';
import { ScenarioSchema, type Host, type NewScenario } from '@backlot/core';
import { Type, type RouteRequest } from '@backlot/core/plugin';
import { DeletedSchema, answers, deleted, fails, paramOf, type ManagementRoute } from './management-route.js';

const tag = 'Scenarios';
const unknown = fails('There is no scenario with this id.');
const wrong = fails('The scenario is not valid; details name every problem.');

const ActivatedSchema = Type.Object({
  activated: Type.String(),
  active: Type.Array(Type.String(), { description: 'All that are active, in order of activation.' }),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What is not as it seems, such as a patch for a mock that is not there; absent when nothing is.',
    }),
  ),
});
const DeactivatedSchema = Type.Object({ deactivated: Type.String(), active: Type.Array(Type.String()) });

const EXAMPLE = {
  id: 'outage',
  description: 'The payment service is down.',
  patches: [{ mock_id: 'pay', disabled: true }],
};

/** Named sets of changes to mocks and of faults. */
export function scenarioRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/scenarios',
      name: 'listScenarios',
      tag,
      summary: 'All scenarios.',
      pages: {},
      responses: { 200: answers('The scenarios.', Type.Array(ScenarioSchema)) },
      handle: async (_request, host) => ({ list: await host.scenarios.inSlices.list() }),
    },
    {
      method: 'POST',
      path: '/api/scenarios',
      name: 'createScenario',
      tag,
      summary: 'Creates a scenario; it is not active.',
      body: ScenarioSchema,
      hostChecksBody: true,
      complete: ({ body }) => eachWithId(body, 'id', 'scenario'),
      examples: [EXAMPLE],
      responses: {
        201: answers('The new scenario.', ScenarioSchema),
        400: wrong,
        409: fails('The id exists.'),
      },
      async handle({ body }, host) {
        await loadFaulted(body, host);
        return { status: 201, body: await host.scenarios.inSlices.create(body as NewScenario) };
      },
    },
    {
      method: 'GET',
      path: '/api/scenarios/active',
      name: 'listActiveScenarios',
      tag,
      summary: 'The active scenarios in order of activation.',
      description: 'Pages are of `scenarios`; `active` has all ids.',
      pages: {},
      responses: {
        200: answers(
          'Ids and scenarios.',
          Type.Object({ active: Type.Array(Type.String()), scenarios: Type.Array(ScenarioSchema) }),
        ),
      },
      async handle(_request, host) {
        const scenarios = await host.scenarios.inSlices.active();
        const active = scenarios.map((scenario) => scenario.id);
        return { list: scenarios, within: { fields: { active }, name: 'scenarios' } };
      },
    },
    {
      method: 'GET',
      path: '/api/scenarios/{id}',
      name: 'getScenario',
      tag,
      summary: 'One scenario.',
      responses: { 200: answers('The scenario.', ScenarioSchema), 404: unknown },
      handle: async (request, host) => ({ body: await host.scenarios.inSlices.get(paramOf(request, 'id')) }),
    },
    {
      method: 'PUT',
      path: '/api/scenarios/{id}',
      name: 'replaceScenario',
      tag,
      summary: 'Replaces a scenario; an active one acts at once.',
      body: ScenarioSchema,
      hostChecksBody: true,
      examples: [EXAMPLE],
      responses: { 200: answers('The new scenario.', ScenarioSchema), 400: wrong, 404: unknown },
      async handle(request, host) {
        await loadFaulted(request.body, host);
        const { inSlices } = host.scenarios;
        return { body: await inSlices.replace(paramOf(request, 'id'), request.body as NewScenario) };
      },
    },
    {
      method: 'DELETE',
      path: '/api/scenarios/{id}',
      name: 'deleteScenario',
      tag,
      summary: 'Deletes a scenario; an active one is deactivated first.',
      responses: { 200: answers('It is gone.', DeletedSchema), 404: unknown },
      async handle(request, host) {
        const id = paramOf(request, 'id');
        await host.scenarios.inSlices.remove(id);
        return deleted(id);
      },
    },
    {
      method: 'POST',
      path: '/api/scenarios/{id}/activate',
      name: 'activateScenario',
      tag,
      summary: 'Activates a scenario: its patches and faults apply together.',
      responses: { 200: answers('It is active.', ActivatedSchema), 404: unknown },
      async handle(request, host) {
        const id = paramOf(request, 'id');
        const { inSlices } = host.scenarios;
        const active = await inSlices.activate(id);
        const { problems } = await inSlices.get(id);
        const warnings = problems?.map(({ path, message }) => `${path}: ${message}`);
        return { body: { activated: id, active, ...(warnings === undefined ? {} : { warnings }) } };
      },
    },
    {
      method: 'DELETE',
      path: '/api/scenarios/{id}/activate',
      name: 'deactivateScenario',
      tag,
      summary: 'Deactivates a scenario.',
      responses: { 200: answers('It is not active.', DeactivatedSchema), 404: unknown },
      handle: deactivate,
    },
    {
      method: 'POST',
      path: '/api/scenarios/{id}/deactivate',
      name: 'postDeactivateScenario',
      tag,
      summary: 'Deactivates a scenario; the same as DELETE of its activation.',
      responses: { 200: answers('It is not active.', DeactivatedSchema), 404: unknown },
      handle: deactivate,
    },
  ];
}

/** The fault of a kind that is not enabled is checked too, so its whole declaration must be there. */
async function loadFaulted(body: unknown, host: Host): Promise<void> {
  // The body itself may be anything still: the host checks it.
  const faults = (body as { faults?: unknown } | null)?.faults;
  if (typeof faults !== 'object' || faults === null) return;
  for (const kind of Object.keys(faults)) if (host.hasKind(kind)) await host.kind(kind).load();
}

async function deactivate(request: RouteRequest, host: Host): Promise<{ readonly body: unknown }> {
  const id = paramOf(request, 'id');
  return { body: { deactivated: id, active: await host.scenarios.inSlices.deactivate(id) } };
}
