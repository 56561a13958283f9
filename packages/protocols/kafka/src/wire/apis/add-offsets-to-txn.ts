import { defineApi } from '../api.js';
import { int16, int32, int64, string } from '../fields.js';

/**
 * AddOffsetsToTxn: offsets of a group become a part of the transaction.
 *
 * Kafka protocol guide: AddOffsetsToTxn, key 25; KIP-98.
 */
export const addOffsetsToTxn = defineApi({
  key: 25,
  name: 'AddOffsetsToTxn',
  min: 0,
  max: 3,
  flexible: 3,
  request: {
    transactionalId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    groupId: string(),
  },
  response: { throttleTimeMs: int32(), errorCode: int16() },
});
