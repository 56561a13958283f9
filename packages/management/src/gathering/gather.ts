import type { Host } from '@backlot/core';
import type { RouteAnswer } from '@backlot/core/plugin';
import type { Replication } from '../replication/replication.js';
import type { ManagementRequest, ManagementRoute } from '../routes/management-route.js';
import { gatherCheck } from './gather-check.js';
import { gatherEntries } from './gather-entries.js';
import { gatherList } from './gather-list.js';
import { gatherOne } from './gather-one.js';
import { gatherSums } from './gather-sums.js';
import { gatherWait } from './gather-wait.js';
import type { GatheredList, Gathering } from './gathering.js';
import { narrowed } from './named.js';
import { targetsOf, type Target } from './target.js';
import { SPACE_ID } from '@backlot/core';

const ID = new RegExp(SPACE_ID);

/** What gathering takes beside the request. */
export interface GatheringParts {
  readonly replication: Replication;
  /** Finds another route by its name. */
  readonly find: (name: string) => ManagementRoute;
  /** Says of an answer where the next one begins. */
  readonly tellAfter: (after: string) => void;
}

/** Answers a request of a route for all replicas together. */
export async function gather(
  route: ManagementRoute & { readonly gather: Gathering },
  asked: ManagementRequest,
  acting: Host,
  { replication, find, tellAfter }: GatheringParts,
): Promise<RouteAnswer> {
  const { params, body, signal, main } = asked;
  const { consistency: _consistency, at_least: _atLeast, ...query } = asked.query;
  const question = { route, params: { ...params }, query, body, signal };
  const targets = (): Promise<readonly Target[]> => targetsOf(replication, asked, acting);
  const onMembers = replication.onMembers.bind(replication);
  const gathering = route.gather;
  switch (gathering.as) {
    case 'list': {
      const meant = narrowed(question, await targets());
      const { answer, after } = await gatherList(meant.question, gathering, meant.targets);
      tellAfter(after);
      return answer;
    }
    case 'sums': {
      const meant = narrowed(question, await targets());
      return await gatherSums(meant.question, gathering.fields, meant.targets);
    }
    case 'one':
      return await gatherOne(question, gathering.param, await targets());
    case 'made': {
      const thing = await gatherOne(
        { ...question, route: find(gathering.of) },
        gathering.param,
        await targets(),
      );
      return 'body' in thing ? gathering.make(thing.body, asked) : thing;
    }
    case 'wait':
      return await gatherWait(question, { wait: gathering, targets, onMembers });
    case 'entries': {
      const { space } = query;
      return await gatherEntries(question, {
        ...{ targets, onMembers, list: find('listLogs') },
        resumed: lastEventId(asked),
        isNumbered: space === undefined || acting !== main || ID.test(space),
      });
    }
    case 'check': {
      const list = find('listLogs');
      return await gatherCheck(question, {
        ...{ targets, onMembers, acting, list, stream: find('followLogs') },
        entries: list.gather as GatheredList,
      });
    }
  }
}

function lastEventId({ headers }: ManagementRequest): string | undefined {
  const value = headers['last-event-id'];
  return typeof value === 'string' && value.includes('@') ? value : undefined;
}
