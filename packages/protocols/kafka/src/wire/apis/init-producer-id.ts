import { defineApi } from '../api.js';
import { int16, int32, int64, nullableString } from '../fields.js';

/**
 * InitProducerId: an id for an idempotent producer.
 *
 * Kafka protocol guide: InitProducerId, key 22; KIP-98, KIP-360.
 */
export const initProducerId = defineApi({
  key: 22,
  name: 'InitProducerId',
  min: 0,
  max: 4,
  flexible: 2,
  request: {
    transactionalId: nullableString(),
    transactionTimeoutMs: int32(),
    producerId: int64({ since: 3, fallback: -1 }),
    producerEpoch: int16({ since: 3, fallback: -1 }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    producerId: int64({ fallback: -1 }),
    producerEpoch: int16({ fallback: -1 }),
  },
});
