import { CLUSTER_NAME } from '../broker/acl.js';
import type { initProducerId } from '../wire/apis/init-producer-id.js';
import { ERROR } from '../wire/errors.js';
import type { Handler } from './call.js';

const LAST_EPOCH = 32_767;

export const handleInitProducerId: Handler<typeof initProducerId> = (request, call, services) => {
  const { transactionalId, producerId, producerEpoch } = request;
  if (transactionalId !== null) {
    if (!call.may('write', 'transactional_id', transactionalId)) {
      return { errorCode: ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED };
    }
    const expected = { id: producerId, epoch: producerEpoch };
    const answer = services.transactions.init(transactionalId, request.transactionTimeoutMs, expected);
    const isFenced = 'errorCode' in answer && answer.errorCode === ERROR.PRODUCER_FENCED;
    return isFenced && call.version < 4 ? { errorCode: ERROR.INVALID_PRODUCER_EPOCH } : answer;
  }
  const mayProduce = call.may('idempotent_write', 'cluster', CLUSTER_NAME) || call.maySome('write', 'topic');
  if (!mayProduce) return { errorCode: ERROR.CLUSTER_AUTHORIZATION_FAILED };
  // A producer that goes on after an error keeps its id, with the next epoch.
  if (producerId >= 0 && producerEpoch >= 0 && producerEpoch < LAST_EPOCH) {
    return { producerId, producerEpoch: producerEpoch + 1 };
  }
  return { producerId: services.nextProducerId(), producerEpoch: 0 };
};
