import { CLUSTER_NAME } from '../broker/acl.js';
import type { Call } from './call.js';

/** Whether a client may have a topic made. */
export function mayMake(topic: string, call: Call): boolean {
  return call.may('create', 'cluster', CLUSTER_NAME) || call.may('create', 'topic', topic);
}

/** Whether a client may be in a group. */
export function mayBeIn(groupId: string, call: Call): boolean {
  return call.may('read', 'group', groupId);
}

/** Whether a client may use a transactional id. */
export function mayWriteFor({ transactionalId }: { readonly transactionalId: string }, call: Call): boolean {
  return call.may('write', 'transactional_id', transactionalId);
}
