import type { Host } from '@backlot/core';
import { BacklotError, Type, invalid, type RouteAnswer } from '@backlot/core/plugin';
import type { Request, RequestHandler, Response } from 'express';
import type { GatheringParts } from '../gathering/gather.js';
import { invalidAt, type ManagementRequest, type ManagementRoute } from '../routes/management-route.js';
import { reachOf, type Command, type Replication } from './replication.js';

const REVISION = 'Backlot-Revision';
/** Which process answers. */
const REPLICA = 'Backlot-Replica';
const AFTER = 'Backlot-After';

/** The query parameters that routes have beside their own where there are several replicas. */
export function replicatedQuery(route: ManagementRoute): NonNullable<ManagementRoute['query']> {
  if (reachOf(route) === 'command') {
    return {
      consistency: Type.Union([Type.Literal('all'), Type.Literal('local')], {
        default: 'all',
        description:
          '`all`: answers when all live replicas have made the change; `local`: when this one has, and the others follow.',
      }),
    };
  }
  const atLeast = {
    at_least: Type.Integer({
      minimum: 0,
      description: 'A revision that this replica must have come to; it is waited for.',
    }),
  };
  if (reachOf(route) === 'agreed' && route.hereWith === undefined) return atLeast;
  if (route.gather !== undefined) {
    return {
      ...atLeast,
      ...(route.query?.['after'] === undefined ? {} : { after: PlaceSchema }),
      consistency: Type.Union([Type.Literal('all'), Type.Literal('local')], {
        default: 'all',
        description:
          '`all`: what all replicas have, or 503 that names one that does not answer; `local`: what this one has. Ids are such as `57@one`, and those of one alone without that end.',
      }),
    };
  }
  return {
    ...atLeast,
    consistency: Type.Literal('local', {
      description: 'Says that this replica alone is meant; needed where the answer is about one.',
    }),
  };
}

const PlaceSchema = Type.String({
  minLength: 1,
  description:
    'Only what comes after this place: the header `Backlot-After` of an answer, `0` for the beginning; with `consistency=local` an id.',
});

/** What a request of a route is answered with. */
type Answering = (request: ManagementRequest, acting: Host) => RouteAnswer | Promise<RouteAnswer>;

/**
 * Makes what answers a route where there are several replicas: a change goes into the order of all, and what one replica alone knows is
 * only told to those who ask for that.
 *
 * @param find - finds another route by its name
 * @returns answers one request, and sets its headers
 */
export function replicatedAnswer(
  route: ManagementRoute,
  replication: Replication,
  find: (name: string) => ManagementRoute,
): (request: Request, response: Response, main: Host) => Answering {
  const reach = reachOf(route);
  return (request, response, main) => async (asked, acting) => {
    const expected = expectedRevision(request);
    response.setHeader(REVISION, replication.revision);
    response.setHeader(REPLICA, `${replication.name}~${replication.session}`);
    // What would be done can be said by one replica.
    const isTried = route.takesBytes === true && asked.query['dry_run'] === 'true';
    if (reach === 'command' && !isTried) {
      if (route.takesBytes === true)
        throw new BacklotError(
          'conflict',
          `${route.method} ${route.path} is not made in a cluster, whose log takes JSON alone; make a configuration of the file with "backlot import --out", and apply that`,
        );
      const { consistency = 'all', ...query } = asked.query;
      const command: Command = {
        route: route.name,
        params: { ...asked.params },
        query,
        ...bodyOf(route, asked, acting),
        ...(acting === main || acting.space === undefined ? {} : { space: acting.space }),
        ...(expected === undefined ? {} : { expect: expected }),
      };
      try {
        const { revision, answer } = await replication.submit(command, {
          consistency: consistency === 'local' ? 'local' : 'all',
        });
        response.setHeader(REVISION, revision);
        return answer;
      } catch (thrown) {
        response.setHeader(REVISION, replication.revision);
        throw thrown;
      }
    }
    if (expected !== undefined)
      throw invalid(`If-Match is for changes that all replicas make; ${route.method} ${route.path} is none`);
    const { at_least: atLeast, consistency, after } = asked.query;
    const isGathered = route.gather !== undefined && consistency !== 'local';
    const isAboutOne =
      reach === 'here' || (route.hereWith ?? []).some((name) => asked.query[name] !== undefined);
    const { home } = replication;
    if (
      reach === 'here' &&
      !isGathered &&
      consistency !== 'local' &&
      route.isAtHome === true &&
      home !== undefined
    ) {
      if (home === replication.name) return await route.handle(asked, acting);
      const { askHome } = await import('../gathering/ask-home.js');
      return await askHome(home, route, asked, { replication, acting });
    }
    if (isAboutOne && !isGathered && consistency !== 'local') {
      throw invalidAt(
        '/consistency',
        `${route.method} ${route.path} is about what one replica has, and cannot tell it of all of them; ask each with consistency=local`,
      );
    }
    if (atLeast !== undefined) {
      await replication.reach(Number(atLeast), asked.signal);
      response.setHeader(REVISION, replication.revision);
    }
    if (isGathered) return await gatherFor(route, { asked, acting, response, parts: { replication, find } });
    if (after !== undefined && !isPlaceIn(route, after))
      throw invalidAt(
        '/after',
        'with consistency=local it is an id of what one replica has; a place in what all have is for requests without that',
      );
    return await route.handle(asked, acting);
  };
}

/** Whether a text can be a place in what one replica has. */
function isPlaceIn({ gather: gathering }: ManagementRoute, after: string): boolean {
  const isNumbered =
    gathering?.as === 'entries' || (gathering?.as === 'list' && gathering.start !== undefined);
  return !isNumbered || /^\d{1,15}$/.test(after);
}

/** Answers for all replicas; its code is loaded where there are several. */
async function gatherFor(
  route: ManagementRoute,
  {
    asked,
    acting,
    response,
    parts,
  }: {
    readonly asked: ManagementRequest;
    readonly acting: Host;
    readonly response: Response;
    readonly parts: Omit<GatheringParts, 'tellAfter'>;
  },
): Promise<RouteAnswer> {
  const { gather: gathering } = route;
  if (gathering === undefined) return await route.handle(asked, acting);
  const { gather } = await import('../gathering/gather.js');
  return await gather({ ...route, gather: gathering }, asked, acting, {
    ...parts,
    tellAfter: (after) => response.setHeader(AFTER, after),
  });
}

function bodyOf(route: ManagementRoute, asked: ManagementRequest, acting: Host): { readonly body?: unknown } {
  const body = route.complete === undefined ? asked.body : route.complete(asked, acting);
  return body === undefined ? {} : { body };
}

/** The revision of `If-Match: "57"`. @throws BacklotError `invalid` for what is none */
function expectedRevision(request: Request): number | undefined {
  const given = request.get('if-match');
  if (given === undefined) return undefined;
  const [, digits] = /^"?(\d{1,15})"?$/.exec(given.trim()) ?? [];
  if (digits !== undefined) return Number(digits);
  throw invalid(
    `If-Match ${JSON.stringify(given.slice(0, 100))} is no revision; give the number that an answer had as ${REVISION}`,
  );
}

/** Refuses `If-Match` where nothing has a revision: a change that somebody guards must not be made unguarded. */
export const refuseIfMatch: RequestHandler = (request, _response, next) => {
  if (request.headers['if-match'] === undefined) {
    next();
    return;
  }
  throw new BacklotError(
    'precondition_failed',
    'a server that is no replica of a cluster has no revisions, so that If-Match cannot hold; send the request without it',
  );
};
