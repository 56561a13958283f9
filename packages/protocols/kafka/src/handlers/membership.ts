import type { Joined, Synced } from '../broker/member.js';
import type { Group } from '../broker/group.js';
import type { heartbeat } from '../wire/apis/heartbeat.js';
import type { joinGroup } from '../wire/apis/join-group.js';
import type { leaveGroup } from '../wire/apis/leave-group.js';
import type { syncGroup } from '../wire/apis/sync-group.js';
import { ERROR } from '../wire/errors.js';
import type { Call, Handler } from './call.js';
import { mayBeIn } from './rights.js';
import { standingError } from './standing-fault.js';

/** The longest session that a member may ask for, in ms: Kafka's own limit. */
const MAX_SESSION = 1_800_000;
/** From here on a client without an id is given one first, and joins with it (KIP-394). */
const ASKS_FOR_ID = 4;

/** Who speaks, as a group takes it. */
function claimOf(request: {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly generationId: number;
}) {
  return {
    memberId: request.memberId,
    instanceId: request.groupInstanceId,
    generation: request.generationId,
  };
}

export const handleJoinGroup: Handler<typeof joinGroup> = async (request, call, { groups }) => {
  const { groupId, memberId, sessionTimeoutMs: sessionTimeout } = request;
  if (!mayBeIn(groupId, call)) return { errorCode: ERROR.GROUP_AUTHORIZATION_FAILED, memberId };
  if (groupId === '') return { errorCode: ERROR.INVALID_GROUP_ID, memberId };
  if (sessionTimeout < 1 || sessionTimeout > MAX_SESSION) {
    return { errorCode: ERROR.INVALID_SESSION_TIMEOUT, memberId };
  }
  const known = groups.find(groupId);
  if (known === undefined && memberId !== '') return { errorCode: ERROR.UNKNOWN_MEMBER_ID, memberId };
  const group = groups.open(groupId);
  if (group === undefined) return { errorCode: ERROR.GROUP_MAX_SIZE_REACHED, memberId };
  const joined = await settled<Joined>(group, call, (settle) =>
    group.join(
      {
        memberId,
        instanceId: request.groupInstanceId,
        protocolType: request.protocolType,
        // Copies: what was received is a part of a larger chunk.
        protocols: request.protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
        sessionTimeout,
        rebalanceTimeout: request.rebalanceTimeoutMs < 0 ? sessionTimeout : request.rebalanceTimeoutMs,
        clientId: call.clientId,
        clientHost: `/${call.connection.remoteAddress}`,
        asksForId: call.version >= ASKS_FOR_ID,
      },
      settle,
    ),
  );
  return {
    errorCode: joined.error,
    generationId: joined.generation ?? -1,
    protocolType: joined.protocolType ?? null,
    protocolName: joined.protocolName ?? null,
    leader: joined.leader ?? '',
    memberId: joined.memberId,
    members: joined.members ?? [],
  };
};

export const handleSyncGroup: Handler<typeof syncGroup> = async (request, call, { groups }) => {
  if (!mayBeIn(request.groupId, call)) return { errorCode: ERROR.GROUP_AUTHORIZATION_FAILED };
  const group = groups.find(request.groupId);
  if (group === undefined) return { errorCode: ERROR.UNKNOWN_MEMBER_ID };
  const { protocolType, protocolName } = request;
  const isOther =
    (protocolType !== null && protocolType !== group.protocolType) ||
    (protocolName !== null && protocolName !== group.protocolName);
  if (isOther && group.members.has(request.memberId)) return { errorCode: ERROR.INCONSISTENT_GROUP_PROTOCOL };
  const synced = await settled<Synced>(group, call, (settle) =>
    group.sync(claimOf(request), request.assignments, settle),
  );
  return {
    errorCode: synced.error,
    protocolType: group.protocolType ?? null,
    protocolName: group.protocolName ?? null,
    assignment: synced.assignment ?? Buffer.alloc(0),
  };
};

export const handleHeartbeat: Handler<typeof heartbeat> = (request, call, services) => {
  if (!mayBeIn(request.groupId, call)) return { errorCode: ERROR.GROUP_AUTHORIZATION_FAILED };
  const group = services.groups.find(request.groupId);
  // It counts as a sign of life all the same.
  const errorCode = group?.heartbeat(claimOf(request)) ?? ERROR.UNKNOWN_MEMBER_ID;
  return { errorCode: errorCode === ERROR.NONE ? standingError(services, 'heartbeat_error') : errorCode };
};

export const handleLeaveGroup: Handler<typeof leaveGroup> = (request, call, { groups }) => {
  if (!mayBeIn(request.groupId, call)) return { errorCode: ERROR.GROUP_AUTHORIZATION_FAILED };
  const group = groups.find(request.groupId);
  if (call.version < 3) {
    return { errorCode: group?.leave(request.memberId, null) ?? ERROR.UNKNOWN_MEMBER_ID };
  }
  return {
    members: request.members.map(({ memberId, groupInstanceId }) => ({
      memberId,
      groupInstanceId,
      errorCode: group?.leave(memberId, groupInstanceId) ?? ERROR.UNKNOWN_MEMBER_ID,
    })),
  };
};

/** Waits at a barrier of the group, until the client leaves. */
function settled<T extends Joined | Synced>(
  group: Group,
  call: Call,
  enter: (settle: (outcome: T) => void) => void,
): Promise<T> {
  return new Promise((resolve) => {
    const settle = (outcome: T): void => resolve(outcome);
    call.onLeave(() => group.abandon(settle as never));
    enter(settle);
  });
}
