import { defineApi } from '../api.js';
import { bool, int16, int32, int64, string } from '../fields.js';

/** EndTxn: commits or aborts the transaction (Kafka protocol guide: EndTxn, key 26; KIP-98). */
export const endTxn = defineApi({
  key: 26,
  name: 'EndTxn',
  min: 0,
  max: 3,
  flexible: 3,
  request: {
    transactionalId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    committed: bool(),
  },
  response: { throttleTimeMs: int32(), errorCode: int16() },
});
