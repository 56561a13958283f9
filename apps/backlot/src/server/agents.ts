import { BacklotError } from '@backlot/core';
import type { ManagementOptions } from '@backlot/management';
import type { AgentHandler } from '@backlot/mcp';
import type { ApiClient } from '../client/api-client.js';
import { importOptional } from '../plugins/known.js';
import { loadWithFiles } from './file-limit.js';
import { readVersion } from '../version.js';

type Handler = NonNullable<ManagementOptions['beside']>;

/** Says that what agents use is not there, and what would help. */
export const NO_AGENTS =
  'agents are served by the package @backlot/mcp, which is not installed; install it beside backlot with "npm install @backlot/mcp"';

/**
 * Answers agents at `/mcp`, and `/llms.txt`. The package for that is loaded with the first of these requests; only who wants it
 * installs it.
 *
 * @param connect - makes the client by which tools use the management API of this very server
 */
export function createAgentsHandler(
  connect: () => Promise<ApiClient>,
  onError: (text: string) => void,
): Handler {
  let loaded: Promise<Loaded | undefined> | undefined;
  return (request, response, next) => {
    const [path] = request.url.split('?');
    if (path !== '/mcp' && path !== '/llms.txt') {
      next();
      return;
    }
    loaded ??= loadWithFiles(() => load(connect, onError));
    loaded
      .then((agents) => {
        if (agents === undefined) throw new BacklotError('not_found', NO_AGENTS);
        if (path === '/mcp') return agents.answer(request, response);
        response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
        response.end(agents.text);
        return undefined;
      })
      .catch(next);
  };
}

interface Loaded {
  readonly answer: AgentHandler;
  readonly text: string;
}

async function load(
  connect: () => Promise<ApiClient>,
  onError: (text: string) => void,
): Promise<Loaded | undefined> {
  const exported = await importOptional('@backlot/mcp', () => import('@backlot/mcp'));
  if (exported === undefined) return undefined;
  const { SpaceApi } = await import('../client/agent-api.js');
  const api = await connect();
  const parts = {
    version: readVersion(),
    apiOf: (space: string | undefined) => new SpaceApi(api, space),
    ownSpace: () => SpaceApi.own(api),
  };
  return {
    answer: exported.createAgentHandler(parts, (error) => onError(`an agent: ${error.message}`)),
    text: exported.describeForAgents(),
  };
}
