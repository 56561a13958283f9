import type { Host } from '@backlot/core';
import { BacklotError, type RouteAnswer } from '@backlot/core/plugin';
import type { Replication } from '../replication/replication.js';
import type { ManagementRequest, ManagementRoute } from '../routes/management-route.js';
import { inTurn } from './budget.js';
import { targetsOf } from './target.js';

/**
 * Lets the replica answer that has what clients have stored.
 *
 * @throws BacklotError `unavailable` that names it when it does not answer; what it answers
 */
export async function askHome(
  home: string | null,
  route: ManagementRoute,
  asked: ManagementRequest,
  { replication, acting }: { readonly replication: Replication; readonly acting: Host },
): Promise<RouteAnswer> {
  if (home === null)
    throw new BacklotError(
      'unavailable',
      'what clients have stored has no home now: the replica that was it has ended or is cut off; try again in some seconds',
    );
  const targets = await targetsOf(replication, asked, acting);
  const target = targets.find(({ name }) => name === home);
  if (target === undefined)
    throw new BacklotError(
      'unavailable',
      `what clients have stored is on the replica "${home}", which is not there now; try again`,
      { fields: { replica: home } },
    );
  const { params, query, body, signal } = asked;
  return await inTurn((budget) =>
    target.pass({ route, params, query, ...(body === undefined ? {} : { body }), signal }, budget),
  );
}
