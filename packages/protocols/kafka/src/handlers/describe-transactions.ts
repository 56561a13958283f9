import type { Transaction } from '../broker/transaction.js';
import type { describeProducers } from '../wire/apis/describe-producers.js';
import type { describeTransactions } from '../wire/apis/describe-transactions.js';
import type { listTransactions } from '../wire/apis/list-transactions.js';
import { ERROR } from '../wire/errors.js';
import type { Handler } from './call.js';
import { mapInSteps } from './in-steps.js';

/** The states that a filter may name. */
const STATES: ReadonlySet<string> = new Set([
  'Empty',
  'Ongoing',
  'PrepareCommit',
  'PrepareAbort',
  'CompleteCommit',
  'CompleteAbort',
  'Dead',
  'PrepareEpochFence',
]);

export const handleListTransactions: Handler<typeof listTransactions> = function* (request, call, services) {
  const { transactions, context } = services;
  const states = new Set(request.stateFilters);
  const producers = new Set(request.producerIdFilters);
  const known = request.stateFilters.filter((state) => STATES.has(state));
  const isWanted = ({ id, state, producerId, work }: Transaction): boolean => {
    if (!call.may('describe', 'transactional_id', id)) return false;
    if (states.size > 0 && !states.has(state)) return false;
    if (producers.size > 0 && !producers.has(producerId)) return false;
    // Only what is under way has a duration (KIP-994).
    if (request.durationFilter < 0) return true;
    return work.startedAt >= 0 && context.clock.now() - work.startedAt > request.durationFilter;
  };
  // As in Kafka, a filter that names unknown states alone chooses nothing.
  const listed = states.size > 0 && known.length === 0 ? [] : transactions.known.filter(isWanted);
  return {
    unknownStateFilters: request.stateFilters.filter((state) => !STATES.has(state)),
    transactionStates: yield* mapInSteps(listed, ({ id: transactionalId, producerId, state }) => ({
      transactionalId,
      producerId,
      transactionState: state,
    })),
  };
};

export const handleDescribeTransactions: Handler<typeof describeTransactions> = function* (
  request,
  call,
  { transactions },
) {
  return {
    transactionStates: yield* mapInSteps([...new Set(request.transactionalIds)], (transactionalId) => {
      if (!call.may('describe', 'transactional_id', transactionalId)) {
        return { transactionalId, errorCode: ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED };
      }
      const transaction = transactions.find(transactionalId);
      return transaction === undefined
        ? { transactionalId, errorCode: ERROR.TRANSACTIONAL_ID_NOT_FOUND }
        : describe(transaction);
    }),
  };
};

function describe(transaction: Transaction) {
  const { id: transactionalId, state, timeout, work, producerId, epoch } = transaction;
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of work.partitions.values()) {
    const partitions = topics.get(topic);
    if (partitions === undefined) topics.set(topic, [partition]);
    else partitions.push(partition);
  }
  return {
    transactionalId,
    transactionState: state,
    transactionTimeoutMs: timeout,
    transactionStartTimeMs: work.startedAt,
    producerId,
    producerEpoch: epoch,
    topics: Array.from(topics, ([topic, partitions]) => ({ topic, partitions })),
  };
}

export const handleDescribeProducers: Handler<typeof describeProducers> = function* (
  request,
  call,
  { broker },
) {
  // One that is named twice is described once.
  const wanted = new Map(request.topics.map((topic) => [topic.name, topic]));
  return {
    topics: yield* mapInSteps([...wanted.values()], function* ({ name, partitionIndexes }) {
      const isRefused = !call.may('read', 'topic', name);
      return {
        name,
        partitions: yield* mapInSteps([...new Set(partitionIndexes)], (partitionIndex) => {
          if (isRefused) return { partitionIndex, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
          const log = broker.find(name)?.partitions[partitionIndex];
          if (log === undefined) {
            const errorMessage = `There is no partition ${partitionIndex} of topic '${name}'.`;
            return { partitionIndex, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION, errorMessage };
          }
          const activeProducers = log.producers.list().map((producer) => ({
            producerId: producer.producerId,
            producerEpoch: producer.epoch,
            lastSequence: producer.lastSequence,
            lastTimestamp: producer.timestamp,
            currentTxnStartOffset: log.openSince(producer.producerId) ?? -1,
          }));
          return { partitionIndex, activeProducers };
        }),
      };
    }),
  };
};
