import type { Group } from '../broker/group.js';
import type { RequestOf } from '../wire/api.js';
import type { offsetCommit } from '../wire/apis/offset-commit.js';
import type { offsetFetch } from '../wire/apis/offset-fetch.js';
import { ERROR } from '../wire/errors.js';
import type { Call, Handler, Services } from './call.js';
import { mapInSteps } from './in-steps.js';
import { standingError } from './standing-fault.js';

/** The longest remark that may be left with an offset: Kafka's own limit. */
export const MAX_METADATA = 4096;

export const handleOffsetCommit: Handler<typeof offsetCommit> = function* (request, call, services) {
  const { groups, broker } = services;
  const mayRead = call.may('read', 'group', request.groupId);
  const group = mayRead ? groups.open(request.groupId) : undefined;
  const missing = mayRead ? ERROR.COORDINATOR_NOT_AVAILABLE : ERROR.GROUP_AUTHORIZATION_FAILED;
  const refusal = group === undefined ? missing : refusalOf(group, request, services);
  return {
    topics: yield* mapInSteps(request.topics, function* ({ name, partitions }) {
      const isRefused = !call.may('read', 'topic', name);
      return {
        name,
        partitions: yield* mapInSteps(partitions, (partition) => {
          const { partitionIndex, committedOffset: offset, committedMetadata: metadata } = partition;
          if (group === undefined || refusal !== ERROR.NONE) return { partitionIndex, errorCode: refusal };
          if (isRefused) return { partitionIndex, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
          if (broker.find(name)?.partitions[partitionIndex] === undefined) {
            return { partitionIndex, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION };
          }
          if ((metadata?.length ?? 0) > MAX_METADATA) {
            return { partitionIndex, errorCode: ERROR.OFFSET_METADATA_TOO_LARGE };
          }
          const noted = { offset, leaderEpoch: partition.committedLeaderEpoch, metadata };
          const isTaken = groups.commit(group, name, partitionIndex, noted);
          return isTaken
            ? { partitionIndex }
            : { partitionIndex, errorCode: ERROR.INVALID_COMMIT_OFFSET_SIZE };
        }),
      };
    }),
  };
};

function refusalOf(group: Group, request: RequestOf<typeof offsetCommit>, services: Services): number {
  const { memberId, groupInstanceId: instanceId, generationId: generation } = request;
  // Tools and consumers that choose their partitions by themselves commit without being members.
  const isMember = generation >= 0 || memberId !== '' || instanceId !== null;
  if (!isMember) return group.state === 'Empty' ? ERROR.NONE : ERROR.UNKNOWN_MEMBER_ID;
  const error = group.checkClaim({ memberId, instanceId, generation });
  if (error !== ERROR.NONE) return error;
  return group.state === 'CompletingRebalance'
    ? ERROR.REBALANCE_IN_PROGRESS
    : standingError(services, 'heartbeat_error');
}

export const handleOffsetFetch: Handler<typeof offsetFetch> = function* (request, call, services) {
  const { requireStable } = request;
  const mayDescribe = (groupId: string): boolean => call.may('describe', 'group', groupId);
  if (call.version < 8) {
    const { groupId, topics } = request;
    if (!mayDescribe(groupId)) return { errorCode: ERROR.GROUP_AUTHORIZATION_FAILED };
    return { topics: yield* committed(groupId, topics, requireStable, call, services) };
  }
  const wanted = new Map(request.groups.map((group) => [group.groupId, group]));
  return {
    groups: yield* mapInSteps([...wanted.values()], function* ({ groupId, topics }) {
      if (!mayDescribe(groupId)) return { groupId, errorCode: ERROR.GROUP_AUTHORIZATION_FAILED };
      return { groupId, topics: yield* committed(groupId, topics, requireStable, call, services) };
    }),
  };
};

function* committed(
  groupId: string,
  topics: readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[] | null,
  isStable: boolean,
  call: Call,
  { groups, transactions }: Services,
) {
  const offsets = groups.find(groupId)?.offsets;
  const shown = offsets?.all().filter(({ name }) => call.may('describe', 'topic', name));
  return yield* mapInSteps(topics ?? shown ?? [], function* ({ name, partitionIndexes }) {
    const isRefused = !call.may('describe', 'topic', name);
    return {
      name,
      partitions: yield* mapInSteps(partitionIndexes, (partitionIndex) => {
        if (isRefused) return { partitionIndex, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
        if (isStable && transactions.isUnstable(groupId, name, partitionIndex)) {
          return { partitionIndex, errorCode: ERROR.UNSTABLE_OFFSET_COMMIT };
        }
        const found = offsets?.get(name, partitionIndex);
        return {
          partitionIndex,
          committedOffset: found?.offset ?? -1,
          committedLeaderEpoch: found?.leaderEpoch ?? -1,
          metadata: found?.metadata ?? '',
        };
      }),
    };
  });
}
