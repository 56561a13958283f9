import type { AgentApi, AgentParts } from './api.js';
import { readSpaceName } from './space-name.js';

/** What a tool acts on. */
export interface Chosen {
  readonly api: AgentApi;
  /** What the agent is told beside the answer. */
  readonly note?: string;
}

/** The input by which a call says where it acts, for requests that have no session. */
export const SPACE_INPUT = {
  type: 'string',
  description:
    'The space to act in: the id that an earlier call has told, or an empty text for the server itself. Without it a tool that changes something makes a space and tells its id; others look at the server itself.',
};

/**
 * Chooses what a call acts on that belongs to no session: agents do not disturb each other unless they say that they mean the server itself.
 *
 * @throws Error for what no space can be called
 */
export function chooseSpace(parts: AgentParts, space: unknown, readOnly: boolean): Chosen {
  if (typeof space === 'string') return { api: parts.apiOf(readSpaceName(space)) };
  if (readOnly) return { api: parts.apiOf(undefined) };
  const own = parts.ownSpace();
  return {
    api: own,
    note: `This was done in the space "${own.id}", which was made for it. Give "space": "${own.id}" with each further call; "status" says where clients of it connect. An empty "space" is the server itself.`,
  };
}
