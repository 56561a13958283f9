import { defineApi } from '../api.js';
import { array, int16, int32, int64, nullableString, records, string } from '../fields.js';

/**
 * Produce: appends record batches. Versions below 3 carry message sets, which are refused.
 *
 * Kafka protocol guide: Produce, key 0; KIP-98.
 */
export const produce = defineApi({
  key: 0,
  name: 'Produce',
  // Old versions are advertised for librdkafka, which takes a broker without them for one that cannot compress.
  min: 0,
  max: 11,
  flexible: 9,
  request: {
    transactionalId: nullableString({ since: 3 }),
    acks: int16(),
    timeoutMs: int32(),
    topicData: array({
      name: string(),
      partitionData: array({ index: int32(), records: records() }),
    }),
  },
  response: {
    responses: array({
      name: string(),
      partitionResponses: array({
        index: int32(),
        errorCode: int16(),
        baseOffset: int64({ fallback: -1 }),
        logAppendTimeMs: int64({ since: 2, fallback: -1 }),
        logStartOffset: int64({ since: 5, fallback: -1 }),
        recordErrors: array({ batchIndex: int32(), batchIndexErrorMessage: nullableString() }, { since: 8 }),
        errorMessage: nullableString({ since: 8 }),
      }),
    }),
    throttleTimeMs: int32({ since: 1 }),
  },
});
