import type { Host, Kind } from '@backlot/core';
import { nextTurn, runInSlices } from '@backlot/core/plugin';
import { pageQuery } from '../answer/pages.js';
import { documentSteps, type OpenApiDocument } from '../openapi/document.js';
import { renderPage } from '../openapi/page.js';
import { completeOptions, type ManagementOptions } from '../options.js';
import { callRoutes } from './calls.js';
import { captureRoutes } from './captures.js';
import { certificateRoutes } from './certificate.js';
import { clockRoutes } from './clock.js';
import { connectionRoutes } from './connections.js';
import { collectionRoutes } from './collections.js';
import { dataRoutes } from './data.js';
import { exportRoutes } from './exports.js';
import { flightRoutes } from './flight.js';
import { importRoutes } from './imports.js';
import { incidentRoutes } from './incidents.js';
import { itemListRoutes } from './item-lists.js';
import { descriptionRoutes } from './description.js';
import { dryRunRoutes } from './dry-run.js';
import { emitRoutes } from './emit.js';
import { explainRoutes } from './explain.js';
import { allFaultRoutes, faultRoutes } from './faults.js';
import { frameRoutes, frameRoutesOf } from './frames.js';
import { logCommandRoutes } from './log-command.js';
import { logRoutes } from './logs.js';
import { fails, type ManagementRoute } from './management-route.js';
import { mockRoutes } from './mocks.js';
import { ofKinds } from './of-kinds.js';
import { ownRoutes } from './own-routes.js';
import { publishRoutes } from './publish.js';
import { reactionRoutes } from './reactions.js';
import { scenarioRoutes } from './scenarios.js';
import { schemaRoutes } from './schemas.js';
import { snapshotRoutes } from './snapshots.js';
import { spaceRoutes } from './spaces.js';
import { stateRoutes } from './state.js';
import { streamRoutes } from './streams.js';
import { systemRoutes } from './system.js';
import { metricsRoutes } from './metrics.js';
import { traceRoutes } from './traces.js';
import { coverageRoutes } from './coverage.js';
import { troubleRoutes } from './troubles.js';
import { replicatedQuery } from '../replication/answer-replicated.js';
import { verifyRoutes } from './verify.js';
import { allToxicRoutes, toxicRoutes } from './toxics.js';
import { webhookRoutes } from './webhooks.js';

/**
 * Every route of the management API, in the order in which the routes are documented. The installed protocols decide
 * which routes there are; those of the options come last.
 */
export function allRoutes(host: Host, options: ManagementOptions = {}): readonly ManagementRoute[] {
  const settings = completeOptions(options);
  const { kinds } = host;
  // The routes were made when the declarations may have been manifests; the description shows all that there is.
  const describe = async (mountPath: string): Promise<OpenApiDocument> => {
    for (const kind of kinds) {
      await kind.load();
      await nextTurn();
    }
    const publicUrl = settings.publicUrl ?? (mountPath === '' ? undefined : mountPath);
    return runInSlices(documentSteps(host, allRoutes(host, options), { ...settings, publicUrl }));
  };
  const routes = [
    ...systemRoutes(settings.replication),
    ...certificateRoutes(settings.caCertificate),
    ...descriptionRoutes(describe, renderPage),
    ...ofKinds(host, mockRoutes),
    ...ofKinds(host, itemListRoutes),
    ...ofOneReplica(ofKinds(host, atHome(ownRoutes), { service: true })),
    ...ofOneReplica(ofKinds(host, captureRoutes)),
    ...ofOneReplica(ofKinds(host, frameRoutesOf)),
    ...ofOneReplica(frameRoutes()),
    ...ofOneReplica(ofKinds(host, atHome(dataRoutes), { service: true })),
    ...ofOneReplica(ofKinds(host, atHome(publishRoutes), { service: true })),
    ...ofOneReplica(webhookRoutes()),
    ...ofOneReplica(ofKinds(host, callRoutes)),
    ...ofOneReplica(streamRoutes()),
    ...ofOneReplica(ofKinds(host, connectionRoutes, { service: true })),
    ...scenarioRoutes(),
    ...reactionRoutes(),
    ...ofOneReplica(kinds.flatMap(atHome(emitRoutes))),
    ...allFaultRoutes(),
    ...ofKinds(host, faultRoutes),
    ...allToxicRoutes(),
    ...ofKinds(host, toxicRoutes),
    ...incidentRoutes(host),
    ...metricsRoutes(),
    ...troubleRoutes(),
    ...ofOneReplica(coverageRoutes()),
    ...stateRoutes(),
    ...collectionRoutes(),
    ...ofOneReplica(logRoutes()),
    ...ofOneReplica(verifyRoutes(kinds)),
    ...ofOneReplica(traceRoutes(settings.spans)),
    ...importRoutes(host, settings.imports),
    ...exportRoutes(host, settings.exports),
    ...flightRoutes(settings.exports),
    ...logCommandRoutes(),
    ...snapshotRoutes(),
    ...clockRoutes(),
    ...spaceRoutes(),
    ...ofKinds(host, explainRoutes),
    ...ofKinds(host, dryRunRoutes),
    ...ofKinds(host, schemaRoutes),
    ...settings.routes,
  ];
  const { replication } = settings;
  return routes.map((route) => {
    const paged = withPageQuery(route);
    return replication === undefined
      ? paged
      : { ...paged, query: { ...paged.query, ...replicatedQuery(paged) } };
  });
}

/** Routes about what one replica alone has. What they clear, all clear. */
function ofOneReplica(routes: readonly ManagementRoute[]): readonly ManagementRoute[] {
  return routes.map((route) => ({ ...route, reach: route.reach ?? 'here' }));
}

/** Routes of kinds, of which those that keep data in one place are answered there. */
function atHome(make: (kind: Kind) => readonly ManagementRoute[]): typeof make {
  return (kind) => {
    const routes = make(kind);
    const { data, publish } = kind.protocol;
    if (data === undefined && publish === undefined) return routes;
    return routes.map((route) => ({ ...route, isAtHome: true }));
  };
}

/** A route with the query parameters of its pages. */
function withPageQuery(route: ManagementRoute): ManagementRoute {
  const { pages, query, responses } = route;
  if (pages === undefined) return route;
  return {
    ...route,
    query: { ...query, ...pageQuery(pages) },
    responses: { ...responses, 400: responses[400] ?? fails('A query parameter is not valid.') },
  };
}
