import type { ApiClient } from '../../client/api-client.js';
import { SpaceApi } from '../../client/agent-api.js';
import { importOptional } from '../../plugins/known.js';
import { NO_AGENTS } from '../../server/agents.js';
import { readVersion } from '../../version.js';
import { CommandError } from '../command-error.js';
import { note } from '../output.js';

/** The flags of `backlot mcp`. */
export interface AgentFlags {
  readonly space?: string | undefined;
  /** Whether the session acts on the server itself. */
  readonly main?: boolean | undefined;
}

/**
 * `backlot mcp`: serves an agent on standard input and output, until it closes its end. The session has a space of its own, which ends
 * with it, unless one is named.
 *
 * @throws CommandError when the package for it is not installed
 */
export async function serve(api: ApiClient, { space, main = false }: AgentFlags): Promise<void> {
  const exported = await importOptional('@backlot/mcp', () => import('@backlot/mcp'));
  if (exported === undefined) throw new CommandError(NO_AGENTS);
  if (main && space !== undefined)
    throw new CommandError(
      '--main and --space are given; a session acts on the server itself, or on a space',
    );
  const own = main || space !== undefined ? undefined : SpaceApi.own(api);
  const session = own ?? new SpaceApi(api, space);
  const parts = { version: readVersion(), apiOf: () => session, ownSpace: () => SpaceApi.own(api) };
  process.stdin.once('end', () => {
    const end = own === undefined ? Promise.resolve() : own.end();
    end
      .catch((error: unknown) => note(`error: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => process.exit(0));
  });
  exported.serveAgent(session, parts, (error) => note(`error: ${error.message}`));
}
