import type { ApiClient } from '../../client/api-client.js';
import { queryOf } from '../../client/paths.js';
import type { ClientFlags } from '../connect.js';
import { print } from '../output.js';
import { writeStream } from '../write-stream.js';

/** The flags of `backlot save`. */
export interface SaveFlags extends ClientFlags {
  readonly force?: boolean;
  readonly withSecrets?: boolean;
}

/** Nobody else reads what clients have sent. */
const OWNER_ONLY = 0o600;

/** `backlot save FILE`: what a server has in one file, from which `backlot open` starts one. */
export async function save(api: ApiClient, out: string, { force, withSecrets }: SaveFlags): Promise<void> {
  const query = queryOf({ reason: 'backlot save', secrets: withSecrets === true ? true : undefined });
  await writeStream(api.bytes(`/api/flight${query}`), {
    out,
    isReplaced: force === true,
    mode: OWNER_ONLY,
  });
  print(`wrote ${out}; now: backlot open ${out}`);
}
