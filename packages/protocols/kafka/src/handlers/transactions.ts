import type { TopicPartition } from '../broker/transaction.js';
import type { RequestOf } from '../wire/api.js';
import type { addOffsetsToTxn } from '../wire/apis/add-offsets-to-txn.js';
import type { addPartitionsToTxn } from '../wire/apis/add-partitions-to-txn.js';
import type { endTxn } from '../wire/apis/end-txn.js';
import type { txnOffsetCommit } from '../wire/apis/txn-offset-commit.js';
import { ERROR } from '../wire/errors.js';
import type { Call, Handler, Services } from './call.js';
import { mapInSteps } from './in-steps.js';
import { MAX_METADATA } from './offsets.js';
import { mayWriteFor } from './rights.js';

/** The first versions whose readers know that a producer is fenced; before it is an epoch that is not valid. */
const KNOWS_FENCED = 2;

function codeFor(error: number, { version }: Call): number {
  return error === ERROR.PRODUCER_FENCED && version < KNOWS_FENCED ? ERROR.INVALID_PRODUCER_EPOCH : error;
}

export const handleAddPartitionsToTxn: Handler<typeof addPartitionsToTxn> = function* (
  request,
  call,
  { broker, transactions },
) {
  const found: TopicPartition[] = [];
  let isUnknown = false;
  let isRefused = false;
  yield* mapInSteps(request.topics, function* ({ name, partitions }) {
    const topic = broker.find(name);
    if (!call.may('write', 'topic', name)) isRefused = true;
    yield* mapInSteps(partitions, (partition) => {
      if (topic?.partitions[partition] === undefined) isUnknown = true;
      else found.push({ topicId: topic.id, topic: name, partition });
    });
  });
  const mayWrite = mayWriteFor(request, call);
  const error =
    isUnknown || isRefused
      ? ERROR.OPERATION_NOT_ATTEMPTED
      : mayWrite
        ? codeFor(transactions.addPartitions(request, found), call)
        : ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
  return {
    results: yield* mapInSteps(request.topics, function* ({ name, partitions }) {
      const topic = broker.find(name);
      const wrong = !mayWrite
        ? ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        : call.may('write', 'topic', name)
          ? undefined
          : ERROR.TOPIC_AUTHORIZATION_FAILED;
      return {
        name,
        resultsByPartition: yield* mapInSteps(partitions, (partitionIndex) => ({
          partitionIndex,
          partitionErrorCode:
            wrong ??
            (topic?.partitions[partitionIndex] === undefined ? ERROR.UNKNOWN_TOPIC_OR_PARTITION : error),
        })),
      };
    }),
  };
};

export const handleAddOffsetsToTxn: Handler<typeof addOffsetsToTxn> = (request, call, { transactions }) => ({
  errorCode: !mayWriteFor(request, call)
    ? ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    : call.may('read', 'group', request.groupId)
      ? codeFor(transactions.addGroup(request, request.groupId), call)
      : ERROR.GROUP_AUTHORIZATION_FAILED,
});

export const handleEndTxn: Handler<typeof endTxn> = function* (request, call, { transactions }) {
  if (!mayWriteFor(request, call)) return { errorCode: ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED };
  return { errorCode: codeFor(yield* transactions.end(request, request.committed), call) };
};

export const handleTxnOffsetCommit: Handler<typeof txnOffsetCommit> = function* (request, call, services) {
  const { broker, transactions } = services;
  const { groupId } = request;
  const refusal = refusalOf(request, call, services);
  return {
    topics: yield* mapInSteps(request.topics, function* ({ name: topic, partitions }) {
      const isRefused = !call.may('read', 'topic', topic);
      return {
        name: topic,
        partitions: yield* mapInSteps(partitions, (wanted) => {
          const { partitionIndex, committedOffset: offset, committedMetadata: metadata } = wanted;
          // The transaction may have ended since the step before.
          const errorCode = refusal === ERROR.NONE ? transactions.checkGroup(request, groupId) : refusal;
          if (errorCode !== ERROR.NONE) return { partitionIndex, errorCode };
          if (isRefused) return { partitionIndex, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
          if (broker.find(topic)?.partitions[partitionIndex] === undefined) {
            return { partitionIndex, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION };
          }
          if ((metadata?.length ?? 0) > MAX_METADATA) {
            return { partitionIndex, errorCode: ERROR.OFFSET_METADATA_TOO_LARGE };
          }
          const committed = { offset, leaderEpoch: wanted.committedLeaderEpoch, metadata };
          const pending = { groupId, topic, partition: partitionIndex, committed };
          return transactions.addOffset(request, pending)
            ? { partitionIndex }
            : { partitionIndex, errorCode: ERROR.INVALID_COMMIT_OFFSET_SIZE };
        }),
      };
    }),
  };
};

/** What is wrong with the member that commits; those who do not say who they are may commit. */
function refusalOf(request: RequestOf<typeof txnOffsetCommit>, call: Call, { groups }: Services): number {
  if (!mayWriteFor(request, call)) return ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
  if (!call.may('read', 'group', request.groupId)) return ERROR.GROUP_AUTHORIZATION_FAILED;
  const { memberId, groupInstanceId: instanceId, generationId: generation } = request;
  if (generation < 0 && memberId === '' && instanceId === null) return ERROR.NONE;
  const group = groups.find(request.groupId);
  return group?.checkClaim({ memberId, instanceId, generation }) ?? ERROR.ILLEGAL_GENERATION;
}
