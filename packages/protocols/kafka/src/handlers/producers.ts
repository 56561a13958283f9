import type { addOffsetsToTxn } from '../wire/apis/add-offsets-to-txn.js';
import type { addPartitionsToTxn } from '../wire/apis/add-partitions-to-txn.js';
import type { endTxn } from '../wire/apis/end-txn.js';
import type { initProducerId } from '../wire/apis/init-producer-id.js';
import type { txnOffsetCommit } from '../wire/apis/txn-offset-commit.js';
import { ERROR } from '../wire/errors.js';
import type { Handler } from './call.js';

/** What clients take as final, in place of trying again. */
const NO_TRANSACTIONS = ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
const LAST_EPOCH = 32_767;

export const handleInitProducerId: Handler<typeof initProducerId> = (request, _call, services) => {
  if (request.transactionalId !== null) return { errorCode: NO_TRANSACTIONS };
  const { producerId, producerEpoch } = request;
  // A producer that goes on after an error keeps its id, with the next epoch.
  if (producerId >= 0 && producerEpoch >= 0 && producerEpoch < LAST_EPOCH) {
    return { producerId, producerEpoch: producerEpoch + 1 };
  }
  return { producerId: services.nextProducerId(), producerEpoch: 0 };
};

export const handleAddPartitionsToTxn: Handler<typeof addPartitionsToTxn> = (request) => ({
  results: request.topics.map(({ name, partitions }) => ({
    name,
    resultsByPartition: partitions.map((partitionIndex) => ({
      partitionIndex,
      partitionErrorCode: NO_TRANSACTIONS,
    })),
  })),
});

export const handleAddOffsetsToTxn: Handler<typeof addOffsetsToTxn> = () => ({ errorCode: NO_TRANSACTIONS });

export const handleEndTxn: Handler<typeof endTxn> = () => ({ errorCode: NO_TRANSACTIONS });

export const handleTxnOffsetCommit: Handler<typeof txnOffsetCommit> = (request) => ({
  topics: request.topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: NO_TRANSACTIONS })),
  })),
});
